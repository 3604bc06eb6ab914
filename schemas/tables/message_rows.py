"""Rows of `message_sightings` and `messages`, and what passes between them."""

from __future__ import annotations

from decimal import Decimal  # noqa: TC003 - whoever asks for the types of a row needs it
from typing import TypedDict

from schemas.shared_columns import ConnectionId  # noqa: TC001 - the same


class TransactionHeader(TypedDict):
    """The column `transaction_header`."""

    sequence_id: Decimal | None
    sequence_number: int | None
    previous_number: int | None
    first: bool | None
    last: bool | None
    index: int | None
    unit_of_work: str | None


class MessageContent(TypedDict):
    """The columns CONTENT."""

    message_class: str | None
    label: str | None
    priority: int | None
    delivery: str | None
    sent_ts: int | None
    time_to_reach_queue: int | None
    time_to_be_received: int | None
    destination_queue: str | None
    admin_queue: str | None
    response_queue: str | None
    destinations: list[str] | None
    connector_type: str | None
    correlation_id: str | None
    acknowledged_message_id: str | None
    body_type: str | None
    body_size: int | None
    body_sha256: str | None
    extension_size: int | None
    application_tag: int | None
    acknowledge: list[str] | None
    journaling: list[str] | None
    tracing: bool | None
    sender_id_type: str | None
    sender_id: str | None
    signature_size: int | None
    certificate_size: int | None
    privacy_level: str | None
    encryption_algorithm: str | None
    body_encrypted: bool | None
    hash_algorithm: str | None
    provider_name: str | None
    transaction_header: TransactionHeader | None
    source_qm: str | None
    hop_count: int | None
    soap: bool | None
    srmp: bool | None
    subqueue: str | None
    abort_count: int | None
    move_count: int | None
    came_from: str | None
    dead_letter_queue: str | None


class MessageSaid(MessageContent):
    """Of a sighting, what the message and the operation that carried it say."""

    call_uid: str
    message_uid: str
    operation: str
    seen_as: str | None
    message_bytes: int | None
    message_sha256: str | None
    sections: int | None
    complete: bool | None
    message_id: str | None
    body: bytes | None


class SightingRow(MessageSaid):
    object_uid: str | None
    doubt: str | None
    ts: int | None
    ts_ns: int | None
    uid: str
    id: ConnectionId
    username: str | None
    domain: str | None
    capture_id: str


class SeenCall(TypedDict):
    """An element of the column `calls`."""

    ts: int | None
    call_uid: str
    uid: str
    operation: str | None
    seen_as: str | None
    orig_h: str
    resp_h: str
    username: str | None
    domain: str | None
    opened_for_username: str | None
    queue_name: str | None
    naming_doubt: str | None
    outcome: str | None


class SeenRow(MessageContent, SeenCall):
    message_uid: str
    message_id: str | None
    ts_ns: int | None
    complete: bool | None


class MessageRow(MessageContent):
    message_uid: str
    message_id: str | None
    first_ts: int | None
    last_ts: int | None
    sightings: int
    calls: list[SeenCall]
    queue_names: list[str]
    bodies: int
    complete: bool | None
