"""What well-behaved peers say to an object resolver and hear from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcom.dual_strings import to_ndr
from tests.scripts.com_parts import REFERENCE_NAMES, bindings, objref, pointer, properties
from tests.scripts.recipes import Recipe, World, fails, plain
from tests.scripts.words import handle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from decoders.dcom.dual_strings import DualStrings
    from tests.scripts.stubs import Flat

EXPORTER_PORT: Final = 49_700
OXID: Final = 0x0A01
CAUSALITY: Final = handle("causality")
_EVENT_SYSTEM: Final = "4e14fba2-2e22-11d1-9964-00c04fbbb345"
"""A class that nobody is reported for."""
_IDISPATCH: Final = "00020400-0000-0000-c000-000000000046"
_ICLASSFACTORY: Final = "00000001-0000-0000-c000-000000000046"
THIS: Final = {"MajorVersion": 5, "MinorVersion": 7, "flags": 0, "reserved1": 0, "cid": CAUSALITY, "extensions": None}
_SET: Final = 0x51


def _activate(*, factory: bool) -> Callable[[Flat, World], Flat]:
    def request(given: Flat, _: World) -> Flat:
        clsid = given.get("class", _EVENT_SYSTEM)
        iids = given.get("iids", [_ICLASSFACTORY if factory else _IDISPATCH])
        version = {"MajorVersion": 5, "MinorVersion": 7}
        asked = {
            "InstantiationInfo": {
                "classId": clsid,
                "classCtx": 16,
                "actvflags": 0,
                "fIsSurrogate": 0,
                "cIID": len(iids),
                "instFlag": 0,
                "pIID": iids,
                "thisSize": 88,
                "clientCOMVersion": version,
            },
            "SecurityInfo": {
                "dwAuthnFlags": 0,
                "pServerInfo": {"dwReserved1": 0, "pwszName": "hq", "pdwReserved": None, "dwReserved2": 0},
                "pdwReserved": None,
            },
            "ServerLocationInfo": {"machineName": None, "processId": 0, "apartmentId": 0, "contextId": 0},
            "ScmRequestInfo": {
                "pdwReserved": None,
                "remoteRequest": {"ClientImpLevel": 2, "cRequestedProtseqs": 1, "pRequestedProtseqs": [7]},
            },
        }
        flat = {**THIS, "flags": 1, "pUnkOuter": None, "pActProperties": properties(asked, given, answered=False)}
        return {**flat, **given, "iids": iids}

    return request


def _activated(given: Flat, asked: Flat, world: World) -> Flat:
    flat = {**asked, "flags": 1, "extensions": None, **given}
    if fails(given):
        return {**flat, "ppActProperties": None}
    gives = given.get("gives", [handle("A")] * len(asked["iids"]))
    where = given.get("oxid", OXID), given.get("oid", world.object_number(given.get("oxid", OXID), gives))
    pointers = [
        None if ipid is None else pointer(objref(iid, ipid, where, given, world.server))
        for iid, ipid in zip(asked["iids"], gives, strict=True)
    ]
    results = given.get("results", [0x8000_4002 if ipid is None else 0 for ipid in gives])
    answered = {
        "PropsOutInfo": {
            "cIfs": len(gives),
            "piid": asked["iids"],
            "phresults": results,
            "ppIntfData": pointers,
        },
        "ScmReplyInfo": {
            "pdwReserved": None,
            "remoteReply": {
                "Oxid": where[0],
                "pdsaOxidBindings": to_ndr(_exporter(given, world)),
                "ipidRemUnknown": given.get("unknown", handle("RU")),
                "authnHint": 5,
                "serverVersion": _version(given),
            },
        },
    }
    return {**flat, "ppActProperties": properties(answered, given, answered=True)}


def _exporter(given: Flat, world: World) -> DualStrings:
    return bindings(f"{given.get('host', world.server)}[{given.get('port', EXPORTER_PORT)}]")


def _version(given: Flat) -> Flat:
    return {"MajorVersion": 5, "MinorVersion": given.get("minor", 7)}


def _resolved(given: Flat, asked: Flat, world: World) -> Flat:
    found = {
        "ppdsaOxidBindings": None if fails(given) else to_ndr(_exporter(given, world)),
        "pipidRemUnknown": given.get("unknown", handle("RU")),
        "pAuthnHint": 5,
        "pComVersion": _version(given),
    }
    return {**asked, **found, **given}


def _alive(given: Flat, _: Flat, world: World) -> Flat:
    told = to_ndr(bindings(given.get("host", world.server)))
    return {"pComVersion": _version(given), "ppdsaOrBindings": told, "pReserved": 0, **given}


def _ping(given: Flat, _: World) -> Flat:
    added, removed = given.get("AddToSet", [0x0B01]), given.get("DelFromSet")
    flat = {"pSetId": 0, "SequenceNum": 1, "cAddToSet": len(added or ()), "cDelFromSet": len(removed or ())}
    return {**flat, "AddToSet": added, "DelFromSet": removed, **given}


def _pinged(given: Flat, asked: Flat, _: World) -> Flat:
    return {**asked, "pSetId": asked["pSetId"] or _SET, "pPingBackoffFactor": 0, **given}


_ASKING: Final = frozenset(("class", "iids", "lacks", "total", "signature"))
_ANSWERING: Final = REFERENCE_NAMES | {"results", "lacks", "total", "minor", "port", "host", "unknown"}
_WHERE: Final = frozenset(("minor", "port", "host", "unknown"))
_ACTIVATIONS: Final = (("RemoteGetClassObject", True), ("RemoteCreateInstance", False))
RECIPES: Final[Mapping[str, Recipe]] = {
    name: Recipe(_activate(factory=factory), _activated, left=_ASKING, right=_ANSWERING)
    for name, factory in _ACTIVATIONS
}
RESOLVER_RECIPES: Final[Mapping[str, Recipe]] = {
    "ResolveOxid2": Recipe(
        lambda given, _: {"pOxid": OXID, "cRequestedProtseqs": 1, "arRequestedProtseqs": [7], **given},
        _resolved,
        right=_WHERE,
    ),
    "SimplePing": plain({"pSetId": _SET}),
    "ComplexPing": Recipe(_ping, _pinged),
    "ServerAlive": plain({}),
    "ServerAlive2": Recipe(lambda given, _: given, _alive, right=frozenset(("minor", "host"))),
}
