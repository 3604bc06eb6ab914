"""Messages in calls to rows of `message_sightings`, and to what facts say of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from decoders.msmq.format_names import format_name
from decoders.msmq.message import (
    Form,
    MessageFacts,
    MessageProblem,
    Section,
    facts_of,
    facts_of_properties,
    from_sections,
    parse_message,
)
from decoders.msmq.message.facts import message_id_text
from decoders.ndr.model import CutBytes
from pipelines.facts import vocabulary as v
from pipelines.facts.values import descriptor
from schemas.tables.messages import CONTENT
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from decoders.msmq.message import Message
    from schemas.tables.message_rows import MessageContent, MessageSaid

Row = dict[str, Any]
Values: TypeAlias = "Mapping[str, Any]"
_MICROSECONDS: Final = 1_000_000


class CarriedMessage(NamedTuple):
    """A message in a call."""

    facts: MessageFacts
    problems: tuple[MessageProblem, ...]
    in_request: bool
    seen_as: str
    size: int
    sha256: str | None
    """Of the packet; None where it is not all there, or came as properties."""
    body: bytes | None


def find_message(interface: str, operation: str, request: Values, response: Values) -> CarriedMessage | None:
    """`payload` members have their bytes. None where the call has no message in it."""
    find = _FINDERS.get((interface, operation))
    return find(request, response) if find else None


def carries_messages(interface: str, operation: str) -> bool:
    return (interface, operation) in _FINDERS


def message_uid(message_id: str | None, call_uid: str) -> str:
    return derived_uid("M", message_id or call_uid)


def summary(seen: CarriedMessage) -> Row:
    """For facts."""
    facts = seen.facts
    return {
        "bytes": seen.size,
        "sha256": seen.sha256,
        "id": facts.message_id,
        "label": facts.label,
        "body_size": facts.body_size,
        "srmp": facts.srmp,
        "destination": facts.destination_queue,
    }


def sighting(seen: CarriedMessage, operation: str, call_uid: str, *, keep_payload: bool) -> MessageSaid:
    """What the message itself says; the call's own columns are added by whoever has the call."""
    facts = seen.facts
    return {
        "call_uid": call_uid,
        "message_uid": message_uid(facts.message_id, call_uid),
        "operation": operation,
        "seen_as": seen.seen_as,
        "message_bytes": seen.size,
        "message_sha256": seen.sha256,
        "sections": facts.sections,
        "complete": facts.complete,
        "message_id": facts.message_id,
        **columns_of(facts),
        "body": seen.body if keep_payload else None,
    }


def columns_of(facts: MessageFacts) -> MessageContent:
    """The columns CONTENT."""
    same = zip(_SAME_NAMES, _same_values(facts), strict=True)
    return cast("MessageContent", dict(same) | {name: column(facts) for name, column in _COLUMNS.items()})


def _sent(facts: MessageFacts) -> int | None:
    return None if facts.sent_time is None else facts.sent_time * _MICROSECONDS


def _transaction(facts: MessageFacts) -> Row | None:
    told = facts.transaction
    if told is None:
        return None
    row = {field.name: getattr(told, field.name) for field in fields(told)}
    return row | {"sequence_id": None if told.sequence_id is None else Decimal(told.sequence_id)}


_COLUMNS: Final[Mapping[str, Callable[[MessageFacts], object]]] = {
    "message_class": lambda facts: facts.message_class_name,
    "sent_ts": _sent,
    "body_type": lambda facts: facts.body_type_name,
    "destinations": lambda facts: list(facts.destinations) or None,
    "transaction_header": _transaction,
}
_SAME_NAMES: Final = tuple(column.name for column in CONTENT if column.name not in _COLUMNS)
_same_values: Final = attrgetter(*_SAME_NAMES)


def _seen_as(action: int) -> str:
    return "received" if action in v.RECEIVING else "peeked" if action in v.PEEKING else "read"


