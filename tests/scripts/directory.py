"""What well-behaved peers say over dscomm and dscomm2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.scripts import ntlm, properties, security
from tests.scripts.identities import opaque
from tests.scripts.recipes import Recipe, World, fails, plain
from tests.scripts.variants import OBJECT, guessed_type, variant
from tests.scripts.words import PORTS, handle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.scripts.stubs import Flat

_QUEUE: Final = 1
_PATH: Final = "hq\\orders"
_MACHINE: Final = "hq"
_OBJECT: Final = handle("orders")
_PATHNAME, _LABEL, _MACHINE_TYPE = 103, 108, 216
_COLUMNS: Final = [101, _PATHNAME]
_NOBODY: Final = "00000000-0000-0000-0000-000000000000"
_PREQ: Final = 4
_TOKEN_ROOM: Final = 4_096
_SIGNATURE: Final = opaque("server signature", 32)
_CHALLENGE: Final = opaque("challenge", 16)
_SIGNED_CHALLENGE: Final = opaque("signed challenge", 64)
_AUTH: Final = {"phServerAuth": handle("A")}
_READING: Final = {**_AUTH, "pdwServerSignatureSize": 128}
_CONTEXT: Final = {"dwContext": 1}
_BY_PATH: Final = {"dwObjectType": _QUEUE, "pwcsPathName": _PATH}
_BY_GUID: Final = {"dwObjectType": _QUEUE, "pGuid": _OBJECT}


def _done(given: Flat, asked: Flat, _: World) -> Flat:
    return {**asked, **given}


def _signed(answer: Callable[[Flat, Flat, World], Flat]) -> Callable[[Flat, Flat, World], Flat]:
    """[MS-MQDS] 3.1.4.2: whatever is read comes with a signature."""

    def response(given: Flat, asked: Flat, world: World) -> Flat:
        signature = given.get("pbServerSignature", b"" if fails(given) else _SIGNATURE)
        signed = {"pbServerSignature": signature, "pdwServerSignatureSize": len(signature)}
        return {**answer({**signed, **given}, asked, world)}

    return response


def _found(given: Flat, asked: Flat, _: World) -> Flat:
    return properties.found(given, asked, OBJECT)


def _reads(where: Flat) -> Recipe:
    return Recipe(
        lambda given, _: {**where, **_READING, **properties.wanted(given, [_PATHNAME])},
        _signed(_found),
        left=properties.VT_NAMES,
        right=properties.VT_NAMES,
    )


def _changes(where: Flat, otherwise: int) -> Recipe:
    return Recipe(
        lambda given, _: {**where, **properties.told(given, OBJECT, [otherwise])}, _done, left=properties.VT_NAMES
    )


def _reads_security(where: Flat) -> Recipe:
    asked = {**where, **_READING, "SecurityInformation": security.ALL, "nLength": security.ROOM}
    return Recipe(lambda given, _: {**asked, **given}, _signed(security.found), right=security.NAMES)


def _changes_security(where: Flat) -> Recipe:
    def request(given: Flat, _: World) -> Flat:
        descriptor = security.given_as(given, "pSecurityDescriptor", "nLength")
        return {**where, "SecurityInformation": security.DACL, **given, **descriptor}

    return Recipe(request, _done, left=security.NAMES)


def _create(given: Flat, _: World) -> Flat:
    path = given.get("pwcsPathName", _PATH)
    told = given if "aProp" in given else {"apVar": [path], **given}
    descriptor = security.given_as(given, "SecurityDescriptor", "dwSDLength")
    return {**_BY_PATH, **descriptor, "pObjGuid": _NOBODY, **properties.told(told, OBJECT, [_PATHNAME])}


def _created(given: Flat, asked: Flat, _: World) -> Flat:
    known = asked["pObjGuid"] if fails(given) or asked["pObjGuid"] is None else _OBJECT
    return {**asked, "pObjGuid": known, **given}


def _begin_lookup(given: Flat, world: World) -> Flat:
    """The structures are lists here: of columns, of [rel, prop, value], of [column, order]."""
    columns = given.get("pColumns", _COLUMNS)
    world.columns = columns or []
    where = _restricted(given.get("pRestriction", [[_PREQ, _LABEL, "orders"]]))
    sort = given.get("pSort")
    return {
        **_AUTH,
        "pwcsContext": None,
        **given,
        "pRestriction": where,
        "pColumns": {"cCol": len(columns), "aCol": columns},
        "pSort": sort and {"cCol": len(sort), "aCol": [{"propColumn": one, "dwOrder": order} for one, order in sort]},
    }


def _restricted(where: list[list[Any]] | None) -> Flat | None:
    if where is None:
        return None
    found = [
        {"rel": rel, "prop": prop, "prval": variant(guessed_type(OBJECT, prop, value), value)}
        for rel, prop, value in where
    ]
    return {"cRes": len(found), "paPropRes": found}


def _looked_up(given: Flat, asked: Flat, world: World) -> Flat:
    """One object more, unless told otherwise."""
    columns = world.columns or _COLUMNS
    objects = -(-len(given.get("pbBuffer", columns)) // len(columns))
    found = [] if fails(given) else properties.values(given, "pbBuffer", OBJECT, columns * objects)
    return {**asked, "dwOutSize": len(found), **given, "pbBuffer": found}


def _validate(given: Flat, _: World) -> Flat:
    token = given.get("pClientBuff", ntlm.negotiate())
    sizes = {"dwClientBuffMaxSize": _TOKEN_ROOM, "dwClientBuffSize": len(token)}
    return {"pguidEnterpriseId": handle("enterprise"), **_CONTEXT, **sizes, "pClientBuff": token, **given}


def _go_on(given: Flat, _: World) -> Flat:
    token = given.get("pServerbuff", ntlm.challenge("CORP", "directory"))
    sizes = {"dwServerBuffSize": len(token), "dwClientBuffMaxSize": _TOKEN_ROOM}
    return {**_CONTEXT, **sizes, "pServerbuff": token, **given}


def _went_on(given: Flat, asked: Flat, _: World) -> Flat:
    # SEC_I_CONTINUE_NEEDED is no failure.
    failed = given.get("return_value", 0) >> 31
    usual = b"" if failed else ntlm.authenticate("alice", "CORP", "BRANCH7", "directory")
    token = given.get("pClientBuff", usual)
    return {**asked, "pClientBuff": token, "pdwClientBuffSize": len(token), **given}


def _challenges(answer: str, size: str, most: str) -> Recipe:
    challenge = {"abChallenge": _CHALLENGE, "dwCallengeSize": len(_CHALLENGE)}
    asked = {**challenge, **_CONTEXT, answer: b"", size: 0, most: 128}

    def response(given: Flat, asked: Flat, _: World) -> Flat:
        signed = given.get(answer, b"" if fails(given) else _SIGNED_CHALLENGE)
        return {**asked, answer: signed, size: len(signed), **given}

    return Recipe(lambda given, _: {**asked, **given}, response)


def _told(name: str, otherwise: str) -> Callable[[Flat, Flat, World], Flat]:
    """A text, and none where the call fails."""
    return _signed(lambda given, asked, _: {**asked, name: None if fails(given) else otherwise, **given})


def _sites(given: Flat, asked: Flat, _: World) -> Flat:
    sites = given.get("ppguidSites", None if fails(given) else [handle("site")])
    return {**asked, "ppguidSites": sites, "pdwNumberOfSites": len(sites or ()), **given}


def _reading(request: Flat, response: Callable[[Flat, Flat, World], Flat]) -> Recipe:
    return Recipe(lambda given, _: {**request, **_READING, **given}, response)


RECIPES: Final[Mapping[str, Recipe]] = {
    "S_DSCreateObject": Recipe(_create, _created, left=security.NAMES | properties.VT_NAMES),
    "S_DSDeleteObject": plain(_BY_PATH),
    "S_DSGetProps": _reads(_BY_PATH),
    "S_DSSetProps": _changes(_BY_PATH, _LABEL),
    "S_DSGetObjectSecurity": _reads_security(_BY_PATH),
    "S_DSSetObjectSecurity": _changes_security(_BY_PATH),
    "S_DSLookupBegin": Recipe(
        _begin_lookup, lambda given, asked, _: {**asked, "pHandle": None if fails(given) else handle("L"), **given}
    ),
    "S_DSLookupNext": Recipe(
        lambda given, _: {"Handle": handle("L"), "dwSize": 16, **_READING, **given},
        _signed(_looked_up),
        right=properties.VT_NAMES,
    ),
    "S_DSLookupEnd": plain({"phContext": handle("L")}, {"phContext": None}),
    "S_DSDeleteObjectGuid": plain(_BY_GUID),
    "S_DSGetPropsGuid": _reads(_BY_GUID),
    "S_DSSetPropsGuid": _changes(_BY_GUID, _LABEL),
    "S_DSGetObjectSecurityGuid": _reads_security(_BY_GUID),
    "S_DSSetObjectSecurityGuid": _changes_security(_BY_GUID),
    "S_DSQMSetMachineProperties": _changes({"pwcsPathName": _MACHINE, **_CONTEXT}, _MACHINE_TYPE),
    "S_DSCreateServersCache": _reading(
        {"pdwIndex": 0, "lplpSiteServers": None}, _told("lplpSiteServers", "hq.example;\\10dc1.example")
    ),
    "S_DSQMGetObjectSecurity": _reads_security({**_BY_GUID, **_CONTEXT}),
    "S_DSValidateServer": Recipe(
        _validate, lambda given, asked, _: {**asked, "pphServerAuth": None if fails(given) else handle("A"), **given}
    ),
    "S_DSCloseServerHandle": plain({"pphServerAuth": handle("A")}, {"pphServerAuth": None}),
    "S_DSGetServerPort": plain({"fIP": 1}, {"return_value": PORTS["dscomm"]}),
    "S_DSQMSetMachinePropertiesSignProc": _challenges("abSignature", "pdwSignatureSize", "dwSignatureMaxSize"),
    "S_DSQMGetObjectSecurityChallengeResponceProc": _challenges(
        "abCallengeResponce", "pdwCallengeResponceSize", "dwCallengeResponceMaxSize"
    ),
    "S_InitSecCtx": Recipe(_go_on, _went_on),
}

MORE_RECIPES: Final[Mapping[str, Recipe]] = {
    "S_DSGetComputerSites": _reading({"pwcsPathName": _MACHINE}, _signed(_sites)),
    "S_DSGetPropsEx": _reads(_BY_PATH),
    "S_DSGetPropsGuidEx": _reads(_BY_GUID),
    "S_DSBeginDeleteNotification": Recipe(
        lambda given, _: {"pwcsPathName": _PATH, **_AUTH, **given},
        lambda given, asked, _: {**asked, "pHandle": None if fails(given) else handle("D"), **given},
    ),
    "S_DSNotifyDelete": plain({"Handle": handle("D")}),
    "S_DSEndDeleteNotification": plain({"pHandle": handle("D")}, {"pHandle": None}),
    "S_DSIsServerGC": plain({}, {"return_value": 1}),
    "S_DSGetGCListInDomain": _reading(
        {"lpwszComputerName": None, "lpwszDomainName": "example"}, _told("lplpwszGCList", "10dc1.example")
    ),
}
"""dscomm2's."""
