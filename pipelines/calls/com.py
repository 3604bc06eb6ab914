"""What DCOM's calls say of objects: the part of a fact that sessions of objects are made from."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.activation_blob import blob_of
from decoders.dcom.asked_for import AskedFor, asked_for
from decoders.dcom.classes import COM_INTERFACES
from decoders.dcom.dual_strings import from_ndr
from decoders.dcom.objref import parse_objref
from decoders.dcom.orpc import extents_of, looks_like_orpcthis, read_implicit
from decoders.limits import MAX_REFERENCES_OF_A_CALL
from decoders.ndr.model import Direction, ObjrefBytes
from decoders.net.addresses import is_address
from decoders.oaut.values import bstr_value
from decoders.registry import REGISTRY, Family
from pipelines.calls.com_arguments import arguments_of, invoked_arguments, result_of
from pipelines.calls.com_checks import checked_parts
from pipelines.facts.com import Activation, Com, Counted, Exporter, Invoked, Reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from decoders.dcerpc.call_model import Call
    from decoders.dcom.dual_strings import DualStrings
    from decoders.dcom.objref import ObjRef
    from decoders.ndr.model import Operation
    from pipelines.calls.call_rows import Identity
    from pipelines.calls.stubs import Values
    from pipelines.facts.com import Argument

Raw = dict[str, Any]
_VERSION: Final = "0.0"
_TCP: Final = 7
_FACTORY_MODE: Final = 0xFFFF_FFFF
_DISP_E_EXCEPTION: Final = 0x8002_0009


def is_native(interface_uuid: str) -> bool:
    """Known, and not of COM: an object UUID in its requests means something else."""
    known = REGISTRY.get(interface_uuid)
    return known is not None and not known.is_com


def is_resolver(interface_uuid: str) -> bool:
    known = REGISTRY.get(interface_uuid)
    return known is not None and known.family is Family.DCOM_ACTIVATION


def is_orpc(interface_uuid: str, call: Call) -> bool:
    """An object UUID alone proves nothing: [C706] gives the field to everybody."""
    if call.object_uuid is None or is_native(interface_uuid):
        return False
    known = REGISTRY.get(interface_uuid)
    if interface_uuid in COM_INTERFACES or (known is not None and known.is_com):
        return True
    request = call.request
    return request is not None and not request.sealed and looks_like_orpcthis(request.stub, request.byte_order)


def opaque_com(interface_uuid: str, call: Call, version: str = _VERSION) -> Com:
    """Of a call whose parameters nobody declared, or that is sealed."""
    request = call.request
    this: Raw = {}
    if request is not None and not request.sealed and not is_resolver(interface_uuid):
        this = read_implicit(Direction.IN, request.stub, request.byte_order, whole=request.complete).value or {}
    told = this.get("version") or {}
    return Com(
        iid=interface_uuid,
        version=_same(version),
        object=None if is_resolver(interface_uuid) else call.object_uuid,
        cid=this.get("cid"),
        major=told.get("MajorVersion"),
        minor=told.get("MinorVersion"),
        flags=this.get("flags") or 0,
    )


def com_of(
    identity: Identity, interface: str, operation: Operation, call: Call, request: Values, response: Values
) -> Com:
    """`interface`: the one that declares the operation."""
    interface_uuid = identity.interface_uuid
    asked, answered = request.raw or {}, response.raw or {}
    this = request.implicit or asked.get("orpcthis") or asked.get("ORPCthis") or {}
    that = response.implicit or answered.get("orpcthat") or answered.get("ORPCthat") or {}
    more = _READERS.get((interface, operation.name))
    parts: dict[str, Any] = {}
    arguments: tuple[Argument, ...] = ()
    result = None
    if is_resolver(interface_uuid):
        # Who calls it with an object UUID calls no object.
        call = call._replace(object_uuid=None)
    elif (interface, operation.name) == ("IDispatch", "Invoke"):
        arguments, result = invoked_arguments(asked, answered), result_of(answered.get("pVarResult"))
    else:
        arguments = arguments_of(operation, asked, answered)
    parts["references"] = tuple(_references(asked, given=False)) + tuple(_references(answered, given=True))
    if more is not None:
        parts |= more(asked, answered)
    errors = [one.error for one in extents_of(that) if one.error is not None]
    exception, scode = _exception(answered)
    if exception is None and errors:
        exception = _sentence(errors[0].source, errors[0].description)
    version = this.get("version") or {}
    return Com(
        iid=interface_uuid,
        version=_same(identity.version),
        # Who calls the resolver with an object UUID calls no object.
        object=None if is_resolver(interface_uuid) else call.object_uuid,
        cid=this.get("cid"),
        major=version.get("MajorVersion"),
        minor=version.get("MinorVersion"),
        flags=this.get("flags") or 0,
        arguments=arguments,
        result=result,
        exception=exception,
        scode=scode,
        checked=checked_parts((interface, operation.name), asked, answered),
        **parts,
    )


def _same(version: str) -> str:
    """What is one object with the default is not stored."""
    return _VERSION if version == _VERSION else version


def _references(values: object, *, given: bool, clsid: str | None = None) -> Iterator[Reference]:
    for number, data in enumerate(_objrefs(values)):
        if number == MAX_REFERENCES_OF_A_CALL:
            return
        found = parse_objref(data)
        if found.std is not None and found.iid is not None:
            std = found.std
            yield Reference(
                given=given,
                iid=found.iid,
                oxid=std.oxid,
                oid=std.oid,
                ipid=std.ipid,
                public_refs=std.public_refs,
                flags=std.flags,
                clsid=clsid,
                resolvers=() if given else _addresses(found.bindings),
            )


def _addresses(strings: DualStrings | None) -> tuple[str, ...]:
    hosts = (one.host for one in strings.string_bindings) if strings else ()
    return tuple(host for host in hosts if is_address(host))[:_MAX_RESOLVERS]


_MAX_RESOLVERS: Final = 16


def _objrefs(values: object) -> Iterator[bytes]:
    """OBJREFs of interface pointers, and of MInterfacePointers that are declared as such."""
    waiting: list[object] = [values]
    left = _MAX_VALUES
    while waiting and left:
        left -= 1
        one = waiting.pop()
        if isinstance(one, ObjrefBytes):
            yield one
        elif isinstance(one, dict):
            data = one.get("abData")
            if isinstance(data, bytes):
                yield data
            else:
                waiting.extend(inner for inner in reversed(one.values()) if type(inner) in _HOLDERS)
        elif isinstance(one, list):
            waiting.extend(inner for inner in reversed(one[:left]) if type(inner) in _HOLDERS)


_MAX_VALUES: Final = 10_000
_HOLDERS: Final = frozenset((dict, list, ObjrefBytes))
"""Most values are numbers and text: they are not looked at again."""


def _activated(asked: Raw, answered: Raw, *, factory: bool) -> dict[str, Any]:
    """IRemoteSCMActivator: [MS-DCOM] 2.2.22."""
    wanted, got = (_reference(values) for values in (asked.get("pActProperties"), answered.get("ppActProperties")))
    told = (asked_for(wanted) if wanted else None) or AskedFor(None, (), None)
    found: dict[str, Any] = {
        "activation": Activation(clsid=told.clsid, iids=told.iids, server_name=told.server_name, factory=factory)
    }
    if got is not None and (blob := blob_of(got)) is not None:
        reply = ((blob.value_of("ScmReplyInfo") or {}).get("remoteReply")) or {}
        found["exporters"] = tuple(_exporter(reply, "Oxid", "pdsaOxidBindings", "ipidRemUnknown", "serverVersion"))
        out = blob.value_of("PropsOutInfo") or {}
        found["references"] = tuple(_references(out.get("ppIntfData"), given=True, clsid=told.clsid))
    return found


def _reference(pointer: object) -> ObjRef | None:
    data = next(_objrefs(pointer), None)
    return None if data is None else parse_objref(data)


def _remote_activation(asked: Raw, answered: Raw) -> dict[str, Any]:
    clsid = asked.get("Clsid")
    return {
        "activation": Activation(
            clsid=clsid,
            iids=tuple(asked.get("pIIDs") or ()),
            server_name=None,
            factory=asked.get("Mode") == _FACTORY_MODE,
        ),
        "exporters": tuple(_exporter(answered, "pOxid", "ppdsaOxidBindings", "pipidRemUnknown", "pServerVersion")),
        "references": tuple(_references(answered.get("ppInterfaceData"), given=True, clsid=clsid)),
    }


def _resolved(asked: Raw, answered: Raw) -> dict[str, Any]:
    values = {**answered, "pOxid": asked.get("pOxid")}
    return {"exporters": tuple(_exporter(values, "pOxid", "ppdsaOxidBindings", "pipidRemUnknown", "pComVersion"))}


def _exporter(values: Mapping[str, Any], oxid: str, bindings: str, unknown: str, version: str) -> Iterator[Exporter]:
    strings = from_ndr(values.get(bindings))
    if strings is None or not values.get(oxid) or not values.get(unknown):
        return
    yield Exporter(
        oxid=values[oxid],
        remote_unknown=values[unknown],
        bindings=tuple(_tcp(strings)),
        principal=next((one.principal for one in strings.security_bindings if one.principal), None),
        version=_version(values.get(version)),
    )


def _version(told: Mapping[str, Any] | None) -> tuple[int, int] | None:
    major, minor = (told or {}).get("MajorVersion"), (told or {}).get("MinorVersion")
    return None if major is None or minor is None else (major, minor)


def _tcp(strings: DualStrings) -> Iterator[tuple[str, int]]:
    for one in strings.string_bindings:
        if one.tower == _TCP and one.port:
            yield one.host, one.port


def _queried(asked: Raw, answered: Raw) -> dict[str, Any]:
    """REMQIRESULT has its reference as NDR, and says not of which interface: that stands in the request."""
    iids, results = asked.get("iids") or (), answered.get("ppQIResults") or ()
    found = [
        Reference(
            given=True,
            iid=iid,
            oxid=one["std"]["oxid"],
            oid=one["std"]["oid"],
            ipid=one["std"]["ipid"],
            public_refs=one["std"]["cPublicRefs"],
            flags=one["std"]["flags"],
        )
        for iid, one in zip(iids, results, strict=False)
        if one and one.get("hResult") == 0 and one.get("std") and one["std"].get("ipid")
    ]
    return {"references": tuple(found[:MAX_REFERENCES_OF_A_CALL])}


def _counted(asked: Raw, _: Raw) -> dict[str, Any]:
    refs = [one for one in asked.get("InterfaceRefs") or () if one and one.get("cPrivateRefs") is not None]
    return {
        "counted": tuple(
            Counted(ipid=one["ipid"], public_refs=one["cPublicRefs"], private_refs=one["cPrivateRefs"])
            for one in refs[:MAX_REFERENCES_OF_A_CALL]
        )
    }


def _names(asked: Raw, answered: Raw) -> dict[str, Any]:
    names = [one for one in asked.get("rgszNames") or () if isinstance(one, str)]
    dispids = answered.get("rgDispId") or ()
    return {"names": tuple(names[:_MAX_NAMES]), "dispids": tuple(dispids[:_MAX_NAMES])}


def _member_names(asked: Raw, answered: Raw) -> dict[str, Any]:
    """ITypeInfo: the first name is the member's, of which the request has the number."""
    names = [bstr_value(one) for one in answered.get("rgBstrNames") or ()]
    if not names or names[0] is None or asked.get("memid") is None:
        return {}
    return {"names": (names[0],), "dispids": (asked["memid"],)}


