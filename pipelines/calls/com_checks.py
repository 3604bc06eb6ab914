"""Parts of COM calls that say things twice, or must have a form: looked at here, where their bytes are at hand.

What is found is told, not judged: rules decide whose duty it was. Nothing is told of parts that could not be read.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.activation_blob import blob_of
from decoders.dcom.dual_strings import from_ndr
from decoders.dcom.objref import MEOW, Form, parse_objref
from decoders.ndr.model import ObjrefBytes
from decoders.oaut.names import FADF, SF, VT
from decoders.oaut.types import NULL_BSTR
from pipelines.facts.com import Checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoders.dcom.activation_blob import ActivationBlob
    from pipelines.facts.com import About

Raw = dict[str, Any]
MAX_PARTS: Final = 10_000
"""Looked at in a request or an answer."""
MAX_PROBLEMS: Final = 8
"""Told of the parts of one kind."""
_HEAD: Final = struct.Struct("<II16s")
_FORMS: Final = frozenset(form.value for form in Form)
_ITYPEINFO: Final = "00020401-0000-0000-c000-000000000046"
_ACTIVATIONS: Final = frozenset(
    (("IRemoteSCMActivator", "RemoteGetClassObject"), ("IRemoteSCMActivator", "RemoteCreateInstance"))
)
_ASKED_PROPERTIES: Final = ("InstantiationInfo", "ScmRequestInfo", "ServerLocationInfo")
_ANSWERED_PROPERTIES: Final = ("ScmReplyInfo", "PropsOutInfo")
_PROPERTIES: Final = range(1, 11)
"""MIN_ACTPROP_LIMIT to MAX_ACTPROP_LIMIT: [MS-DCOM] 2.2.28.1."""
_FAILED: Final = 0x8000_0000

_Found = dict["tuple[About, bool]", list[str]]


def checked_parts(operation: tuple[str, str], asked: Raw, answered: Raw) -> tuple[Checked, ...]:
    """`operation`: with the name of the interface that declares it."""
    found: _Found = defaultdict(list)
    for values, given in ((asked, False), (answered, True)):
        _walk(values, found, given=given)
    if operation in _ACTIVATIONS:
        _activation(asked.get("pActProperties"), found, _ASKED_PROPERTIES, given=False)
        if answered.get("return_value") == 0:
            _activation(answered.get("ppActProperties"), found, _ANSWERED_PROPERTIES, given=True)
    elif operation == ("IObjectExporter", "ServerAlive2"):
        _resolver_bindings(answered, found)
    elif operation == ("IClassFactory", "CreateInstance"):
        _declared(asked.get("riid"), answered.get("ppUnknown"), found)
    elif operation == ("IDispatch", "GetTypeInfo"):
        _declared(_ITYPEINFO, answered.get("ppTInfo"), found)
    return tuple(
        Checked(about=about, given=given, problems=tuple(problems[:MAX_PROBLEMS]))
        for (about, given), problems in found.items()
    )


def _walk(values: object, found: _Found, *, given: bool) -> None:
    waiting: list[object] = [values]
    left = MAX_PARTS
    while waiting and left:
        left -= 1
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(one[:left])
        elif isinstance(one, dict):
            if "asData" in one:
                found["bstr", given] += _bstr(one)
            elif isinstance(one.get("abData"), bytes):
                found["objref", given] += _objref(one["abData"])
            else:
                if "fFeatures" in one:
                    found["safearray", given] += _safearray(one)
                waiting.extend(one.values())
        elif isinstance(one, ObjrefBytes):
            found["objref", given] += _objref(one)


def _objref(data: bytes) -> Iterator[str]:
    """[MS-DCOM] 2.2.18."""
    if len(data) < _HEAD.size:
        yield f"an OBJREF of {len(data)} bytes"
        return
    signature, flags, iid = _HEAD.unpack_from(data)
    if signature != MEOW:
        yield f"signature {signature:#010x}"
    elif flags not in _FORMS:
        yield f"flags {flags:#x}"
    elif not any(iid):
        yield "iid is null"


def _bstr(blob: Raw) -> Iterator[str]:
    """[MS-OAUT] 2.2.23.1."""
    octets, words = blob.get("cBytes"), blob.get("clSize")
    if octets is not None and words is not None:
        wanted = 0 if octets == NULL_BSTR else (octets + 1) // 2
        if words != wanted:
            yield f"cBytes {octets:#x}, clSize {words}"


_FEATURES: Final[Mapping[int, int]] = {
    SF["SF_BSTR"]: FADF["FADF_BSTR"],
    SF["SF_UNKNOWN"]: FADF["FADF_UNKNOWN"],
    SF["SF_DISPATCH"]: FADF["FADF_DISPATCH"],
    SF["SF_VARIANT"]: FADF["FADF_VARIANT"],
    SF["SF_RECORD"]: FADF["FADF_RECORD"],
    SF["SF_HAVEIID"]: FADF["FADF_HAVEIID"],
}
"""The bit that an sfType cannot do without; others, such as FADF_FIXEDSIZE, say nothing of the elements."""
_SF_OF: Final[Mapping[int, tuple[int, ...]]] = {
    VT[vt]: tuple(SF[one] for one in kinds)
    for vts, kinds in (
        (("VT_I1", "VT_UI1"), ("SF_I1",)),
        (("VT_I2", "VT_UI2", "VT_BOOL"), ("SF_I2",)),
        (("VT_ERROR", "VT_I4", "VT_UI4", "VT_R4", "VT_INT", "VT_UINT"), ("SF_I4",)),
        (("VT_I8", "VT_UI8", "VT_R8", "VT_CY", "VT_DATE"), ("SF_I8",)),
        (("VT_BSTR",), ("SF_BSTR",)),
        (("VT_VARIANT",), ("SF_VARIANT",)),
        (("VT_UNKNOWN",), ("SF_UNKNOWN", "SF_HAVEIID")),
        (("VT_DISPATCH",), ("SF_DISPATCH", "SF_HAVEIID")),
        (("VT_RECORD",), ("SF_RECORD",)),
    )
    for vt in vts
}


def _safearray(array: Raw) -> Iterator[str]:
    """[MS-OAUT] 2.2.30.10: what it says of its elements."""
    features, locks, union = array.get("fFeatures"), array.get("cLocks"), array.get("uArrayStructs")
    kind = union.get("sfType") if isinstance(union, dict) else None
    if features is None or locks is None or kind is None:
        return
    if array.get("cDims") == 0:
        yield "cDims 0"
    wanted = _FEATURES.get(kind)
    if wanted is not None and not features & wanted:
        yield f"sfType {kind:#x}, fFeatures {features:#x}"
    if features & FADF["FADF_HAVEVARTYPE"] and kind not in _SF_OF.get(locks >> 16, (kind,)):
        yield f"sfType {kind:#x}, elements of type {locks >> 16:#x}"


def _activation(pointer: Raw | None, found: _Found, wanted: tuple[str, ...], *, given: bool) -> None:
    data = (pointer or {}).get("abData")
    blob = blob_of(parse_objref(data)) if isinstance(data, bytes) else None
    header = blob.header if blob is not None else None
    if blob is None or not header or header.get("cIfs") is None or header.get("headerSize") is None:
        return
    found["blob", given] += _sizes(header)
    there = {one.name for one in blob.properties}
    found["properties", given] += [f"{name} is missing" for name in wanted if name not in there]
    if given:
        _results(blob, found)


def _sizes(header: Raw) -> Iterator[str]:
    """[MS-DCOM] 2.2.22.1."""
    sizes, total, own = header.get("pSizes") or [], header.get("totalSize"), header["headerSize"]
    if header["cIfs"] not in _PROPERTIES:
        yield f"cIfs {header['cIfs']}"
    if total != own + sum(sizes):
        yield f"totalSize {total}, header and properties {own + sum(sizes)}"


def _results(blob: ActivationBlob, found: _Found) -> None:
    """[MS-DCOM] 2.2.22.2.9: an interface for each result of 0, none for a failure, and the interface asked for."""
    out = blob.value_of("PropsOutInfo") or {}
    results, pointers, iids = (out.get(name) for name in ("phresults", "ppIntfData", "piid"))
    if results is None or pointers is None or iids is None:
        return
    for result, pointer, iid in zip(results, pointers, iids, strict=False):
        code = result & 0xFFFF_FFFF
        found["results", True] += (
            [f"{iid}: result {code:#010x}, {'an' if pointer else 'no'} interface"]
            if (code == 0 and pointer is None) or (code & _FAILED and pointer is not None)
            else []
        )
        if pointer is not None:
            found["objref", True] += _objref(pointer.get("abData") or b"")
            _declared(iid, pointer, found)


def _declared(iid: str | None, pointer: object, found: _Found) -> None:
    """[MS-DCOM] 2.2.18: the iid is that of the parameter's type, or of the argument that iid_is names."""
    data = pointer.get("abData") if isinstance(pointer, dict) else pointer
    if iid is None or not isinstance(data, bytes) or (told := parse_objref(data).iid) is None:
        return
    found["iid", True] += [f"iid {told}, asked for {iid}"] if told != iid else []


def _resolver_bindings(answered: Raw, found: _Found) -> None:
    """[MS-DCOM] 3.1.2.5.1.6."""
    strings = from_ndr(answered.get("ppdsaOrBindings"))
    if strings is not None and answered.get("return_value") == 0:
        found["bindings", True] += [one.address for one in strings.string_bindings if one.endpoint is not None]
