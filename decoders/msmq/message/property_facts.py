"""What a transfer buffer of qmcomm2 says of its message: [MS-MQMP] 2.2.3.2, 2.2.3.3, 3.1.1.11.

A size stands there twice. In a request to send the plain member is the size; in the answer to a receive that is the
size of the client's buffer, and the member with a pointer holds what the message has. What the client does not ask
for, or leaves to the server's defaults, is None.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from decoders.msmq.format_names import format_name
from decoders.msmq.message import names
from decoders.msmq.message.facts import MessageFacts, TransactionFacts, correlation_facts, message_id_text
from decoders.msmq.message.queue_names import NIL
from decoders.msmq.message.security_header import sender_id
from decoders.ndr.model import CutBytes

Values = Mapping[str, Any]

_SEND, _RECEIVE = 0, 1
_SIZES: Final = {
    "body_size": ("ulBodyBufferSizeInBytes", "pBodySize"),
    "extension_size": ("ulMsgExtensionBufferInBytes", "pMsgExtensionSize"),
    "signature_size": ("ulSignatureSize", "pulSignatureSizeProp"),
    "certificate_size": ("ulSenderCertLen", "pulSenderCertLenProp"),
    "sender_id_size": ("uSenderIDLen", "pulSenderIDLenProp"),
    "time_to_reach_queue": ("ulAbsoluteTimeToQueue", "pulRelativeTimeToQueue"),
    "time_to_be_received": ("ulRelativeTimeToLive", "pulRelativeTimeToLive"),
}
"""Of a message that is sent, and of one that is received. The times are relative in both: [MS-MQMP] 2.2.3.2."""
_NUMBERS: Final = {
    "message_class": "pClass",
    "priority": "pPriority",
    "sent_time": "pSentTime",
    "application_tag": "pApplicationTag",
    "body_type": "pulBodyType",
}
_NAMED: Final = {
    "delivery": ("pDelivery", names.DELIVERY_MODES),
    "sender_id_type": ("pulSenderIDType", names.SENDER_ID_TYPES),
    "privacy_level": ("pulPrivLevel", names.PRIVACY_LEVELS_OF_CALLS),
}
_ALGORITHMS: Final = {
    "hash_algorithm": ("pulHashAlg", names.HASH_ALGORITHMS),
    "encryption_algorithm": ("pulEncryptAlg", names.ENCRYPTION_ALGORITHMS),
}
_SETS: Final = {
    "acknowledge": ("pAcknowledge", names.ACKNOWLEDGMENTS),
    "journaling": ("pAuditing", names.JOURNALING),
}
_QUEUES_RECEIVED: Final = {
    "destination_queue": "ppDestFormatName",
    "admin_queue": "ppAdminFormatName",
    "response_queue": "ppResponseFormatName",
}
_QUEUES_SENT: Final = {"admin_queue": "pAdminQueueFormat", "response_queue": "pResponseQueueFormat"}


def facts_of_properties(values: Values) -> MessageFacts:
    """Of a decoded CACTransferBufferV2, in whatever state. The queue a message is sent to stands outside of it."""
    old = _mapping(values.get("old")) or {}
    direction = _RECEIVE if old.get("uTransferType") == _RECEIVE else _SEND
    sizes = {fact: _number(old.get(members[direction])) for fact, members in _SIZES.items()}
    if direction == _SEND and not sizes["time_to_reach_queue"]:
        # [MS-MQMP] 3.1.5.2: the server's default.
        sizes["time_to_reach_queue"] = None
    facts: dict[str, Any] = {fact: _number(old.get(member)) for fact, member in _NUMBERS.items()}
    facts |= {fact: _lookup(table, old.get(member)) for fact, (member, table) in _NAMED.items()}
    for fact, (member, table) in _ALGORITHMS.items():
        facts[fact] = names.algorithm(table, _number(old.get(member)) or 0)
    for fact, (member, table) in _SETS.items():
        number = _number(old.get(member))
        facts[fact] = None if number is None else names.set_bits(table, number)
    facts |= _texts(old) | _identifiers(old) | _queues(old) | _sender(old, sizes.pop("sender_id_size"))
    facts |= sizes | _body(old.get("ppBody"), sizes["body_size"])
    facts["transaction"] = _transaction(values, old)
    return MessageFacts(**facts)


def _texts(old: Values) -> dict[str, Any]:
    number, body_type = _number(old.get("pClass")), _number(old.get("pulBodyType"))
    encrypted, traced = _number(old.get("bEncrypted")), _number(old.get("pTrace"))
    return {
        "message_class_name": None if number is None else names.class_name(number),
        "body_type_name": None if body_type is None else names.body_type_name(body_type),
        "label": _text(old.get("ppTitle")),
        "provider_name": _text(old.get("ppwcsProvName")),
        "body_encrypted": None if encrypted is None else bool(encrypted),
        "tracing": None if traced is None else bool(traced),
    }


def _identifiers(old: Values) -> dict[str, Any]:
    source, connector = old.get("ppSrcQMID"), old.get("ppConnectorType")
    return {
        "message_id": _object_id(old.get("ppMessageID")),
        "source_qm": source if isinstance(source, str) and source != NIL else None,
        "connector_type": connector if isinstance(connector, str) else None,
        **correlation_facts(_octets(old.get("ppCorrelationID")), _number(old.get("pClass"))),
    }


def _queues(old: Values) -> dict[str, Any]:
    sent, received = _mapping(old.get("Send")), _mapping(old.get("Receive"))
    if received:
        return {fact: _text(received.get(member)) or None for fact, member in _QUEUES_RECEIVED.items()}
    formats = {fact: _mapping((sent or {}).get(member)) for fact, member in _QUEUES_SENT.items()}
    return {fact: None if queue is None else format_name(queue) for fact, queue in formats.items()}


def _sender(old: Values, size: int | None) -> dict[str, Any]:
    kind, raw = _number(old.get("pulSenderIDType")), _octets(old.get("ppSenderID"))
    return {"sender_id": sender_id(kind or 0, raw if size is None else raw[:size])}


def _body(body: object, told: int | None) -> dict[str, Any]:
    """`body` is bytes, or their size and hash where those are not kept. A buffer may be larger than its body."""
    if body is None:
        # Not sent, not asked for, or not reached.
        return {"complete": told == 0}
    match body:
        case bytes():
            size, whole = len(body), not isinstance(body, CutBytes)
            digest = hashlib.sha256(body[: size if told is None else told]).hexdigest() if whole else None
        case {"size": int(size), "sha256": str() | None as hashed}:
            whole = hashed is not None
            digest = hashed if told in (None, size) else None
        case _:
            return {"complete": False}
    if told is None:
        told = size if whole else None
    complete = whole and told is not None and size >= told
    return {"body_size": told, "body_sha256": digest if complete else None, "complete": complete}


def _transaction(values: Values, old: Values) -> TransactionFacts | None:
    unit = _octets((_mapping(old.get("pUow")) or {}).get("rgb"))
    first, last = _number(values.get("pbFirstInXact")), _number(values.get("pbLastInXact"))
    identifier = _mapping(values.get("ppXactID")) or {}
    index = _number(identifier.get("Uniquifier"))
    if not (any(unit) or first or last or index):
        return None
    return TransactionFacts(
        first=None if first is None else bool(first),
        last=None if last is None else bool(last),
        index=index,
        unit_of_work=unit.hex() if any(unit) else None,
    )


def _object_id(value: object) -> str | None:
    match value:
        case {"Lineage": str(manager), "Uniquifier": int(ordinal)} if manager != NIL or ordinal:
            return message_id_text(manager, ordinal)
    return None


def _lookup(table: Mapping[int, str], value: object) -> str | None:
    number = _number(value)
    return None if number is None else names.named(table, number, 1)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _octets(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""


def _mapping(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None


def _text(value: object) -> str | None:
    """Buffers may hold anything behind the first null character."""
    return value.partition("\0")[0] if isinstance(value, str) else None
