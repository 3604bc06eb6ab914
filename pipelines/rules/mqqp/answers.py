"""[MS-MQQP], the server: what it returns, and what becomes of a message that it gave."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, RESPONSE, Broken, Level, Party, Rule
from pipelines.rules.shown import code_shown
from pipelines.rules.starts import answered_in_time, ended_by_cancel, handle_zeroed

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep

_SEVERITY: Final = 0x8000_0000
_SEQUENTIAL: Final = (1 << 56) - 1
_ACTIONS: Final = {
    v.START: v.ACTIONS_BY_POSITION,
    v.START2: v.ACTIONS_BY_POSITION,
    v.BY_LOOKUP: v.ACTIONS_BY_LOOKUP,
}
_CANCELLED: Final = frozenset((v.MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT, v.MQ_ERROR_OPERATION_CANCELLED))
_GONE: Final = frozenset((v.MQ_ERROR_IO_TIMEOUT, 0xC00E_001D, 0xC00E_0088))
"""MQ_ERROR_MESSAGE_ALREADY_RECEIVED, MQ_ERROR_MESSAGE_NOT_FOUND: a message that was asked for is not in the queue."""


def _status_kind(step: CallStep) -> Answer:
    status = step.call.status
    if status is None:
        return None
    if status == v.MQ_OK or status & _SEVERITY:
        return True
    # 3.1.4.6: what a cancel makes of the start that it cancels.
    if status == v.MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT and step.call.method in v.STARTS:
        return True
    return Broken({"return_value": code_shown(status)})


def _known_action(step: CallStep) -> int | None:
    """Of a start; None where the document does not say what it would do."""
    action = (step.desc or {}).get("ulAction")
    return action if action in _ACTIONS[step.call.method] else None


def _read_handle_given(step: CallStep) -> Answer:
    if not step.succeeded or _known_action(step) not in v.RECEIVING:
        return None
    return step.response.get("pphContext") is not None or Broken({"pphContext": "null"})


def _read_handle_withheld(step: CallStep) -> Answer:
    if step.call.status is None:
        return None
    action = _known_action(step)
    if step.succeeded and (action is None or action in v.RECEIVING):
        return None
    handle = step.response.get("pphContext")
    return handle is None or Broken({"pphContext": handle, "return_value": code_shown(step.call.status)})


def _open_handle_given(step: CallStep) -> Answer:
    if not step.succeeded:
        return None
    return step.response.get("phContext") is not None or Broken({"phContext": "null"})


def _answer_in_time(step: CallStep) -> Answer:
    return answered_in_time(step, (step.desc or {}).get("ulTimeout", 0))


def _cancel_ends_start(step: CallStep) -> Answer:
    return ended_by_cancel(step, _CANCELLED)


def _ack_decides(step: CallStep) -> Answer:
    session = step.session
    if session is None:
        return None
    if step.succeeded:
        return _given(step, session)
    if step.call.method != v.BY_LOOKUP or _known_action(step) not in v.LOOKUP_CURRENT or step.code not in _GONE:
        return None
    wanted = step.request.get("LookupId", 0) & _SEQUENTIAL
    if (acked := session.acked.get(wanted)) is not None:
        return acked.doubt or True
    # Anybody may have received it since it went back.
    return None if session.nacked.get(wanted) is None else Reason.OTHERS_NOT_SEEN


def _given(step: CallStep, session: Session) -> Answer:
    """A message was given: is it one that was acknowledged before, or that was handed back?"""
    sequential_id = (step.response.get("lpRemoteReadDesc2") or {}).get("SequentialId", 0)
    digest = ((step.answered_desc or {}).get("lpBuffer") or {}).get("sha256")
    acked = session.acked.get(sequential_id)
    if acked is None or acked.end is None or digest is None or acked.message_sha256 != digest:
        return None if session.nacked.get(sequential_id) is None else True
    if session.opened is None:
        return Reason.OPEN_NOT_SEEN
    if (reason := acked.doubt or step.blind_since(session.opened.until)) is not None:
        return reason
    if acked.end.until >= step.call.began:
        return Reason.TIMES_CROSS
    return Broken({"SequentialId": f"0x{sequential_id:x}", "acknowledged by": acked.end.call_uid})


_server = partial(Rule, document="MS-MQQP", keyword="MUST", party=Party.SERVER)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqqp-status-kind",
        "A method returned neither MQ_OK nor a failure",
        section="3.1.4.1, 3.1.4.2, 3.1.4.3, 3.1.4.4, 3.1.4.5, 3.1.4.6, 3.1.4.7, 3.1.4.10, 3.1.4.11",
        requirement="A method returns MQ_OK or an HRESULT with the severity bit; "
        "a start that was cancelled may also return 0x400E03E9.",
        level=Level.MEDIUM,
        operations=v.RETURNING,
        needs=RESPONSE,
        check=_status_kind,
    ),
    _server(
        "mqqp-read-handle-given",
        "A receive succeeded without a read handle",
        section="3.1.4.1, 3.1.4.10, 3.1.4.11",
        requirement="A receive that succeeds returns a read handle that is not null.",
        level=Level.MEDIUM,
        operations=v.STARTS,
        needs=BOTH,
        check=_read_handle_given,
    ),
    _server(
        "mqqp-read-handle-withheld",
        "A peek or a failed start returned a read handle",
        section="3.1.4.1, 3.1.4.10, 3.1.4.11",
        requirement="Peeks and failed starts return a null read handle.",
        keyword="MUST NOT",
        level=Level.MEDIUM,
        operations=v.STARTS,
        needs=BOTH,
        check=_read_handle_withheld,
    ),
    _server(
        "mqqp-open-handle-given",
        "A queue was opened without a session handle",
        section="3.1.4.3",
        requirement="An open that succeeds returns a session handle that is not null.",
        level=Level.MEDIUM,
        operations=(v.OPEN,),
        needs=RESPONSE,
        check=_open_handle_given,
    ),
    _server(
        "mqqp-handle-zeroed",
        "A handle that was ended or closed came back",
        section="3.1.4.2, 3.1.4.4",
        requirement="RemoteQMEndReceive and RemoteQMCloseQueue that succeed return a null handle.",
        level=Level.LOW,
        operations=(v.END, v.CLOSE),
        needs=RESPONSE,
        check=handle_zeroed,
    ),
    _server(
        "mqqp-answer-in-time",
        "A start was answered after its time was over",
        section="3.1.2",
        requirement="A start by position with a time to wait is answered when that time is over, if not before.",
        level=Level.LOW,
        operations=v.BY_POSITION,
        needs=BOTH,
        check=_answer_in_time,
        settings={"answer_margin_seconds": 10},
        undecidable_when="bytes are missing meanwhile, or start or answer may have been held up on their way: the "
        "server did not answer, on that connection, something asked after the start and something asked after its time",
    ),
    _server(
        "mqqp-cancel-ends-start",
        "A start went on although the server had accepted its cancel",
        section="3.1.4.6",
        requirement="A start whose cancel succeeds returns MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT.",
        level=Level.LOW,
        operations=v.BY_POSITION,
        needs=BOTH,
        check=_cancel_ends_start,
        undecidable_when="the answer and the cancel may have crossed: it came too soon, or elsewhere, where "
        "it may have been held up",
    ),
    _server(
        "mqqp-ack-decides",
        "A message that had been acknowledged was given again",
        section="3.1.4.2",
        requirement="After RR_ACK a message is gone; after RR_NACK it stays in the queue and can be read again.",
        level=Level.HIGH,
        operations=(v.START2, v.BY_LOOKUP),
        needs=BOTH,
        check=_ack_decides,
        undecidable_when="the opening was not seen, anything was missed since, or a message handed back cannot be "
        "found: another reader may have it",
    ),
)
