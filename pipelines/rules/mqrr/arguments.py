"""[MS-MQRR], the client: arguments of opens, ends, moves and enlistments. One request is enough."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from decoders.interfaces import mqmq
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, OPERATION, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.plans import unreadable
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.sessions.transactions import unit_of_work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.facts.model import Method
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_NIL: Final = "00000000-0000-0000-0000-000000000000"
_KINDS: Final = dict(mqmq.QUEUE_FORMAT_TYPE.members)
_KIND_NAMES: Final = {number: name for name, number in mqmq.QUEUE_FORMAT_TYPE.members}
_DIRECT: Final = _KINDS["QUEUE_FORMAT_TYPE_DIRECT"]
QUEUE_KINDS: Final = frozenset(
    _KINDS[f"QUEUE_FORMAT_TYPE_{name}"] for name in ("PUBLIC", "PRIVATE", "DIRECT", "MACHINE", "SUBQUEUE")
)
"""3.1.4.2; what an enlistment names is not limited to them, and 2.2.3 knows UNKNOWN as well."""
_UNKNOWN: Final = _KINDS["QUEUE_FORMAT_TYPE_UNKNOWN"]
_PROTOCOLS: Final = ("TCP:", "OS:")
_BOOLEANS: Final = (0, 1)
SHARE_MODES: Final = (0, 1)
_CLASSES: Final = (0x0000, 0xC004)
_MODES: Final[Mapping[Method, Mapping[str, tuple[int, ...]]]] = {
    v.REMOTE_OPEN: {"dwShareMode": SHARE_MODES},
    v.OPEN_FOR_MOVE: {"dwAccess": (v.MOVE_ACCESS,), "dwShareMode": (0,)},
}
_MOST_TOKEN_BYTES: Final = 131_072


def queue_kind(step: CallStep) -> int | None:
    kind: int | None = (step.request.get("pQueueFormat") or {}).get("m_qft")
    return kind


def _queue_format(step: CallStep) -> Answer:
    kind = queue_kind(step)
    if kind is None:
        return unreadable(step.call, REQUEST) or Reason.NOT_DECODED
    # No arm of the union fits another kind: decoding ends there, and the request is never whole.
    if kind not in QUEUE_KINDS and not (kind == _UNKNOWN and step.call.method == v.ENLIST_REMOTE):
        return Broken({"m_qft": _KIND_NAMES.get(kind, kind)})
    if kind != _DIRECT:
        return True
    if (reason := unreadable(step.call, REQUEST)) is not None:
        return reason
    name = step.request["pQueueFormat"].get("m_pDirectID")
    return str(name).upper().startswith(_PROTOCOLS) or Broken({"m_pDirectID": "null" if name is None else name})


def _open_modes(step: CallStep) -> Answer:
    wrong = {
        name: hexadecimal(number)
        for name, allowed in _MODES[step.call.method].items()
        if (number := step.request.get(name, 0)) not in allowed
    }
    return not wrong or Broken(wrong)


def _client_values(step: CallStep) -> Answer:
    wrong: dict[str, Any] = {
        name: number
        for name in ("fNonRoutingServer", "fWorkgroup")
        if (number := step.request.get(name, 0)) not in _BOOLEANS
    }
    if step.request.get("pClientId", _NIL) == _NIL:
        wrong["pClientId"] = _NIL
    return not wrong or Broken(wrong)


def _ack_value(step: CallStep) -> Answer:
    ack = step.request.get("dwAck", 0)
    return ack in (v.RR_NACK, v.RR_ACK) or Broken({"dwAck": ack})


def _reject_values(step: CallStep) -> Answer:
    message, rejected_as = step.request.get("LookupId", 0), step.request.get("usClass", 0)
    if message and rejected_as in _CLASSES:
        return True
    return Broken({"LookupId": f"0x{message:x}", "usClass": f"0x{rejected_as:04x}"})


def _move_values(step: CallStep) -> Answer:
    message, target = step.request.get("LookupId", 0), step.request.get("ullContextTo", 0)
    return bool(message and target) or Broken({"LookupId": f"0x{message:x}", "ullContextTo": f"0x{target:x}"})


def _move_transaction(step: CallStep) -> Answer:
    transaction = unit_of_work(step.request.get("pTransactionId"))
    if transaction is None:
        return None
    if step.code == v.MQ_ERROR_TRANSACTION_USAGE:
        return Broken({"pTransactionId": transaction, "answer": code_shown(step.code)})
    return True if step.succeeded else None


def _enlist_values(step: CallStep) -> Answer:
    transaction = unit_of_work(step.request.get("pTransactionId"))
    told = step.request.get("cbPropagationToken", 0)
    size = (step.request.get("pbPropagationToken") or {}).get("size", 0)
    if transaction is not None and 0 < size <= _MOST_TOKEN_BYTES and size == told:
        return True
    return Broken({"pTransactionId": transaction or "zero", "cbPropagationToken": told, "token": f"{size} bytes"})


_client = partial(Rule, document="MS-MQRR", keyword="MUST", party=Party.CLIENT, level=Level.LOW)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqrr-queue-format",
        "A queue was named in a way that this protocol does not take",
        section="3.1.4.2, 3.1.4.11, 3.1.4.12",
        requirement="A queue is public, private, direct, a machine or a subqueue; a direct name begins with TCP or OS. "
        "An enlistment may also leave it unknown.",
        operations=(*v.REMOTE_OPENS, v.ENLIST_REMOTE),
        needs=OPERATION,
        check=_queue_format,
        undecidable_when="the request is sealed, or not captured up to that field",
    ),
    _client(
        "mqrr-open-modes",
        "A queue was opened in a mode that there is not",
        section="3.1.4.2, 3.1.4.11",
        requirement="dwShareMode is 0 or 1. To move to a queue it is opened with dwAccess 4 and dwShareMode 0.",
        operations=v.REMOTE_OPENS,
        check=_open_modes,
    ),
    _client(
        "mqrr-client-values",
        "A queue was opened by a client that does not say who or what it is",
        section="3.1.4.2, 3.1.4.11",
        requirement="pClientId is not the nil GUID; fNonRoutingServer and fWorkgroup are 0 or 1.",
        operations=v.REMOTE_OPENS,
        check=_client_values,
    ),
    _client(
        "mqrr-ack-value",
        "A receive was ended neither with RR_ACK nor with RR_NACK",
        section="3.1.4.9, 3.1.4.15",
        requirement="dwAck is 1 (RR_NACK) or 2 (RR_ACK).",
        level=Level.MEDIUM,
        operations=v.REMOTE_ENDS,
        check=_ack_value,
    ),
    _client(
        "mqrr-reject-values",
        "A message was rejected by values that there are not",
        section="3.1.4.14, 3.2.4.5",
        requirement="usClass is 0 or 0xC004, and LookupId names a message.",
        operations=(v.SET_CLASS,),
        check=_reject_values,
    ),
    _client(
        "mqrr-move-values",
        "A move names no message or no destination",
        section="3.1.4.10, 3.2.4.6",
        requirement="LookupId and ullContextTo are not 0.",
        keyword="MUST NOT",
        operations=(v.MOVE,),
        check=_move_values,
    ),
    _client(
        "mqrr-move-transaction",
        "A message was moved in a transaction to a queue that has none",
        section="3.1.4.10, 3.2.4.6",
        requirement="pTransactionId is zero where the destination is not transactional, as the server knows.",
        operations=(v.MOVE,),
        needs=BOTH,
        check=_move_transaction,
    ),
    _client(
        "mqrr-enlist-values",
        "An enlistment came without a transaction",
        section="3.1.4.12, 3.2.4.2",
        requirement="pTransactionId is not zero, and a token of 1 to 131072 bytes tells of it.",
        operations=(v.ENLIST_REMOTE,),
        check=_enlist_values,
    ),
)
