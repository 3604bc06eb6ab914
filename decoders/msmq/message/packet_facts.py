"""What a packet says of its message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from decoders.msmq.message import names
from decoders.msmq.message.base_header import INFINITE, BaseFlag
from decoders.msmq.message.facts import MessageFacts, TransactionFacts, correlation_facts, message_id_text, sha256
from decoders.msmq.message.layout import bits
from decoders.msmq.message.optional_headers import TransactionFlag
from decoders.msmq.message.queue_names import NIL, QueueNames
from decoders.msmq.message.reader import Form
from decoders.msmq.message.security_header import SecurityFlag
from decoders.msmq.message.user_header import UserFlag

if TYPE_CHECKING:
    from decoders.msmq.message.packet import Message


def facts_of(message: Message) -> MessageFacts:
    facts: dict[str, Any] = {"complete": message.complete}
    if message.form is Form.MQRR:
        facts["sections"] = message.sections
    for part in (_of_base, _of_user, _of_transaction, _of_security, _of_properties, _of_srmp, _of_trailers):
        facts |= part(message)
    return MessageFacts(**facts)


def _of_base(message: Message) -> dict[str, Any]:
    base = message.base_header
    if base is None:
        return {}
    return {
        "priority": bits(base.Flags, BaseFlag.PR),
        "tracing": bool(base.Flags & BaseFlag.TR),
        "time_to_reach_queue": _time_to_reach_queue(message),
    }


def _time_to_reach_queue(message: Message) -> int | None:
    base, user = message.base_header, message.user_header
    if base is None or message.form is Form.MQQP or base.TimeToReachQueue == INFINITE:
        return base.TimeToReachQueue if base else None
    if user is None:
        return None
    # [MS-MQRR] 3.1.4.7 has the server add SentTime, and nothing says that it leaves INFINITE alone.
    relative = (base.TimeToReachQueue - user.SentTime) & INFINITE
    return relative if relative == INFINITE or base.TimeToReachQueue >= user.SentTime else None


def _of_user(message: Message) -> dict[str, Any]:
    user = message.user_header
    if user is None:
        return {}
    queues = QueueNames(
        user.SourceQueueManager,
        user.QueueManagerAddress,
        user.DestinationQueue,
        user.AdminQueue,
        user.ResponseQueue,
    )
    destination, admin, response = queues.format_names()
    journaling = bits(user.Flags, UserFlag.JN) | bits(user.Flags, UserFlag.JP) << 1
    return {
        "message_id": message_id_text(user.SourceQueueManager, user.MessageID),
        "delivery": names.named(names.DELIVERY_MODES, bits(user.Flags, UserFlag.DM), 1),
        "sent_time": user.SentTime,
        "time_to_be_received": user.TimeToBeReceived,
        "destination_queue": destination,
        "admin_queue": admin,
        "response_queue": response,
        "connector_type": user.ConnectorType,
        "journaling": names.set_bits(names.JOURNALING, journaling),
        "source_qm": None if user.SourceQueueManager == NIL else user.SourceQueueManager,
        "hop_count": bits(user.Flags, UserFlag.RC),
        "soap": bool(user.Flags & UserFlag.HH),
        "srmp": bool(user.Flags & UserFlag.AH),
        "came_from": user.address.text if user.address else None,
    }


def _of_transaction(message: Message) -> dict[str, Any]:
    header = message.transaction_header
    if header is None:
        return {}
    transaction = TransactionFacts(
        sequence_id=header.TxSequenceID,
        sequence_number=header.TxSequenceNumber,
        previous_number=header.PreviousTxSequenceNumber,
        first=bool(header.Flags & TransactionFlag.FM),
        last=bool(header.Flags & TransactionFlag.LM),
        index=bits(header.Flags, TransactionFlag.ID),
    )
    return {"transaction": transaction}


def _of_security(message: Message) -> dict[str, Any]:
    user, header = message.user_header, message.security_header
    if header is None:
        if user is None or user.Flags & UserFlag.SH:
            return {}
        return {"sender_id_type": "none", "signature_size": 0, "certificate_size": 0, "body_encrypted": False}
    return {
        "sender_id_type": names.named(names.SENDER_ID_TYPES, bits(header.Flags, SecurityFlag.ST), 1),
        "sender_id": header.sender_id,
        "signature_size": header.SignatureSize,
        "certificate_size": header.SenderCertSize,
        "body_encrypted": bool(header.Flags & SecurityFlag.EB),
        "provider_name": header.ProviderName,
    }


def _of_properties(message: Message) -> dict[str, Any]:
    header = message.properties_header
    if header is None:
        return {}
    return {
        "message_class": header.MessageClass,
        "message_class_name": names.class_name(header.MessageClass),
        "label": header.Label,
        "body_type": header.BodyType,
        "body_type_name": names.body_type_name(header.BodyType),
        "body_size": header.MessageSize,
        "body_sha256": sha256(header.MessageBody),
        "extension_size": header.ExtensionSize,
        "application_tag": header.ApplicationTag,
        "acknowledge": names.set_bits(names.ACKNOWLEDGMENTS, header.Flags),
        "privacy_level": names.named(names.PRIVACY_LEVELS, header.PrivacyLevel, 1),
        "encryption_algorithm": names.algorithm(names.ENCRYPTION_ALGORITHMS, header.EncryptionAlgorithm),
        "hash_algorithm": names.algorithm(names.HASH_ALGORITHMS, header.HashAlgorithm),
        **correlation_facts(header.CorrelationID, header.MessageClass),
    }


def _of_srmp(message: Message) -> dict[str, Any]:
    """The body of a message that came over HTTP is a part of the compound message."""
    user, properties, header = message.user_header, message.properties_header, message.compound_message_header
    if user is None or not user.Flags & UserFlag.AH or (properties is not None and properties.MessageSize):
        return {}
    if header is None:
        return {"body_size": None, "body_sha256": None}
    body = None
    if header.Data is not None and len(header.Data) >= header.MsgBodyOffset + header.MsgBodySize:
        # A slice of CutBytes is whole where it ends in front of the cut.
        body = bytes(header.Data)[header.MsgBodyOffset : header.MsgBodyOffset + header.MsgBodySize]
    return {"body_size": header.MsgBodySize, "body_sha256": sha256(body)}


def _of_trailers(message: Message) -> dict[str, Any]:
    several, subqueue = message.multi_queue_format_header, message.subqueue_header
    dead_letter, extended = message.dead_letter_header, message.extended_address_header
    facts: dict[str, Any] = {}
    if several is not None:
        facts["destinations"] = several.Destination
    if subqueue is not None and subqueue.SubqueueName:
        facts["subqueue"] = subqueue.SubqueueName
        facts["abort_count"] = subqueue.AbortCounter
        facts["move_count"] = subqueue.MoveCounter
    if dead_letter is not None:
        facts["dead_letter_queue"] = dead_letter.DeadLetterPathName
    # The whole address, of which UserHeader may have no more than half.
    if extended is not None and extended.address.text is not None:
        facts["came_from"] = extended.address.text
    return facts