def _of_packet(message: Message, payloads: Sequence[Values], action: int) -> CarriedMessage:
    header = message.properties_header
    body = header.MessageBody if header else None
    size = sum(one["size"] for one in payloads)
    return CarriedMessage(facts_of(message), message.problems, False, _seen_as(action), size, _sha256(payloads), body)


def _sha256(payloads: Sequence[Values]) -> str | None:
    if len(payloads) == 1 or any(one["sha256"] is None for one in payloads):
        return payloads[0]["sha256"] if len(payloads) == 1 else None
    return hashlib.sha256(b"".join(one["bytes"] for one in payloads)).hexdigest()


def _read_by_qm2qm(request: Values, response: Values) -> CarriedMessage | None:
    told = descriptor(response) or {}
    payload = told.get("lpBuffer")
    packet = _octets(payload)
    if not packet or payload is None:
        return None
    asked = descriptor(request) or told
    return _of_packet(parse_message(packet, Form.MQQP), [payload], asked.get("ulAction") or 0)


def _read_by_remote_read(request: Values, response: Values) -> CarriedMessage | None:
    told = [one for one in response.get("ppPacketSections") or () if one is not None]
    payloads = [one["pSectionBuffer"] for one in told if _octets(one.get("pSectionBuffer"))]
    if not payloads:
        return None
    sections = [
        Section(one.get("SectionBufferType") or 0, one.get("SectionSizeAlloc") or 0, _octets(one.get("pSectionBuffer")))
        for one in told
    ]
    return _of_packet(from_sections(sections), payloads, request.get("ulAction") or 0)


@dataclass(frozen=True, slots=True)
class _ByProperties:
    """CACTransferBufferV2."""

    in_request: bool

    def __call__(self, request: Values, response: Values) -> CarriedMessage | None:
        buffer = (request if self.in_request else response).get("ptb")
        if not buffer or (not self.in_request and response.get("return_value") != v.MQ_OK):
            return None
        body = _octets((buffer.get("old") or {}).get("ppBody"))
        facts = facts_of_properties({**buffer, "old": {**(buffer.get("old") or {}), "ppBody": body}})
        if self.in_request:
            facts = _addressed(_with_id(facts, response.get("pMessageID")), request.get("pQueueFormat"))
            seen_as = "sent"
        else:
            action = (((request.get("ptb") or {}).get("old") or {}).get("Receive") or {}).get("Action") or 0
            seen_as = _seen_as(action)
        size = facts.body_size if facts.body_size is not None else len(body or b"")
        return CarriedMessage(facts, (), self.in_request, seen_as, size, None, body and body[:size])


def _with_id(facts: MessageFacts, told: Values | None) -> MessageFacts:
    """[MS-MQMP] 3.1.5.2: the server answers the id that it gave the message."""
    if not told or told.get("Lineage") is None:
        return facts
    return replace(facts, message_id=message_id_text(told["Lineage"], told.get("Uniquifier") or 0))


def _addressed(facts: MessageFacts, queue_format: Values | None) -> MessageFacts:
    """[MS-MQMP] 3.1.5.1: a message sent without opening the queue names it beside the buffer."""
    return facts if not queue_format else replace(facts, destination_queue=format_name(queue_format))


def _octets(payload: Values | None) -> bytes | None:
    """Of a payload column: CutBytes where bytes are missing at its end."""
    if not payload or payload.get("bytes") is None:
        return None
    data: bytes = payload["bytes"]
    return data if payload.get("sha256") is not None else CutBytes(data)


_FINDERS: Final[Mapping[tuple[str, str], Callable[[Values, Values], CarriedMessage | None]]] = {
    **dict.fromkeys(v.STARTS, _read_by_qm2qm),
    **dict.fromkeys(v.REMOTE_STARTS, _read_by_remote_read),
    v.QM_SEND: _ByProperties(in_request=True),
    v.AC_SEND: _ByProperties(in_request=True),
    v.AC_RECEIVE: _ByProperties(in_request=False),
}
