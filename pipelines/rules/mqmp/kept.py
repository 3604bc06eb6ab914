"""[MS-MQMP], the server: a message is received as it was sent, with the defaults of what the sender left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.facts.values import transfer_buffer
from pipelines.rules.model import BOTH, Detected, Level, Party, Rule, Undecided, Watcher
from pipelines.rules.mqmp.transfers import LABEL
from pipelines.rules.plans import unreadable
from pipelines.sessions.memory import Recent
from pipelines.sessions.steps import CallStep
from pipelines.sessions.transactions import unit_of_work

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.facts.model import CallFact, Method
    from pipelines.rules.model import Judged, Settings

Values = dict[str, Any]
_MAX_SENT: Final = 4_096
"""Messages kept in mind; those forgotten are not judged."""
_DEFAULTS: Final[Mapping[str, int]] = {
    "pPriority": 3,
    "pDelivery": 0,
    "pTrace": 0,
    "pAuditing": 0,
    "pClass": 0,
    "pAcknowledge": 0,
    "pApplicationTag": 0,
    "pulPrivLevel": 0,
    "pulBodyType": 0,
}
"""3.1.5.2. Of algorithms nothing is said for a message that uses none."""
_RECOVERABLE: Final = 1
_MARGIN_NS: Final = 600 * v.NANOSECONDS
"""Servers look for messages whose time is over now and then, and the clocks of two captures differ."""
_NO_CORRELATION: Final = {"size": 20, "hex": "00" * 20}
_SIZES: Final = {
    "pBodySize": ("ppBody", "ulBodyBufferSizeInBytes"),
    "pMsgExtensionSize": ("ppMsgExtension", "ulMsgExtensionBufferInBytes"),
    "pulSenderCertLenProp": ("ppSenderCert", "ulSenderCertLen"),
}


class _Sent(NamedTuple):
    call: CallFact
    queue: str
    expected: Values
    lives_ns: int | None
    """How long it may lie there; None: for ever."""


class _SendKept(Watcher):
    def __init__(self, _: Settings) -> None:
        self._sent: Recent[str, _Sent] = Recent(_MAX_SENT)
        self._any = False

    def sees_calls_of(self, method: Method) -> bool:
        return method in v.TRANSFERS

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if not isinstance(step, CallStep) or step.call.method not in v.TRANSFERS:
            return ()
        reason = unreadable(step.call, BOTH)
        receives = step.call.method == v.AC_RECEIVE
        if reason is not None:
            return (Undecided(step, reason),) if receives and self._any else ()
        message = (step.call.message or {}).get("id")
        if not step.succeeded or not message:
            return ()
        if receives:
            return self._received(step, self._sent.get(message))
        self._any = True
        call = slim(step.call) or step.call
        self._sent.put(message, _Sent(call, _queue(step), _expected(step), _lives_ns(step)))
        return ()

    def _received(self, step: CallStep, sent: _Sent | None) -> Iterable[Detected | Undecided | bool]:
        if sent is None:
            return ()
        given = _given(transfer_buffer(step.response))
        wrong = {name: given[name] for name, value in sent.expected.items() if name in given and given[name] != value}
        age_ns = (step.call.answered or step.call.began).ts_ns - sent.call.until.ts_ns
        if sent.lives_ns is not None and age_ns > sent.lives_ns + _MARGIN_NS:
            wrong = {"ulRelativeTimeToLive": f"received after {age_ns // v.NANOSECONDS} s"}
        if not wrong:
            return (True,)
        if not sent.queue or sent.queue != _queue(step):
            # In a journal or a dead-letter queue it has a class of its own, and one queue has many names.
            return (Undecided(step, Reason.OTHERS_NOT_SEEN),)
        name, value = next(iter(wrong.items()))
        shown = {name: value, "should be": sent.expected.get(name, "gone"), "sent by": sent.call.call_uid}
        return (Detected(step, shown),)


def _given(buffer: Values) -> Values:
    """Without a label that the client's buffer cuts."""
    cut = buffer.get(LABEL.room, 0) < buffer.get(LABEL.length, 0)
    return {name: _text(value) for name, value in buffer.items() if name != LABEL.buffer or not cut}


def _text(value: Any) -> Any:  # noqa: ANN401
    """Up to its null character."""
    return value.partition("\0")[0] if isinstance(value, str) else value


def _queue(step: CallStep) -> str:
    if step.call.method == v.QM_SEND:
        return (format_name(step.request.get("pQueueFormat") or {}) or "").casefold()
    session = step.session
    seen = session is not None and session.opened is not None and not step.other_association
    return ((session.queue_name or "") if session is not None and seen else "").casefold()


def _lives_ns(step: CallStep) -> int | None:
    seconds = transfer_buffer(step.request).get("ulRelativeTimeToLive", 0)
    return None if seconds in (0, v.INFINITE) else seconds * v.NANOSECONDS


def _expected(step: CallStep) -> Values:
    """What the server has to make of what the sender left out, and of lengths."""
    asked = transfer_buffer(step.request)
    expected: Values = {name: value for name, value in _DEFAULTS.items() if name not in asked}
    label = _text(asked.get(LABEL.buffer) or "")
    if len(label) < LABEL.most:
        expected[LABEL.buffer] = label
    if "ppCorrelationID" not in asked:
        expected["ppCorrelationID"] = _NO_CORRELATION
    if unit_of_work(asked.get("pUow")) is not None:
        # Priorities do not count in transactions.
        expected = expected | {"pDelivery": _RECOVERABLE}
        expected.pop("pPriority", None)
    if not asked.get("bEncrypted") and not asked.get("pulPrivLevel"):
        sizes = {size: asked.get(length, 0) if name in asked else 0 for size, (name, length) in _SIZES.items()}
        expected |= sizes | ({} if asked.get("ulSignatureSize") else {"pulSignatureSizeProp": 0})
        expected |= {} if asked.get("ulSymmKeysSize") else {"pulSymmKeysSizeProp": 0}
    return expected


RULES: Final = (
    Rule(
        "mqmp-send-kept",
        "A message was received otherwise than it had been sent",
        "MS-MQMP",
        "2.2.3.2, 3.1.5.2, 3.1.5.3",
        "What the sender leaves out has its default; in a transaction a message is recoverable; the label is the one "
        "sent, and body, extension and certificate are as long. After ulRelativeTimeToLive it is thrown away.",
        "MUST",
        Party.SERVER,
        Level.MEDIUM,
        operations=v.TRANSFERS,
        needs=BOTH,
        watch=_SendKept,
        undecidable_when="the two queues are not known to be one: a journal has a copy of its own",
    ),
)
