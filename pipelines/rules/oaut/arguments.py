"""[MS-OAUT] 2.2.33, 3.1.4: what a client says when it calls a member by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.oaut.variant import VT_BYREF
from pipelines.facts import vocabulary as v
from pipelines.rules.com_duties import of_client
from pipelines.rules.model import REQUEST, Broken, Level, Subject
from pipelines.rules.shown import hexadecimal
from pipelines.rules.watching import detection

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer

_NULL: Final = "00000000-0000-0000-0000-000000000000"
_PUTS: Final = frozenset((4, 8))
_KINDS: Final = 0xF
_PROPERTY_PUT: Final = -3
_EMPTY: Final = 0


def _parameters(step: ComStep) -> dict[str, Any]:
    found: dict[str, Any] = step.request.get("pDispParams") or {}
    return found


def _riid(step: ComStep) -> Answer:
    riid = step.request.get("riid", _NULL)
    return True if riid == _NULL else Broken({"operation": step.call.operation, "riid": riid})


def _index(step: ComStep) -> Answer:
    index = step.request.get("iTInfo", 0)
    return Broken({"iTInfo": index}) if index else True


def _named(step: ComStep) -> Answer:
    every, named = (_parameters(step).get(name, 0) for name in ("cArgs", "cNamedArgs"))
    return True if named <= every else Broken({"cArgs": every, "cNamedArgs": named})


def _put(step: ComStep) -> Answer:
    """Of a put alone: what flags of several kinds mean is nobody's to say."""
    if step.request.get("dwFlags", 0) & _KINDS not in _PUTS:
        return None
    named = _parameters(step).get("rgdispidNamedArgs") or []
    return True if _PROPERTY_PUT in named else Broken({"rgdispidNamedArgs": ", ".join(map(str, named))})


def _kinds(step: ComStep) -> Answer:
    flags = step.request.get("dwFlags", 0)
    return True if (flags & _KINDS).bit_count() == 1 else Broken({"dwFlags": hexadecimal(flags)})


def _by_reference(step: ComStep) -> Answer:
    values = _parameters(step).get("rgvarg") or []
    references, places = step.request.get("rgVarRef") or [], step.request.get("rgVarRefIdx") or []
    wrong = {f"rgvarg[{place}]": _shown(one) for place, one in enumerate(values) if _type(one) & VT_BYREF}
    wrong |= {f"rgVarRef[{place}]": _shown(one) for place, one in enumerate(references) if not _type(one) & VT_BYREF}
    for place in places:
        if place >= len(values):
            wrong["rgVarRefIdx"] = f"{place} of {len(values)}"
        elif _type(values[place]) != _EMPTY:
            wrong[f"rgvarg[{place}]"] = _shown(values[place])
    return Broken(wrong) if wrong else True


def _type(variant: dict[str, Any] | None) -> int:
    return (variant or {}).get("vt") or 0


def _shown(variant: dict[str, Any] | None) -> str:
    return str((variant or {}).get("type") or _type(variant))


RULES: Final = (
    of_client(
        "oaut-riid-null",
        "A member was asked for or called with a riid",
        document="MS-OAUT",
        section="3.1.4.3, 3.1.4.4",
        requirement="The riid of GetIDsOfNames and Invoke is null.",
        operations=(v.GET_IDS, v.INVOKE),
        needs=REQUEST,
        check=_riid,
    ),
    of_client(
        "oaut-type-info-index",
        "A description was asked for that no object has",
        document="MS-OAUT",
        section="3.1.4.2",
        requirement="iTInfo of GetTypeInfo is 0.",
        operations=(v.GET_TYPE_INFO,),
        needs=REQUEST,
        check=_index,
    ),
    of_client(
        "oaut-named-arguments",
        "A call had more named arguments than arguments",
        document="MS-OAUT",
        section="2.2.33",
        requirement="cNamedArgs is not more than cArgs.",
        operations=(v.INVOKE,),
        needs=REQUEST,
        check=_named,
    ),
    of_client(
        "oaut-put-named",
        "A property was set without naming the argument that has the value",
        document="MS-OAUT",
        section="2.2.32.1",
        requirement="Of a call that sets a property, DISPID_PROPERTYPUT names the argument with the value.",
        operations=(v.INVOKE,),
        needs=REQUEST,
        check=_put,
    ),
    of_client(
        "oaut-by-reference",
        "Arguments by reference were not where they belong",
        document="MS-OAUT",
        section="3.1.4.4.1",
        requirement="Arguments by reference, and no others, are in rgVarRef; their places in rgvarg are VT_EMPTY.",
        operations=(v.INVOKE,),
        needs=REQUEST,
        check=_by_reference,
    ),
    detection(
        "detect-oaut-several-kinds",
        "A member was called as several kinds at once, as PowerShell does",
        document="MS-OAUT",
        section="3.1.4.4",
        requirement="Reported is an Invoke whose dwFlags name none or several of method, get, put and putref. "
        "The document wants one; PowerShell asks for a method or a property, whichever there is.",
        level=Level.INFORMATIONAL,
        subject=Subject.COM,
        operations=(v.INVOKE,),
        needs=REQUEST,
        check=_kinds,
        attack=("T1059.001",),
    ),
)
