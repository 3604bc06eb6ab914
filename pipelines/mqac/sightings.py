"""A message from the properties that were put and fetched one by one: the columns CONTENT."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from decoders.msmq.message import MessageFacts, TransactionFacts, names
from decoders.msmq.message.facts import correlation_facts, message_id_text
from decoders.msmq.message.security_header import SENDER_SID, sender_id
from decoders.ndr.layout import GUID_BYTES
from decoders.ndr.texts import guid_text
from pipelines.calls.messages import columns_of, message_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.mqac.objects import Known, MessageState

Row = dict[str, Any]
_ID_BYTES: Final = 20


def content_of(message: MessageState, call_uid: str) -> Row:
    """Of a message that was sent the last values put; of one that was received those that the client fetched."""
    sent = message.read is None or call_uid != message.read.call.call_uid
    properties = {**message.got, **message.put} if sent else message.got
    facts = _facts(properties, complete=_complete(message, properties, sent=sent))
    arrived = properties.get("ArrivedTime")
    return {
        "message_uid": message_uid(facts.message_id, call_uid),
        "message_id": facts.message_id,
        "complete": facts.complete,
        **columns_of(facts),
        "arrived_ts": None if arrived is None else _moment(arrived),
    }


def seen_bytes(message: MessageState) -> tuple[bytes | None, int | None]:
    """The body where it is kept, and its size where it went over the wire."""
    found = message.got.get("Body") if message.read is not None else message.put.get("Body")
    return (None, None) if found is None else (found.value.octets, found.value.size)


def _complete(message: MessageState, properties: Mapping[str, Known], *, sent: bool) -> bool:
    body = properties.get("Body")
    if body is not None:
        return body.value.sha256 is not None
    if sent:
        return message.unseen is None
    length = properties.get("BodyLength")
    return length is not None and length.value.number == 0


def _facts(properties: Mapping[str, Known], *, complete: bool) -> MessageFacts:
    facts = MessageFacts(complete=complete)
    found: Row = {}
    for name, known in properties.items():
        read = _READERS.get(name)
        if read is not None:
            found |= read(known)
    if "correlation" in found:
        found |= correlation_facts(found.pop("correlation"), found.get("message_class"))
    kind, raw = found.get("_sender_kind"), found.pop("_sender", None)
    found.pop("_sender_kind", None)
    if raw is not None:
        found["sender_id"] = sender_id(SENDER_SID if kind is None else kind, raw)
    transaction = {name.removeprefix("_of_"): found.pop(name) for name in list(found) if name.startswith("_of_")}
    if any(transaction.values()):
        found["transaction"] = TransactionFacts(**transaction)
    return replace(facts, **found)


def _number(column: str) -> Callable[[Known], Row]:
    def read(known: Known) -> Row:
        number = known.value.number
        return {} if number is None else {column: number & 0xFFFF_FFFF}

    return read


def _text(column: str) -> Callable[[Known], Row]:
    return lambda known: {column: known.text}


def _named(column: str, table: Mapping[int, str]) -> Callable[[Known], Row]:
    def read(known: Known) -> Row:
        number = known.value.number
        return {} if number is None else {column: table.get(number) or f"0x{number & 0xFFFF_FFFF:X}"}

    return read


def _algorithm(column: str, table: Mapping[int, str]) -> Callable[[Known], Row]:
    return lambda known: {column: names.algorithm(table, known.value.number or 0)}


def _set(column: str, table: Mapping[int, str]) -> Callable[[Known], Row]:
    def read(known: Known) -> Row:
        number = known.value.number
        return {} if number is None else {column: names.set_bits(table, number)}

    return read


def _size(column: str) -> Callable[[Known], Row]:
    return lambda known: {column: known.value.size}


def _truth(column: str) -> Callable[[Known], Row]:
    def read(known: Known) -> Row:
        return {} if known.value.number is None else {column: bool(known.value.number)}

    return read


def _queue(column: str) -> Callable[[Known], Row]:
    return lambda known: {column: known.queue.name if known.queue is not None else None}


def _octets(known: Known) -> bytes | None:
    """Of a short array, which stands as text too."""
    size, text = known.value.size, known.text
    if size is None or text is None or len(text) != 2 * size:
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def _id(known: Known) -> Row:
    raw = _octets(known)
    return {} if raw is None or len(raw) != _ID_BYTES else {"message_id": _id_text(raw)}


def _id_text(raw: bytes) -> str:
    return message_id_text(guid_text(raw[:GUID_BYTES], "<"), int.from_bytes(raw[GUID_BYTES:], "little"))


def _correlation(known: Known) -> Row:
    raw = _octets(known)
    return {} if raw is None else {"correlation": raw}


def _class(known: Known) -> Row:
    number = known.value.number
    return {} if number is None else {"message_class": number, "message_class_name": names.class_name(number)}


def _body(known: Known) -> Row:
    value = known.value
    kind = None if value.vt is None else names.body_type_name(value.vt)
    return {"body_type": value.vt, "body_type_name": kind, "body_size": value.size, "body_sha256": value.sha256}


def _length(known: Known) -> Row:
    """A body that was fetched says it itself."""
    return _number("body_size")(known)


def _sent_time(known: Known) -> Row:
    moment = _moment(known)
    return {} if moment is None else {"sent_time": int(moment.timestamp())}


def _moment(known: Known) -> datetime | None:
    """A DATE, which is in UTC."""
    try:
        return datetime.fromisoformat(known.text or "").replace(tzinfo=UTC)
    except ValueError:
        return None


def _sender(known: Known) -> Row:
    raw = _octets(known)
    return {} if raw is None else {"_sender": raw}


def _transaction_id(known: Known) -> Row:
    raw = _octets(known)
    index = int.from_bytes(raw[GUID_BYTES:], "little") if raw is not None and len(raw) == _ID_BYTES else 0
    return {"_of_index": index} if index else {}


def _guid(column: str) -> Callable[[Known], Row]:
    return lambda known: {column: (known.text or "").strip("{}").lower() or None}


_READERS: Final[Mapping[str, Callable[[Known], Row]]] = {
    "Id": _id,
    "Class": _class,
    "MsgClass": _class,
    "Label": _text("label"),
    "Priority": _number("priority"),
    "Delivery": _named("delivery", names.DELIVERY_MODES),
    "SentTime": _sent_time,
    "MaxTimeToReachQueue": _number("time_to_reach_queue"),
    "MaxTimeToReceive": _number("time_to_be_received"),
    "DestinationQueueInfo": _queue("destination_queue"),
    "Destination": _queue("destination_queue"),
    "AdminQueueInfo": _queue("admin_queue"),
    "ResponseQueueInfo": _queue("response_queue"),
    "ResponseDestination": _queue("response_queue"),
    "ConnectorTypeGuid": _guid("connector_type"),
    "CorrelationId": _correlation,
    "BodyLength": _length,
    "Body": _body,
    "Extension": _size("extension_size"),
    "AppSpecific": _number("application_tag"),
    "Ack": _set("acknowledge", names.ACKNOWLEDGMENTS),
    "Journal": _set("journaling", names.JOURNALING),
    "Trace": _truth("tracing"),
    "SenderIdType": lambda known: {
        **_named("sender_id_type", names.SENDER_ID_TYPES)(known),
        "_sender_kind": known.value.number,
    },
    "SenderId": _sender,
    "Signature": _size("signature_size"),
    "SenderCertificate": _size("certificate_size"),
    "PrivLevel": _named("privacy_level", names.PRIVACY_LEVELS),
    "EncryptAlgorithm": _algorithm("encryption_algorithm", names.ENCRYPTION_ALGORITHMS),
    "HashAlgorithm": _algorithm("hash_algorithm", names.HASH_ALGORITHMS),
    "AuthenticationProviderName": _text("provider_name"),
    "TransactionId": _transaction_id,
    "IsFirstInTransaction": _truth("_of_first"),
    "IsFirstInTransaction2": _truth("_of_first"),
    "IsLastInTransaction": _truth("_of_last"),
    "IsLastInTransaction2": _truth("_of_last"),
    "SourceMachineGuid": _guid("source_qm"),
    "SoapEnvelope": lambda known: {"soap": bool(known.text)},
}
"""By property: [MC-MQAC] 3.17.4.1."""
