"""[MS-MQQP], the client: what the descriptor of a start must say. One request is enough."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.model import Broken, Level, Party, Rule
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_NOTHING: Final = (0,)
_NAMING: Final = v.LOOKUP_CURRENT | {v.LOOKUP_PEEK_PREV, v.LOOKUP_RECEIVE_PREV}
"""Actions that need a message to begin at; *_NEXT begins at the front of the queue without one."""


def _member(name: str, allowed: Container[int]) -> Callable[[CallStep], Answer]:
    """A member of REMOTEREADDESC, where there is one."""

    def check(step: CallStep) -> Answer:
        if step.desc is None:
            return None
        number = step.desc.get(name, 0)
        return number in allowed or Broken({name: hexadecimal(number)})

    return check


def _descriptor_present(step: CallStep) -> Answer:
    return step.desc is not None or Broken({"pRemoteReadDesc": "null"})


def _buffer_null(step: CallStep) -> Answer:
    if step.desc is None:
        return None
    buffer = step.desc.get("lpBuffer")
    return buffer is None or Broken({"lpBuffer": f"{buffer.get('size', 0)} bytes"})


def _peek_next_cursor(step: CallStep) -> Answer:
    desc = step.desc
    if desc is None or desc.get("ulAction") != v.PEEK_NEXT:
        return None
    return bool(desc.get("hCursor")) or Broken({"ulAction": "MQ_ACTION_PEEK_NEXT", "hCursor": hexadecimal(0)})


def _lookup_id(step: CallStep) -> Answer:
    action = (step.desc or {}).get("ulAction")
    if action not in _NAMING:
        return None
    return bool(step.request.get("LookupId")) or Broken({"ulAction": v.ACTIONS[action], "LookupId": 0})


def _sequential_id_zero(step: CallStep) -> Answer:
    number = (step.request.get("lpRemoteReadDesc2") or {}).get("SequentialId", 0)
    return number == 0 or Broken({"SequentialId": f"0x{number:x}"})


_client = partial(Rule, document="MS-MQQP", keyword="MUST", party=Party.CLIENT)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqqp-descriptor-present",
        "A start came without a read descriptor",
        section="3.1.4.10, 3.1.4.11",
        requirement="pRemoteReadDesc of REMOTEREADDESC2 is not null: the client fills the members that are its own.",
        level=Level.MEDIUM,
        operations=(v.START2, v.BY_LOOKUP),
        check=_descriptor_present,
    ),
    _client(
        "mqqp-size-zero",
        "A start names a size for a message that it does not bring",
        section="2.2.2.1, 3.2.4.2, 3.2.4.3, 3.2.4.5, 3.2.4.6",
        requirement="dwSize is 0 in requests: only the server sets it.",
        level=Level.LOW,
        operations=v.STARTS,
        check=_member("dwSize", _NOTHING),
    ),
    _client(
        "mqqp-buffer-null",
        "A start brings a buffer",
        section="2.2.2.1, 3.2.4.2, 3.2.4.3, 3.2.4.5, 3.2.4.6",
        requirement="lpBuffer is null in requests: only the server sets it.",
        level=Level.LOW,
        operations=v.STARTS,
        check=_buffer_null,
    ),
    _client(
        "mqqp-action-by-position",
        "A read by position asks for an action of another kind",
        section="3.1.4.1, 3.1.4.10",
        requirement="ulAction is MQ_ACTION_RECEIVE, MQ_ACTION_PEEK_CURRENT or MQ_ACTION_PEEK_NEXT.",
        level=Level.MEDIUM,
        operations=v.BY_POSITION,
        check=_member("ulAction", v.ACTIONS_BY_POSITION),
    ),
    _client(
        "mqqp-action-by-lookup",
        "A read by lookup identifier asks for an action of another kind",
        section="3.1.4.11",
        requirement="ulAction is one of the six MQ_LOOKUP_*.",
        level=Level.MEDIUM,
        operations=(v.BY_LOOKUP,),
        check=_member("ulAction", v.ACTIONS_BY_LOOKUP),
    ),
    _client(
        "mqqp-peek-next-cursor",
        "The next message was asked for without a cursor",
        section="3.1.4.1, 3.1.4.10",
        requirement="MQ_ACTION_PEEK_NEXT comes with an hCursor that is not 0.",
        level=Level.LOW,
        operations=v.BY_POSITION,
        check=_peek_next_cursor,
    ),
    _client(
        "mqqp-lookup-cursor-zero",
        "A read by lookup identifier names a cursor",
        section="3.1.4.11",
        requirement="hCursor is 0 where a message is read by its lookup identifier.",
        level=Level.LOW,
        operations=(v.BY_LOOKUP,),
        check=_member("hCursor", _NOTHING),
    ),
    _client(
        "mqqp-lookup-timeout-zero",
        "A read by lookup identifier names a time to wait",
        section="3.1.4.11",
        requirement="ulTimeout is 0 where a message is read by its lookup identifier.",
        level=Level.LOW,
        operations=(v.BY_LOOKUP,),
        check=_member("ulTimeout", _NOTHING),
    ),
    _client(
        "mqqp-lookup-id",
        "A read by lookup identifier names no message",
        section="3.1.4.11",
        requirement="LookupId is not 0 with MQ_LOOKUP_*_CURRENT and MQ_LOOKUP_*_PREV.",
        keyword="MUST NOT",
        level=Level.LOW,
        operations=(v.BY_LOOKUP,),
        check=_lookup_id,
    ),
    _client(
        "mqqp-sequential-id-zero",
        "A start names a sequential identifier",
        section="3.2.4.2, 3.2.4.3, 3.2.4.5, 3.2.4.6",
        requirement="SequentialId is 0 in the requests of RemoteQMStartReceive2: only the server sets it.",
        level=Level.LOW,
        operations=(v.START2,),
        check=_sequential_id_zero,
    ),
)
