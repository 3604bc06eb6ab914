"""What there is to know of a message, whatever it came as: packet_facts and property_facts find it out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from decoders.msmq.message import names
from decoders.ndr.layout import GUID_BYTES
from decoders.ndr.model import CutBytes
from decoders.ndr.texts import guid_text

_IDENTIFIER_BYTES: Final = 20


@dataclass(frozen=True, slots=True)
class TransactionFacts:
    sequence_id: int | None = None
    sequence_number: int | None = None
    previous_number: int | None = None
    first: bool | None = None
    last: bool | None = None
    index: int | None = None
    """The sender's own number of the transaction."""
    unit_of_work: str | None = None
    """16 bytes in hexadecimal."""


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """None is what the message does not say, or what was not reached."""

    complete: bool
    """The whole message is here; otherwise a part of its body, or more, was not sent or not captured."""
    sections: int | None = None
    """RemoteRead's, in which it came."""
    message_id: str | None = None
    r"""`{guid}\ordinal`."""
    message_class: int | None = None
    message_class_name: str | None = None
    label: str | None = None
    priority: int | None = None
    delivery: str | None = None
    sent_time: int | None = None
    """Unix seconds."""
    time_to_reach_queue: int | None = None
    """Seconds from sent_time on; INFINITE for ever."""
    time_to_be_received: int | None = None
    """Seconds from sent_time on; INFINITE for ever."""
    destination_queue: str | None = None
    admin_queue: str | None = None
    response_queue: str | None = None
    destinations: tuple[str, ...] = ()
    """All that the message was sent to, where these are several."""
    connector_type: str | None = None
    correlation_id: str | None = None
    """20 bytes in hexadecimal; None where they are zero."""
    acknowledged_message_id: str | None = None
    """The same as a message_id, where the message acknowledges another one."""
    body_type: int | None = None
    body_type_name: str | None = None
    body_size: int | None = None
    body_sha256: str | None = None
    """None where a part of the body is not here. Of an encrypted body that of the encrypted bytes."""
    extension_size: int | None = None
    application_tag: int | None = None
    acknowledge: tuple[str, ...] | None = None
    """The acknowledgments asked for."""
    journaling: tuple[str, ...] | None = None
    tracing: bool | None = None
    sender_id_type: str | None = None
    sender_id: str | None = None
    """The sender's SID, or a queue manager's GUID."""
    signature_size: int | None = None
    certificate_size: int | None = None
    privacy_level: str | None = None
    encryption_algorithm: str | None = None
    body_encrypted: bool | None = None
    hash_algorithm: str | None = None
    provider_name: str | None = None
    transaction: TransactionFacts | None = None
    source_qm: str | None = None
    hop_count: int | None = None
    soap: bool | None = None
    srmp: bool | None = None
    """It came over HTTP."""
    subqueue: str | None = None
    abort_count: int | None = None
    move_count: int | None = None
    came_from: str | None = None
    """The address the queue's host received it from."""
    dead_letter_queue: str | None = None


def message_id_text(manager: str, ordinal: int) -> str:
    return f"{{{manager}}}\\{ordinal}"


def correlation_facts(raw: bytes, message_class: int | None) -> dict[str, Any]:
    if not any(raw):
        return {}
    facts: dict[str, Any] = {"correlation_id": raw.hex()}
    if message_class is not None and names.acknowledges(message_class) and len(raw) == _IDENTIFIER_BYTES:
        ordinal = int.from_bytes(raw[GUID_BYTES:], "little")
        facts["acknowledged_message_id"] = message_id_text(guid_text(raw[:GUID_BYTES], "<"), ordinal)
    return facts


def sha256(body: bytes | None) -> str | None:
    return None if body is None or isinstance(body, CutBytes) else hashlib.sha256(body).hexdigest()
