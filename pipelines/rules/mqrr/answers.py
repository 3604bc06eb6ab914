"""[MS-MQRR], the server: what it returns, and what becomes of a message that it gave."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.faults import raised_by_method
from pipelines.rules.model import BOTH, RESPONSE, Broken, Level, Party, Rule
from pipelines.rules.shown import code_shown
from pipelines.rules.starts import answered_in_time, ended_by_cancel, handle_zeroed

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.steps import CallStep

_SEVERITY: Final = 0x8000_0000
_GIVEN: Final = {
    v.REMOTE_OPEN: ("pphContext",),
    v.OPEN_FOR_MOVE: ("pphContext", "pMoveContext"),
    v.REMOTE_CREATE_CURSOR: ("phCursor",),
}
_GONE: Final = frozenset((v.MQ_ERROR_IO_TIMEOUT, v.MQ_ERROR_MESSAGE_ALREADY_RECEIVED, v.MQ_ERROR_MESSAGE_NOT_FOUND))
"""A message that was asked for is not in the queue."""
_ON_MESSAGES: Final = (v.MOVE, v.SET_CLASS)


def _status_kind(step: CallStep) -> Answer:
    status = step.call.status
    if status is None:
        return None
    return status == v.MQ_OK or bool(status & _SEVERITY) or Broken({"return_value": code_shown(status)})


def _no_faults(step: CallStep) -> Answer:
    fault = step.call.fault
    return fault is None or not raised_by_method(fault) or Broken({"fault": code_shown(fault)})


def _handle_given(step: CallStep) -> Answer:
    if not step.succeeded:
        return None
    missing: dict[str, Any] = {
        name: step.response.get(name) or "null" for name in _GIVEN[step.call.method] if not step.response.get(name)
    }
    return not missing or Broken(missing)


def _answer_in_time(step: CallStep) -> Answer:
    return answered_in_time(step, step.request.get("ulTimeout", 0))


def _cancel_ends_start(step: CallStep) -> Answer:
    return ended_by_cancel(step, (v.MQ_ERROR_OPERATION_CANCELLED,))


def _ack_decides(step: CallStep) -> Answer:
    session = step.session
    if session is None:
        return None
    if step.call.method in _ON_MESSAGES:
        return _moved(step, session)
    if step.succeeded:
        return _given(step, session)
    if step.request.get("ulAction") not in v.LOOKUP_CURRENT or step.code not in _GONE:
        return None
    wanted = step.request.get("LookupId", 0) & v.SEQUENTIAL
    acked = session.acked.get(wanted)
    if acked is not None and not acked.transactional:
        return acked.doubt or True
    # Anybody may have received it since it went back.
    return None if session.nacked.get(wanted) is None else Reason.OTHERS_NOT_SEEN


def _given(step: CallStep, session: Session) -> Answer:
    """A message was given: is it one that was acknowledged before, or that was handed back?"""
    sequence_id = step.response.get("pSequenceId", 0)
    acked = session.acked.get(sequence_id)
    if acked is None or acked.end is None or acked.transactional or not _is_same(step, acked):
        # An abort, which is not on this wire, brings back what a transaction took.
        return None if session.nacked.get(sequence_id) is None else True
    return _after_ack(step, session, acked, {"pSequenceId": f"0x{sequence_id:x}"})


def _moved(step: CallStep, session: Session) -> Answer:
    """A message that is gone can neither be moved nor rejected."""
    message = step.request.get("LookupId", 0)
    acked = session.acked.get(message & v.SEQUENTIAL)
    if acked is None or acked.end is None or acked.transactional:
        return None
    if not step.succeeded:
        return acked.doubt or True if step.code in _GONE else None
    return _after_ack(step, session, acked, {"LookupId": f"0x{message:x}", "called": step.call.operation or ""})


def _after_ack(step: CallStep, session: Session, acked: Read, shown: dict[str, str]) -> Answer:
    if session.opened is None or acked.end is None:
        return Reason.OPEN_NOT_SEEN
    if (reason := acked.doubt or step.blind_since(session.opened.until)) is not None:
        return reason
    if acked.end.until >= step.call.began:
        return Reason.TIMES_CROSS
    return Broken({**shown, "acknowledged by": acked.end.call_uid})


def _is_same(step: CallStep, read: Read) -> bool:
    """Sections that were cut otherwise have another digest, so the message's own id comes first."""
    told = step.call.message or {}
    if told.get("id") and read.message_id:
        return bool(told["id"] == read.message_id)
    return bool(told.get("sha256")) and told["sha256"] == read.message_sha256


