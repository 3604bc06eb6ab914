"""[MS-MQRR], the client: queue handles, from where they come and what they are for.

A context handle is valid in the association that it was given in, so who saw all of that knows them all.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.queue_access import opened_here, unopened
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.rules.stale import blameless, closed_here, own, served_after_close

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep

_PARAMETERS: Final = {v.REMOTE_CLOSE: "pphContext", v.MOVE: "phContextFrom"}
NOT_OPEN_CODES: Final = frozenset((v.CONTEXT_MISMATCH, v.MQ_ERROR_INVALID_HANDLE, v.STATUS_INVALID_HANDLE))
"""Only these say that there is no such handle."""
_INTRODUCTION: Final = ("pClientId", "fNonRoutingServer", "Major", "Minor", "BuildNumber", "fWorkgroup")


def parameter(step: CallStep) -> str:
    """The name of the queue handle among the call's arguments."""
    return _PARAMETERS.get(step.call.method, "phContext")


def is_destination(session: Session) -> bool:
    """Opened to move messages to it."""
    return session.move_context is not None


def _null_handle(step: CallStep) -> Answer:
    name = parameter(step)
    return step.request.get(name) is not None or Broken({name: "null"})


def _open_before_use(step: CallStep) -> Answer:
    name = parameter(step)
    handle = step.request.get(name)
    if handle is None:
        return None
    if step.session is not None and own(step, step.session):
        return True if step.session.opened else Reason.OPEN_NOT_SEEN
    if not step.failed or step.code not in NOT_OPEN_CODES:
        return Reason.OPEN_NOT_SEEN
    past = step.past_session
    if (reason := step.association_incomplete() or blameless(step, past)) is not None:
        return reason
    closed = past.closed.call_uid if past is not None and past.closed is not None else None
    return Broken({name: handle, "answer": code_shown(step.code), "closed by": closed})


def _closed_refused(step: CallStep) -> Answer:
    if step.call.method == v.REMOTE_CLOSE_CURSOR and step.session is not None:
        # 3.1.4.5 looks for the cursor among those of the handle, and nowhere else.
        closed = None if opened_here(step) is None or step.cursor_known else step.closed_cursor
        return served_after_close(step, closed, {"hCursor": hexadecimal(step.request.get("hCursor", 0))})
    name = parameter(step)
    return served_after_close(step, closed_here(step), {name: step.request.get(name)})


def _handle_kind(step: CallStep) -> Answer:
    name = parameter(step)
    handle = step.request.get(name)
    if handle is None:
        return None
    if step.misplaced is not None:
        return step.association_incomplete() or Broken({name: handle, "given for": step.misplaced})
    session = opened_here(step)
    if session is None or session.opened is None:
        return unopened(step)
    if step.call.method == v.REMOTE_CLOSE or not is_destination(session):
        return True
    return step.blind_since(session.opened.until) or Broken({name: handle, "given by": v.OPEN_FOR_MOVE})


def _access_permits(step: CallStep) -> Answer:
    session = opened_here(step)
    if session is None or session.opened is None:
        return unopened(step)
    if is_destination(session):
        return None
    action = step.request.get("ulAction", 0)
    starts = step.call.method in v.REMOTE_STARTS
    if session.access == v.RECEIVE_ACCESS:
        return True
    if session.access != v.PEEK_ACCESS or (starts and action not in v.ACTIONS):
        return None
    if step.call.method == v.REMOTE_START and action not in v.RECEIVING:
        return True
    shown: dict[str, Any] = {"dwAccess at open": hexadecimal(session.access), "called": step.call.operation}
    if starts:
        shown["ulAction"] = v.ACTIONS[action]
    return step.blind_since(session.opened.until) or Broken(shown)


