"""What well-behaved peers say over COM's own interfaces, and hear from objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.ndr.model import ObjrefBytes
from decoders.oaut.building import bstr, byte_array, safearray, variant
from decoders.oaut.names import VT
from decoders.oaut.variant import VT_ARRAY, VT_BYREF
from tests.scripts.activation import OXID, THIS
from tests.scripts.com_parts import IUNKNOWN, NULL, REFERENCE_NAMES, objref, pointer
from tests.scripts.recipes import Recipe, World, fails
from tests.scripts.words import handle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.scripts.stubs import Flat

OF_EVERY_CALL: Final = frozenset(("object", "MajorVersion", "MinorVersion", "flags", "cid"))
"""IPID and ORPCTHIS."""
_E_NOINTERFACE: Final = 0x8000_4002
_IDISPATCH: Final = "00020400-0000-0000-c000-000000000046"
_CONTAINER: Final = "b196b284-bab4-101a-b69c-00aa00341d07"
_ITYPEINFO: Final = "00020401-0000-0000-c000-000000000046"
_BYTES: Final = VT_ARRAY | VT["VT_UI1"]
_TEXTS: Final = VT_ARRAY | VT["VT_BSTR"]
_OF_VALUES: Final = frozenset(("cBytes", "fFeatures"))
"""Beside a value: what a text or an array says of itself, instead of what is so."""


def _on(name: str, request: Flat | Callable[[Flat, World], Flat]) -> Callable[[Flat, World], Flat]:
    """With the header; `name`: of the IPID that it is made on unless the script says another."""

    def asked(given: Flat, world: World) -> Flat:
        flat = request(given, world) if callable(request) else {**request, **given}
        return {**THIS, "object": handle(name), **flat}

    return asked


def reference_to(iid: str, ipid: str, given: Flat, world: World) -> bytes:
    oxid = given.get("oxid", OXID)
    return objref(iid, ipid, (oxid, world.object_number(oxid, [ipid])), given, world.server)


def _one(given: Flat, otherwise: str) -> str | None:
    """IPID that is given."""
    gives = given.get("gives", [handle(otherwise)])
    return gives[0] if gives else None


def _created(given: Flat, asked: Flat, world: World) -> Flat:
    ipid = None if fails(given) else _one(given, "B")
    made = None if ipid is None else pointer(reference_to(asked["riid"], ipid, given, world))
    return {**asked, **given, "ppUnknown": made}


def _described(given: Flat, asked: Flat, world: World) -> Flat:
    ipid = None if fails(given) else _one(given, "T")
    made = None if ipid is None else ObjrefBytes(reference_to(_ITYPEINFO, ipid, given, world))
    return {**asked, **given, "ppTInfo": made}


def _query(given: Flat, _: World) -> Flat:
    iids = given.get("iids", [_CONTAINER])
    return {"ripid": handle("A"), "cRefs": 5, "cIids": len(iids), **given, "iids": iids}


def _queried(given: Flat, asked: Flat, world: World) -> Flat:
    names = given.get("gives", [handle(f"Q{number}") for number, _ in enumerate(asked["iids"])])
    oxid, oid = world.numbers.get(asked["ripid"], (OXID, world.object_number(OXID, [asked["ripid"]])))
    results = []
    for ipid in names:
        std: Flat = {
            "flags": 0,
            "cPublicRefs": 0 if ipid is None else given.get("public", asked["cRefs"]),
            "oxid": 0 if ipid is None else given.get("oxid", oxid),
            "oid": 0 if ipid is None else given.get("oid", oid),
            "ipid": ipid or NULL,
        }
        if ipid is not None:
            world.numbers[ipid] = std["oxid"], std["oid"]
        results.append({"hResult": _E_NOINTERFACE if ipid is None else 0, "std": std})
    refused = _E_NOINTERFACE if None in names else 0
    return {**asked, "return_value": refused, **given, "ppQIResults": None if fails(given) else results}


def _count(given: Flat, _: World) -> Flat:
    refs = given.get("refs", [[handle("A"), 5]])
    wanted = [{"ipid": one[0], "cPublicRefs": one[1], "cPrivateRefs": one[2] if one[2:] else 0} for one in refs]
    return {"cInterfaceRefs": len(wanted), "InterfaceRefs": wanted, **given}


def _counted(given: Flat, asked: Flat, _: World) -> Flat:
    return {**asked, "pResults": [0] * asked["cInterfaceRefs"], **given}


def argument(written: Any, given: Flat, world: World) -> Flat:  # noqa: ANN401
    """Of one argument: "text", number, null, or [vt, value]."""
    match written:
        case None:
            return variant(VT["VT_EMPTY"])
        case str():
            return _variant(VT["VT_BSTR"], written, given, world)
        case [vt, value]:
            return _variant(vt, value, given, world)
    return variant(VT["VT_I4"], written)


def _variant(vt: int, value: Any, given: Flat, world: World) -> Flat:  # noqa: ANN401
    if vt == _BYTES:
        return _array(byte_array(bytes.fromhex(value)), given)
    if vt == _TEXTS:
        return _array(variant(vt, safearray("VT_BSTR", [bstr(one) for one in value])), given)
    if vt == VT_BYREF | VT["VT_VARIANT"]:
        return variant(vt, argument(value, given, world))
    if vt == VT["VT_DISPATCH"] and value is not None:
        return variant(vt, ObjrefBytes(reference_to(_IDISPATCH, value, given, world)))
    if vt & ~VT_BYREF == VT["VT_BSTR"]:
        made = bstr(value)
        return variant(vt, made | {"cBytes": given.get("cBytes", made["cBytes"])})
    return variant(vt, value)


def _array(made: Flat, given: Flat) -> Flat:
    array = made["_varUnion"]["parray"]
    array["fFeatures"] = given.get("fFeatures", array["fFeatures"])
    return made


def _invoke(given: Flat, world: World) -> Flat:
    values = [argument(one, given, world) for one in given.get("rgvarg", [])]
    named = given.get("rgdispidNamedArgs", [])
    references = [argument(one, given, world) for one in given.get("rgVarRef", [])]
    parameters = {
        "rgvarg": values or None,
        "rgdispidNamedArgs": named or None,
        "cArgs": len(values),
        "cNamedArgs": len(named),
    }
    flat = {"dispIdMember": 4, "riid": NULL, "lcid": 1033, "dwFlags": 1, **given}
    places = given.get("rgVarRefIdx", [])
    return {
        **flat,
        "pDispParams": parameters,
        "cVarRef": len(references),
        "rgVarRefIdx": places,
        "rgVarRef": references,
    }


def _invoked(given: Flat, asked: Flat, world: World) -> Flat:
    ipid = _one(given, "") if "gives" in given else None
    result = argument(given.get("pVarResult"), given, world)
    if ipid is not None:
        result = variant(VT["VT_DISPATCH"], ObjrefBytes(reference_to(_IDISPATCH, ipid, given, world)))
    told = {
        "wCode": 0,
        "wReserved": 0,
        **{f"bstr{name}": bstr(None) for name in ("Source", "Description", "HelpFile")},
        **dict.fromkeys(("dwHelpContext", "pvReserved", "pfnDeferredFillIn", "scode"), 0),
    }
    told |= {name: given[name] for name in ("wCode", "scode") if name in given}
    return {**asked, "pArgErr": 0, **given, "pVarResult": result, "pExcepInfo": told}


def _ask_names(given: Flat, _: World) -> Flat:
    names = given.get("rgszNames", ["Open"])
    return {"riid": NULL, "lcid": 1033, **given, "rgszNames": names, "cNames": len(names)}


def _told_names(given: Flat, asked: Flat, _: World) -> Flat:
    numbers = [-1] * asked["cNames"] if fails(given) else [4 + place for place in range(asked["cNames"])]
    return {**asked, "rgDispId": numbers, **given}


def recipe_on(
    on: str,
    request: Flat | Callable[[Flat, World], Flat],
    response: Callable[[Flat, Flat, World], Flat],
    left: frozenset[str] = frozenset(),
    right: frozenset[str] = frozenset(),
) -> Recipe:
    return Recipe(_on(on, request), response, left=OF_EVERY_CALL | left, right=right)


REMOTE_UNKNOWN: Final[Mapping[str, Recipe]] = {
    "RemQueryInterface": recipe_on("RU", _query, _queried, right=REFERENCE_NAMES),
    "RemAddRef": recipe_on("RU", _count, _counted, frozenset(("refs",))),
    "RemRelease": recipe_on("RU", _count, lambda given, asked, _: {**asked, **given}, frozenset(("refs",))),
}
CLASS_FACTORY: Final[Mapping[str, Recipe]] = {
    "CreateInstance": recipe_on("A", {"riid": IUNKNOWN}, _created, right=REFERENCE_NAMES),
}
DISPATCH: Final[Mapping[str, Recipe]] = {
    "GetTypeInfoCount": recipe_on("A", {}, lambda given, asked, _: {**asked, "pctinfo": 1, **given}),
    "GetTypeInfo": recipe_on("A", {"iTInfo": 0, "lcid": 1033}, _described, right=REFERENCE_NAMES),
    "GetIDsOfNames": recipe_on("A", _ask_names, _told_names),
    "Invoke": recipe_on(
        "A",
        _invoke,
        _invoked,
        _OF_VALUES | REFERENCE_NAMES - {"gives"} | {"rgvarg", "rgdispidNamedArgs"},
        REFERENCE_NAMES | _OF_VALUES | {"wCode", "scode"},
    ),
}