_server = partial(Rule, document="MS-MQRR", keyword="MUST", party=Party.SERVER)
_RETURNING: Final = (
    "3.1.4.3, 3.1.4.4, 3.1.4.5, 3.1.4.6, 3.1.4.7, 3.1.4.8, 3.1.4.9, 3.1.4.10, 3.1.4.12, 3.1.4.13, 3.1.4.14, 3.1.4.15"
)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqrr-status-kind",
        "A method returned neither MQ_OK nor a failure",
        section=_RETURNING,
        requirement="A method returns MQ_OK or an HRESULT with the severity bit.",
        level=Level.MEDIUM,
        operations=v.REMOTE_RETURNING,
        needs=RESPONSE,
        check=_status_kind,
    ),
    _server(
        "mqrr-no-faults",
        "A method raised an exception instead of returning its error",
        section=f"{_RETURNING}",
        requirement="Only the two opens throw errors of their own; what another fault carries is of the RPC runtime.",
        level=Level.LOW,
        operations=(v.REMOTE_PORT, *v.REMOTE_RETURNING),
        needs=RESPONSE,
        check=_no_faults,
    ),
    _server(
        "mqrr-handle-given",
        "A queue or cursor was opened without a handle",
        section="3.1.4.2, 3.1.4.4, 3.1.4.11",
        requirement="An open returns a handle that is not null, for moves a pMoveContext that is not 0 as well; "
        "a new cursor is not 0, which stands for none.",
        level=Level.MEDIUM,
        operations=tuple(_GIVEN),
        needs=RESPONSE,
        check=_handle_given,
    ),
    _server(
        "mqrr-handle-zeroed",
        "A queue handle that was closed came back",
        section="3.1.4.3",
        requirement="R_CloseQueue that succeeds returns a null handle.",
        level=Level.LOW,
        operations=(v.REMOTE_CLOSE,),
        needs=RESPONSE,
        check=handle_zeroed,
    ),
    _server(
        "mqrr-answer-in-time",
        "A read was answered after its time was over",
        section="3.1.2.1",
        requirement="A read with a time to wait is answered when that time is over, if not before.",
        level=Level.LOW,
        operations=v.REMOTE_STARTS,
        needs=BOTH,
        check=_answer_in_time,
        undecidable_when="bytes are missing meanwhile, or start or answer may have been held up on their way: the "
        "server did not answer, on that connection, something asked after the start and something asked after its time",
    ),
    _server(
        "mqrr-cancel-ends-start",
        "A read went on although the server had accepted its cancel",
        section="3.1.4.8",
        requirement="A read whose cancel succeeds returns MQ_ERROR_OPERATION_CANCELLED.",
        level=Level.LOW,
        operations=v.REMOTE_STARTS,
        needs=BOTH,
        check=_cancel_ends_start,
        undecidable_when="its answer came so soon after the cancel that the two may have crossed",
    ),
    _server(
        "mqrr-ack-decides",
        "A message that had been acknowledged was given again, moved or rejected",
        section="3.1.4.9, 3.1.4.10, 3.1.4.14",
        requirement="After RR_ACK a message is gone: it is not read, moved or rejected any more. After RR_NACK it "
        "stays in the queue and can be read again.",
        level=Level.HIGH,
        operations=(*v.REMOTE_STARTS, *_ON_MESSAGES),
        needs=BOTH,
        check=_ack_decides,
        undecidable_when="the opening was not seen, anything was missed since, or a message handed back cannot be "
        "found: another reader may have it",
    ),
)
