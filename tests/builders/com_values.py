"""References, activations and the arguments of COM calls as plain values, for the encoders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.activation_blob import (
    PROPERTIES_IN,
    PROPERTIES_OUT,
    ActivationBlob,
    ActivationProperty,
    encode_blob,
)
from decoders.dcom.activation_properties import PROPERTIES
from decoders.dcom.dual_strings import SecurityBinding, StringBinding, build_dual_strings, to_ndr
from decoders.dcom.error_info import ERROR_OBJECT, ErrorInfo, build_error_info
from decoders.dcom.objref import CustomData, Form, ObjRef, StdObjRef, encode_objref
from decoders.dcom.orpc import ERROR_EXTENSION
from decoders.ndr.model import ObjrefBytes
from decoders.oaut.building import bstr, variant

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

Values = dict[str, Any]
NULL: Final = "00000000-0000-0000-0000-000000000000"
CAUSALITY: Final = "c1c1c1c1-0000-4000-8000-000000000001"
UNKNOWN, FACTORY = "00000000-0000-0000-c000-000000000046", "00000001-0000-0000-c000-000000000046"
DISPATCH, TYPE_INFO = "00020400-0000-0000-c000-000000000046", "00020401-0000-0000-c000-000000000046"
REMOTE_UNKNOWN2: Final = "00000143-0000-0000-c000-000000000046"
RESOLVER, ACTIVATOR = "99fcfec4-5260-101b-bbcb-00aa0021347a", "000001a0-0000-0000-c000-000000000046"
CONNECTION_POINT: Final = "b196b286-bab4-101a-b69c-00aa00341d07"
MMC: Final = "49b2791a-b1ae-4c90-9b8e-e860ba07f889"
QUEUE_INFO, I_QUEUE_INFO = "d7d6e07c-dccd-11d0-aa4b-0060970debae", "d7d6e07b-dccd-11d0-aa4b-0060970debae"
PUBLIC: Final = 5
"""References that Windows hands out at once."""
_TCP, _NTLM = 7, 10
_VT_EMPTY: Final = 0


def ipid(number: int) -> str:
    return f"{number:08x}-0e84-10c4-b27e-c0ea0cb59f7c"


def bindings(*addresses: str, principal: str = "CORP\\svc") -> Values:
    """Of an exporter: `host[port]`."""
    strings = [StringBinding(_TCP, one) for one in addresses]
    return to_ndr(build_dual_strings(strings, [SecurityBinding(_NTLM, principal)]))


def objref(
    iid: str, oxid: int, oid: int, of: str, refs: int = PUBLIC, flags: int = 0, hosts: tuple[str, ...] = ("HOST",)
) -> bytes:
    """`hosts`: of the object resolver."""
    resolver = build_dual_strings([StringBinding(_TCP, host) for host in hosts], [])
    return encode_objref(ObjRef(Form.STANDARD, iid, StdObjRef(flags, refs, oxid, oid, of), bindings=resolver))


def pointer(data: bytes) -> Values:
    """MInterfacePointer."""
    return {"ulCntData": len(data), "abData": data}


def interface(data: bytes) -> ObjrefBytes:
    """Where the IDL has an interface pointer."""
    return ObjrefBytes(data)


def this(flags: int = 0, extensions: Values | None = None) -> Values:
    version = {"MajorVersion": 5, "MinorVersion": 7}
    return {"version": version, "flags": flags, "reserved1": 0, "cid": CAUSALITY, "extensions": extensions}


def that(flags: int = 0, extensions: Values | None = None) -> Values:
    return {"flags": flags, "extensions": extensions}


def extension(identifier: str, data: bytes) -> Values:
    """[MS-DCOM] 2.2.21.1: an even number of extents, the data of each a multiple of eight."""
    one = {"id": identifier, "size": len(data), "data": data.ljust(-len(data) % 8 + len(data), b"\0")}
    return {"size": 1, "reserved": 0, "extent": [one, None]}


def error_extension(source: str, description: str) -> Values:
    told = build_error_info(ErrorInfo(0, 0, DISPATCH, source, description))
    custom = ObjRef(Form.CUSTOM, UNKNOWN, clsid=ERROR_OBJECT, custom=CustomData(0, 0, told))
    return extension(ERROR_EXTENSION, encode_objref(custom))


def _blob(unmarshaler: str, iid: str, values: dict[str, Values], order: ByteOrder) -> Values:
    by_name = {one.name: clsid for clsid, one in PROPERTIES.items()}
    properties = tuple(ActivationProperty(by_name[name], name, b"", value, order, ()) for name, value in values.items())
    header = {
        **dict.fromkeys(("totalSize", "headerSize", "dwReserved", "pdwReserved"), 0),
        "destCtx": 2,
        "cIfs": len(properties),
        "classInfoClsid": NULL,
        "pclsid": [one.clsid for one in properties],
        "pSizes": [],
    } | {"pdwReserved": None}
    data = encode_blob(ActivationBlob(header=header, byte_order=order, properties=properties))
    custom = ObjRef(Form.CUSTOM, iid, clsid=unmarshaler, custom=CustomData(0, len(data), data))
    return pointer(encode_objref(custom))


def wanted(clsid: str, *iids: str, name: str = "server", order: ByteOrder = "<") -> Values:
    """What an activation asks with."""
    info = {
        **dict.fromkeys(("classCtx", "actvflags", "fIsSurrogate", "instFlag", "thisSize"), 0),
        "classId": clsid,
        "cIID": len(iids),
        "pIID": list(iids),
        "clientCOMVersion": {"MajorVersion": 5, "MinorVersion": 7},
    }
    server = {"dwReserved1": 0, "pwszName": name, "pdwReserved": None, "dwReserved2": 0}
    security = {"dwAuthnFlags": 0, "pServerInfo": server, "pdwReserved": None}
    location = {"machineName": None, "processId": 0, "apartmentId": 0, "contextId": 0}
    request = {"ClientImpLevel": 2, "cRequestedProtseqs": 1, "pRequestedProtseqs": [_TCP]}
    parts: dict[str, Values] = {
        "InstantiationInfo": info,
        "SecurityInfo": security,
        "ServerLocationInfo": location,
        "ScmRequestInfo": {"pdwReserved": None, "remoteRequest": request},
    }
    return _blob(PROPERTIES_IN, "000001a2-0000-0000-c000-000000000046", parts, order)


def activated(
    oxid: int, unknown: str, where: Values, *references: tuple[str, bytes], order: ByteOrder = "<", hint: int = 4
) -> Values:
    """What is answered: the exporter, and a reference for each IID."""
    reply = {
        "Oxid": oxid,
        "pdsaOxidBindings": where,
        "ipidRemUnknown": unknown,
        "authnHint": hint,
        "serverVersion": {"MajorVersion": 5, "MinorVersion": 7},
    }
    out = {
        "cIfs": len(references),
        "piid": [iid for iid, _ in references],
        "phresults": [0] * len(references),
        "ppIntfData": [pointer(data) for _, data in references],
    }
    parts: dict[str, Values] = {"PropsOutInfo": out, "ScmReplyInfo": {"pdwReserved": None, "remoteReply": reply}}
    return _blob(PROPERTIES_OUT, "000001a3-0000-0000-c000-000000000046", parts, order)


def invoked(
    dispid: int,
    *arguments: Values,
    flags: int = 1,
    named: tuple[int, ...] = (),
    by_reference: dict[int, Values] | None = None,
) -> Values:
    """`arguments` as they stand in rgvarg: last one first, the named ones in front."""
    references = by_reference or {}
    return {
        "dispIdMember": dispid,
        "riid": NULL,
        "lcid": 1033,
        "dwFlags": flags,
        "pDispParams": {
            "rgvarg": list(arguments) or None,
            "rgdispidNamedArgs": list(named) or None,
            "cArgs": len(arguments),
            "cNamedArgs": len(named),
        },
        "cVarRef": len(references),
        "rgVarRefIdx": list(references),
        "rgVarRef": list(references.values()),
    }


def returned(
    result: Values | None = None,
    *,
    status: int = 0,
    scode: int = 0,
    source: str | None = None,
    description: str | None = None,
    by_reference: tuple[Values, ...] = (),
) -> Values:
    exception = {
        **dict.fromkeys(("wCode", "wReserved", "dwHelpContext", "pvReserved", "pfnDeferredFillIn"), 0),
        "bstrSource": bstr(source),
        "bstrDescription": bstr(description),
        "bstrHelpFile": bstr(None),
        "scode": scode,
    }
    return {
        "pVarResult": result or variant(_VT_EMPTY),
        "pExcepInfo": exception,
        "pArgErr": 0,
        "rgVarRef": list(by_reference),
        "return_value": status,
    }
