"""[MS-MQMP], the client: handles of queues and remote opens, from where they come and what they are for.

A use that the server accepts was begun somewhere: whoever did not see it calls it no violation. A use that the server
refuses is one only if nothing between the two hosts can have been missed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.facts.values import transfer_buffer
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.mqmp.transfers import wrong_transfer
from pipelines.rules.queue_access import access_shown, opened_here, permitted
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.rules.stale import blameless, closed_here, own

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_NAMES: Final = {
    v.CLOSE_REMOTE: "pphContext",
    v.AC_CLOSE: "phQueue",
    v.AC_SET_CURSOR: "hProxy",
    v.COMMIT: "phIntXact",
    v.ABORT: "phIntXact",
}
_RPC_CONTEXT_MISMATCH: Final = 6
_RPC_NULL_CONTEXT: Final = 0x6EF
NOT_OPEN_CODES: Final = frozenset(
    (
        v.CONTEXT_MISMATCH,
        _RPC_CONTEXT_MISMATCH,
        _RPC_NULL_CONTEXT,
        v.MQ_ERROR_INVALID_HANDLE,
        v.MQ_ERROR_INVALID_PARAMETER,
        v.STATUS_INVALID_HANDLE,
    )
)
"""Whatever else a server answers shows that it knew the handle."""
_CLOSED_IS_NONE: Final = frozenset((v.AC_NAME, v.AC_PURGE, v.AC_CREATE_CURSOR, v.AC_SEND))
"""Of these the document says that the handle has not been closed; of closes and cursors only that it was given."""


def parameter(step: CallStep) -> str:
    """The name of the handle among the call's arguments."""
    return _NAMES.get(step.call.method, "hQueue")


def denied(step: CallStep) -> Reason | None:
    """None: the server says that there is no such handle, and none was given out of sight."""
    if not step.failed or step.code not in NOT_OPEN_CODES:
        return Reason.OPEN_NOT_SEEN
    return step.association_incomplete()


def _open_before_use(step: CallStep) -> Answer:
    if step.call.method == v.AC_RECEIVE:
        return _context_open(step)
    name = parameter(step)
    handle = step.request.get(name)
    if handle is None:
        return Broken({name: "null"})
    if step.misplaced is not None:
        return None
    if step.session is not None and own(step, step.session):
        return True if step.session.opened else Reason.OPEN_NOT_SEEN
    if step.call.method not in _CLOSED_IS_NONE and closed_here(step) is not None:
        return None
    shown = {name: handle, "answer": code_shown(step.code)}
    return denied(step) or blameless(step, step.past_session) or Broken(shown)


def _context_open(step: CallStep) -> Answer:
    """By hQMContext: a number, which is valid in every association."""
    if step.session is not None:
        return True if step.session.opened else Reason.OPEN_NOT_SEEN
    receive = transfer_buffer(step.request).get("Receive") or {}
    # The codes are also those of other bad arguments: then they prove nothing.
    if wrong_transfer(step) is not None or receive.get("Cursor"):
        return Reason.OPEN_NOT_SEEN
    shown = {"hQMContext": hexadecimal(step.request.get("hQMContext", 0)), "answer": code_shown(step.code)}
    return denied(step) or step.pair_incomplete() or blameless(step, step.past_session) or Broken(shown)


def _handle_kind(step: CallStep) -> Answer:
    name = parameter(step)
    if step.misplaced is None:
        known = opened_here(step) or step.transaction
        return True if known else None
    return denied(step) or Broken({name: step.request.get(name), "given for": step.misplaced})


def _access_respected(step: CallStep) -> Answer:
    session = opened_here(step)
    if session is None or session.opened is None:
        return None if step.misplaced is not None else Reason.OPEN_NOT_SEEN
    allowed = permitted(step, session)
    if allowed is not False:
        return allowed
    sends = (session.access or 0) & ~v.ADMIN_ACCESS == v.SEND_ACCESS
    if step.call.method != v.AC_SEND and not sends:
        # 3.1.5.3 asks of a receive that the queue was opened to read or peek: the rest is for the server to see to.
        return None
    # A number can be given again.
    return step.blind_since(session.opened.until) or Broken(access_shown(step, session))


def _client_id_constant(step: CallStep) -> Answer:
    before = step.introduction
    if before is None or before.request is None:
        return None
    told, now = before.request.get("pLicGuid"), step.request.get("pLicGuid")
    if told == now:
        return True
    shown = {"pLicGuid before": told, "told by": before.call_uid, "pLicGuid now": now}
    # Another client of that host may have got the number of the association.
    return step.blind_since(before.until) or Broken(shown)


_client = partial(Rule, document="MS-MQMP", keyword="MUST", party=Party.CLIENT, level=Level.MEDIUM)
_ALL_SEEN: Final = "or anything between the two hosts was missed since their association began"

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqmp-open-before-use",
        "A queue was used after it was closed",
        section="2.2.1.1.2, 2.2.1.1.3, 3.1.4.3, 3.1.4.18, 3.1.4.19, 3.1.4.20, 3.1.4.21, 3.1.4.22, 3.1.5.2, 3.1.5.3, "
        "3.1.5.4, 3.2.4.1, 3.2.4.8, 3.2.4.9, 3.2.4.10, 3.2.4.11, 3.2.4.12, 3.2.4.14",
        requirement="A queue is used by the handle or number that rpc_QMOpenQueueInternal gave, a remote open by that "
        "of R_QMOpenRemoteQueue, and not after the close.",
        operations=(v.CLOSE_REMOTE, *v.BY_QUEUE_HANDLE, v.AC_RECEIVE),
        needs=BOTH,
        check=_open_before_use,
        undecidable_when="the client was not seen to close it: an earlier association may have given it; the server "
        f"accepts it, {_ALL_SEEN}",
    ),
    _client(
        "mqmp-handle-kind",
        "A handle was used for something of another kind",
        section="2.2.1.1.2, 2.2.1.1.3, 3.1.4.3, 3.1.4.15, 3.1.4.16, 3.1.4.18, 3.1.4.19, 3.1.4.20, 3.1.4.21, 3.1.4.22, "
        "3.1.5.2, 3.1.5.4, 3.2.4.8, 3.2.4.9",
        requirement="Handles of queues, of remote opens and of transactions are not used for one another.",
        operations=(v.CLOSE_REMOTE, v.COMMIT, v.ABORT, *v.BY_QUEUE_HANDLE),
        needs=BOTH,
        check=_handle_kind,
        undecidable_when=f"the server accepts it, {_ALL_SEEN}",
    ),
    _client(
        "mqmp-access-respected",
        "A queue was used for what it had not been opened for",
        section="3.1.5.2, 3.1.5.3",
        requirement="What is sent to was opened to send; what is received from or peeked at was opened for one of the "
        "two.",
        operations=(v.AC_SEND, v.AC_RECEIVE),
        needs=REQUEST,
        check=_access_respected,
        undecidable_when="the opening was not seen, or anything was missed since",
    ),
    _client(
        "mqmp-client-id-constant",
        "A client changed the identifier that it goes by",
        section="3.2.1.1",
        requirement="pLicGuid stays the same; by note <16> and note <45> it is made at installation.",
        level=Level.INFORMATIONAL,
        operations=v.SUPPORTED_OPENS,
        needs=REQUEST,
        check=_client_id_constant,
        undecidable_when="it differs and anything was missed since it was told",
    ),
)