def _documented(asked: Raw, answered: Raw) -> dict[str, Any]:
    name = bstr_value(answered.get("pBstrName"))
    return {} if name is None or asked.get("memid") is None else {"names": (name,), "dispids": (asked["memid"],)}


_MAX_NAMES: Final = 64


def _invoked(asked: Raw, _: Raw) -> dict[str, Any]:
    dispid, flags = asked.get("dispIdMember"), asked.get("dwFlags")
    if dispid is None or flags is None:
        return {}
    named = (asked.get("pDispParams") or {}).get("cNamedArgs") or 0
    return {"invoked": Invoked(dispid=dispid, flags=flags, named=named)}


@cache
def _factory_or_not(*, factory: bool) -> Callable[[Raw, Raw], dict[str, Any]]:
    return lambda asked, answered: _activated(asked, answered, factory=factory)


_READERS: Final[Mapping[tuple[str, str], Callable[[Raw, Raw], dict[str, Any]]]] = {
    ("IRemoteSCMActivator", "RemoteGetClassObject"): _factory_or_not(factory=True),
    ("IRemoteSCMActivator", "RemoteCreateInstance"): _factory_or_not(factory=False),
    ("IActivation", "RemoteActivation"): _remote_activation,
    ("IObjectExporter", "ResolveOxid"): _resolved,
    ("IObjectExporter", "ResolveOxid2"): _resolved,
    **{
        (interface, operation): reader
        for interface in ("IRemUnknown", "IRemUnknown2")
        for operation, reader in (("RemQueryInterface", _queried), ("RemAddRef", _counted), ("RemRelease", _counted))
    },
    ("IDispatch", "GetIDsOfNames"): _names,
    ("IDispatch", "Invoke"): _invoked,
    ("ITypeInfo", "GetNames"): _member_names,
    ("ITypeInfo", "GetDocumentation"): _documented,
}


def _exception(answered: Raw) -> tuple[str | None, int | None]:
    """[MS-OAUT] 2.2.34. It means something only where the call returns DISP_E_EXCEPTION: 3.1.4.4."""
    told = answered.get("pExcepInfo")
    if not told or answered.get("return_value") != _DISP_E_EXCEPTION:
        return None, None
    scode = told.get("scode") or told.get("wCode")
    return _sentence(bstr_value(told.get("bstrSource")), bstr_value(told.get("bstrDescription"))), scode


def _sentence(source: str | None, description: str | None) -> str | None:
    return ": ".join(one for one in (source, description) if one) or None
