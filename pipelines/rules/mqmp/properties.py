"""[MS-MQMP] 3.1.1.12: properties of private queues, which of them a method takes, and of which type they are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from decoders.msmq.directory_properties import DIRECTORY_PROPERTIES
from decoders.msmq.variants import vt_name, vt_number
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.mqmp.objects import wrong_object
from pipelines.rules.mqmp.wrong import kept_unless
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipelines.rules.model import Answer
    from pipelines.rules.mqmp.wrong import Wrong
    from pipelines.sessions.steps import CallStep

Variant = dict[str, Any]
_VT_NULL: Final = vt_number("VT_NULL")
_NOTHING: Final = (_VT_NULL, vt_number("VT_EMPTY"))
_COUNTS: Final = range(1, 129)
_SETTABLE: Final = frozenset((102, *range(104, 109), 111, 112, 125))
_ALLOWED: Final = {
    v.CREATE_OBJECT: _SETTABLE | {103, 113},
    v.SET_PROPERTIES: _SETTABLE,
    v.GET_PROPERTIES: frozenset((*range(101, 114), 124, 125, 126)),
}
_OF_QUEUES: Final = range(101, 200)
"""Identifiers of queues: those of other objects begin at 201."""
_MAY_LACK: Final = frozenset((101, 124, 125, 126))
"""Identifier, DNS name, multicast address and directory path: not every private queue has them."""
_WITH_PROPERTIES: Final = tuple(_ALLOWED)
_MQ_ERROR_PROPERTY: Final = 0xC00E_0002
_MQ_ERROR_ILLEGAL_PROPERTY_VT: Final = 0xC00E_0019
_SERVER_2008_R2: Final = (6, 1, 0)


def _named(step: CallStep) -> list[int]:
    named: list[int] = step.request.get("aProp", [])
    return named


def wrong_count(step: CallStep) -> Wrong:
    count, named, values = step.request.get("cp", 0), _named(step), step.request.get("apVar", [])
    if count not in _COUNTS:
        return {"cp": count}
    if not count == len(named) == len(values):
        return {"cp": count, "aProp": f"{len(named)} elements", "apVar": f"{len(values)} elements"}
    return None


def wrong_properties(step: CallStep) -> Wrong:
    if (wrong := wrong_count(step)) is not None:
        return wrong
    unfit = next((one for one in _named(step) if one not in _ALLOWED[step.call.method]), None)
    return None if unfit is None else {"aProp": _name(unfit)}


def no_properties(step: CallStep) -> Wrong:
    """As a server has to notice it: by 3.1.4.5 and those after it each is in the table of [MS-MQMQ] 2.3.1."""
    if (wrong := wrong_count(step)) is not None:
        return wrong
    unfit = next((one for one in _named(step) if one not in _OF_QUEUES), None)
    return None if unfit is None else {"aProp": _name(unfit)}


def _typed(named: Iterable[int], values: Iterable[Variant]) -> Iterator[tuple[int, int, int]]:
    """Each known property with the type that it has and the one that it came with."""
    for propid, value in zip(named, values, strict=False):
        known = DIRECTORY_PROPERTIES.get(propid)
        if known is not None:
            yield propid, known.vt, value.get("vt", 0)


def _wrong_type(step: CallStep) -> Wrong:
    asking = step.call.method == v.GET_PROPERTIES
    for propid, wanted, given in _typed(_named(step), step.request.get("apVar", [])):
        if given != wanted and not (asking and given == _VT_NULL):
            return {"property": _name(propid), "type": vt_name(given)}
    return None


def _property_answer(step: CallStep) -> Answer:
    if not step.succeeded or wrong_properties(step) is not None:
        return None
    named, values = _named(step), step.response.get("apVar", [])
    if len(named) != len(values):
        return Broken({"cp": len(named), "apVar": f"{len(values)} elements"})
    for propid, wanted, given in _typed(named, values):
        if given != wanted and not (propid in _MAY_LACK and given in _NOTHING):
            return Broken({"property": _name(propid), "type": vt_name(given)})
    return True


def _error_property_type(step: CallStep) -> Answer:
    wrong = _wrong_type(step)
    if wrong is None or wrong_properties(step) is not None or wrong_object(step) is not None:
        return None
    if step.code == _MQ_ERROR_PROPERTY:
        return True
    if step.code == _MQ_ERROR_ILLEGAL_PROPERTY_VT:
        if step.server_version is None:
            return Reason.SERVER_VERSION_UNKNOWN
        if step.server_version < _SERVER_2008_R2:
            return None
        if step.call.method == v.GET_PROPERTIES:
            # Note <37> has it among the answers of every server.
            return Reason.TEXTS_CONTRADICT
    elif not step.succeeded:
        # Any other error may be about something else: the queue, the caller, a server that supports no clients.
        return None
    return Broken({**wrong, "answer": code_shown(step.code)})


def _name(propid: int) -> str:
    known = DIRECTORY_PROPERTIES.get(propid)
    return str(propid) if known is None else known.name


_rule = partial(Rule, document="MS-MQMP", level=Level.LOW)

RULES: Final[tuple[Rule, ...]] = (
    _rule(
        "mqmp-properties-allowed",
        "A property was named that the method does not take",
        section="3.1.1.12, 3.1.4.5, 3.1.4.9, 3.1.4.10, 3.2.4.1, 3.2.4.5, 3.2.4.6",
        requirement="aProp and apVar have cp elements, 1 to 128, and each property is one that the table has for "
        "creating, asking or changing.",
        keyword="MUST NOT",
        party=Party.CLIENT,
        operations=_WITH_PROPERTIES,
        needs=REQUEST,
        check=kept_unless(wrong_properties),
    ),
    _rule(
        "mqmp-property-type",
        "A value has another type than its property",
        section="3.1.4.5, 3.1.4.9, 3.1.4.10, 3.2.4.6",
        requirement="Each value has the type of its property; who asks may send VT_NULL.",
        keyword="MUST",
        party=Party.CLIENT,
        operations=_WITH_PROPERTIES,
        needs=REQUEST,
        check=kept_unless(_wrong_type),
    ),
    _rule(
        "mqmp-property-answer",
        "A property came back with another type than its own",
        section="3.1.4.9",
        requirement="With MQ_OK there is a value for each property, of its type; what not every queue has may be null.",
        keyword="MUST",
        party=Party.SERVER,
        operations=(v.GET_PROPERTIES,),
        needs=BOTH,
        check=_property_answer,
    ),
    _rule(
        "mqmp-error-property-type",
        "A value of a wrong type got another answer than MQ_ERROR_PROPERTY",
        section="3.1.4.9, 3.1.4.10",
        requirement="A value of another type than its property's is answered with MQ_ERROR_PROPERTY; by note <36> and "
        "note <39> servers up to Windows Server 2008 answer MQ_ERROR_ILLEGAL_PROPERTY_VT.",
        keyword="SHOULD",
        party=Party.SERVER,
        operations=(v.GET_PROPERTIES, v.SET_PROPERTIES),
        needs=BOTH,
        check=_error_property_type,
        undecidable_when="the answer is the older one and the server's version was not seen; or a newer server gives "
        "it to who asks for properties: note <37> lists it for all",
    ),
)