def _client_constant(step: CallStep) -> Answer:
    before = step.introduction
    if before is None or before.request is None:
        return None
    first, now = before.request, step.request
    differ = [name for name in _INTRODUCTION if first.get(name) != now.get(name)]
    if not differ:
        return True
    shown = {"before": before.call_uid, **{name: f"{first.get(name)}, now {now.get(name)}" for name in differ}}
    # Another client of that host may have got the number of the association.
    return step.blind_since(before.until) or Broken(shown)


_client = partial(Rule, document="MS-MQRR", keyword="MUST", party=Party.CLIENT, level=Level.MEDIUM)
_EVERY_METHOD: Final = "3.1.4.4, 3.1.4.5, 3.1.4.6, 3.1.4.7, 3.1.4.8, 3.1.4.9, 3.1.4.10, 3.1.4.13, 3.1.4.14, 3.1.4.15"
_SINCE_OPEN: Final = "the opening was not seen, or anything was missed since"

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqrr-null-handle",
        "A call came with a null queue handle",
        section=f"3.1.4.3, {_EVERY_METHOD}",
        requirement="The handle of a queue is not null.",
        keyword="MUST NOT",
        operations=v.REMOTE_HANDLED,
        check=_null_handle,
    ),
    _client(
        "mqrr-open-before-use",
        "A queue handle was used after it was closed",
        section=f"2.2.4, 3.1.4.2, 3.1.4.3, {_EVERY_METHOD}",
        requirement="A queue handle comes from R_OpenQueue or R_OpenQueueForMove and has not been closed.",
        operations=v.REMOTE_HANDLED,
        needs=BOTH,
        check=_open_before_use,
        undecidable_when="the client was not seen to close it: an earlier association may have given it; the server "
        "accepts it, or anything of the association was missed",
    ),
    Rule(
        "mqrr-closed-refused",
        "The server served a queue handle or cursor that had been closed",
        document="MS-MQRR",
        section="3.1.4.3, 3.1.4.4, 3.1.4.5, 3.1.4.6, 3.1.4.7, 3.1.4.8, 3.1.4.13",
        requirement="A handle that R_CloseQueue has closed is known no more: a call with it fails. So does the close "
        "of a cursor that the handle no longer has.",
        keyword="MUST",
        party=Party.SERVER,
        level=Level.HIGH,
        operations=v.REMOTE_HANDLED,
        needs=BOTH,
        check=_closed_refused,
        undecidable_when="the call may have crossed the close, or anything was missed since",
    ),
    _client(
        "mqrr-handle-kind",
        "A handle was used for what it was not given",
        section=f"2.2.4.1, 2.2.4.2, {_EVERY_METHOD}",
        requirement="A handle of R_OpenQueueForMove is for R_CloseQueue only: a destination is named by pMoveContext. "
        "A handle of another interface is for no method of this one.",
        operations=v.REMOTE_HANDLED,
        needs=REQUEST,
        check=_handle_kind,
        undecidable_when=_SINCE_OPEN,
    ),
    _client(
        "mqrr-access-permits",
        "A handle opened for peeking was used to receive, purge, move or reject",
        section="3.1.4.2, 3.1.4.6, 3.1.4.7, 3.1.4.10, 3.1.4.13, 3.1.4.14",
        requirement="With PEEK_ACCESS a handle is for peeks by R_StartReceive; all else wants RECEIVE_ACCESS.",
        operations=(v.REMOTE_PURGE, *v.REMOTE_STARTS, v.MOVE, v.SET_CLASS),
        needs=REQUEST,
        check=_access_permits,
        undecidable_when=_SINCE_OPEN,
    ),
    _client(
        "mqrr-client-constant",
        "A client told two things about itself in one association",
        section="3.1.4.2, 3.1.4.11",
        requirement="pClientId, version, role and domain membership are the client's: the same in all its opens.",
        level=Level.LOW,
        operations=v.REMOTE_OPENS,
        needs=REQUEST,
        check=_client_constant,
        undecidable_when="they differ and anything was missed since they were told",
    ),
)
