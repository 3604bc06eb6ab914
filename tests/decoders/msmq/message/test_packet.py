"""What a packet is built from is what is read from it, whichever headers it has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from decoders.msmq.message import Form, Message, parse_message
from tests.builders.messages import (
    Address,
    MessageParts,
    Queue,
    Security,
    Several,
    Trailers,
    build_message,
    direct,
    wide,
)
from tests.decoders.msmq.message.strategies import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Iterable

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"


def parsed(form: Form = Form.MQQP, /, **options: Any) -> Message:  # noqa: ANN401
    return parse_message(build_message(**options), form)


def members(header: object) -> dict[str, Any]:
    assert header is not None
    return {name: getattr(header, name) for name in header.__dataclass_fields__}  # type: ignore[attr-defined]


def queue(header: object, field: str) -> Queue:
    name = getattr(header, field)
    return Queue(name.kind, name.guid, name.number, name.direct)


@given(MESSAGES)
def test_every_header_comes_back(parts: MessageParts) -> None:
    message = parse_message(parts.packet(), Form.MQQP)
    assert message.problems == ()
    assert message.complete
    check_user_header(message, parts)
    check_properties(message, parts)
    check_optional_headers(message, parts)
    check_security(message, parts)
    check_srmp(message, parts)
    check_several(message, parts)
    check_trailers(message, parts)


def check_user_header(message: Message, parts: MessageParts) -> None:
    base, user = message.base_header, message.user_header
    assert base is not None
    assert user is not None
    session = 0 if parts.session is None else 16
    assert base.PacketSize == len(parts.packet()) - session
    assert (base.VersionNumber, base.TimeToReachQueue, base.Flags & 7) == (
        0x10,
        parts.time_to_reach_queue,
        parts.priority,
    )
    assert (user.SourceQueueManager, user.QueueManagerAddress, user.address) == (parts.source, parts.manager, None)
    assert (user.TimeToBeReceived, user.SentTime, user.MessageID, user.ConnectorType) == (
        parts.time_to_be_received,
        parts.sent_time,
        parts.number,
        parts.connector,
    )
    assert queue(user, "DestinationQueue") == parts.destination
    assert queue(user, "AdminQueue") == parts.admin
    assert queue(user, "ResponseQueue") == parts.response


def check_properties(message: Message, parts: MessageParts) -> None:
    assert members(message.properties_header) == {
        "Flags": parts.acknowledge,
        "LabelLength": len(wide(parts.label)) // 2 if parts.label else 0,
        "MessageClass": parts.message_class,
        "CorrelationID": parts.correlation,
        "BodyType": parts.body_type,
        "ApplicationTag": parts.tag,
        "MessageSize": len(parts.body),
        "AllocationBodySize": len(parts.body),
        "PrivacyLevel": parts.privacy,
        "HashAlgorithm": parts.hash_algorithm,
        "EncryptionAlgorithm": parts.encryption,
        "ExtensionSize": len(parts.extension),
        "Label": parts.label,
        "ExtensionData": parts.extension,
        "MessageBody": parts.body,
    }


def check_optional_headers(message: Message, parts: MessageParts) -> None:
    transaction, debug, session = message.transaction_header, message.debug_header, message.session_header
    assert (transaction is None, debug is None, session is None) == (
        parts.transaction is None,
        parts.debug is None,
        parts.session is None,
    )
    if transaction and parts.transaction:
        assert transaction.TxSequenceID == parts.transaction.sequence_id
        assert transaction.TxSequenceNumber == parts.transaction.number
        assert transaction.PreviousTxSequenceNumber == parts.transaction.previous
        assert transaction.ConnectorQMGuid == parts.transaction.connector
    if debug:
        assert debug.QueueIdentifier == (parts.debug or None)
    if session:
        assert tuple(members(session).values()) == parts.session


def check_security(message: Message, parts: MessageParts) -> None:
    header, built = message.security_header, parts.security
    assert (header is None) == (built is None)
    if header and built:
        items = (header.SecurityID, header.EncryptionKey, header.Signature, header.SenderCert)
        assert items == (built.sender, built.key, built.signature, built.certificate)
        provider = None if header.ProviderType is None else (header.ProviderType, header.ProviderName)
        assert provider == built.provider


def check_srmp(message: Message, parts: MessageParts) -> None:
    envelope, compound, soap = message.srmp_envelope_header, message.compound_message_header, message.soap_header
    assert (envelope is None, compound is None) == (parts.srmp is None, parts.srmp is None)
    if envelope and compound and parts.srmp:
        assert envelope.Data == wide(parts.srmp.envelope)
        assert (compound.Data, compound.MsgBodyOffset, compound.MsgBodySize) == (
            parts.srmp.compound,
            parts.srmp.body_at,
            parts.srmp.body_size,
        )
    assert (None if soap is None else (soap.Header, soap.Body)) == (
        None if parts.soap is None else tuple(map(wide, parts.soap))
    )


def spelled(names: Iterable[tuple[Any, ...]]) -> tuple[str, ...]:
    prefixes = {1: "PUBLIC", 2: "PRIVATE", 3: "DIRECT", 6: "DL"}
    return tuple(
        f"{prefixes[kind]}={value}" + "".join(f"\\{each:08x}" for each in number) for kind, value, *number in names
    )


def check_several(message: Message, parts: MessageParts) -> None:
    header, built = message.multi_queue_format_header, parts.several
    assert (header is None) == (built is None)
    if header and built:
        assert header.Destination == spelled(built.destination)
        assert header.Administration == spelled(built.administration)
        assert header.Response == spelled(built.response)
        assert header.Signature == built.signature


def check_trailers(message: Message, parts: MessageParts) -> None:
    built = parts.trailers
    subqueue, dead_letter, address = (
        message.subqueue_header,
        message.dead_letter_header,
        message.extended_address_header,
    )
    if built is None:
        assert (message.extension_header, subqueue, dead_letter, address) == (None, None, None, None)
        return
    assert subqueue is not None
    assert address is not None
    assert (subqueue.SubqueueName, subqueue.TargetSubqueueName) == (built.subqueue, built.target)
    assert (subqueue.AbortCounter, subqueue.MoveCounter) == (built.aborts, built.moves)
    assert subqueue.AcknowledgementClass == built.acknowledgement_class
    assert (dead_letter.DeadLetterPathName if dead_letter else None) == built.dead_letter
    assert address.address.Address == built.address.octets.ljust(16, b"\0")
    assert (address.address.AddressLength, address.address.AddressType, address.address.AddressScope) == (
        built.address.length,
        built.address.kind,
        built.address.scope,
    )


@given(MESSAGES)
def test_both_forms_differ_in_the_second_field_of_a_direct_message_only(parts: MessageParts) -> None:
    packet = parts.packet()
    one, other = (parse_message(packet, form) for form in Form)
    assert one.user_header is not None
    assert other.user_header is not None
    is_direct = parts.destination.kind == 7
    assert (other.user_header.QueueManagerAddress is None) == is_direct
    same = replace(other.user_header, QueueManagerAddress=one.user_header.QueueManagerAddress, address=None)
    assert replace(other, form=Form.MQQP, user_header=same) == one


def test_where_a_direct_message_came_from() -> None:
    message = parsed(Form.MQRR, manager=Address(4, 1, 0, bytes([192, 0, 2, 7])))
    assert message.user_header is not None
    assert message.user_header.QueueManagerAddress is None
    assert message.user_header.address is not None
    assert message.user_header.address.text == "192.0.2.7"


def test_the_body_has_the_room_that_leads_to_the_next_header() -> None:
    """By [MS-MQQB] 3.1.7.1.5 an encrypted body needs more; by [MS-MQMQ] 2.2.19.3 it has MessageSize bytes."""
    roomy: dict[str, Any] = {"body": b"secret", "allocated": 16, "debug": GUID, "trailers": Trailers(subqueue="late")}
    message = parsed(**roomy)
    tight = MessageParts(**(roomy | {"allocated": None})).packet()
    at = tight.index(b"\x06\0\0\0\x06\0\0\0") + 4
    other = parse_message(tight[:at] + b"\x10\0\0\0" + tight[at + 4 :], Form.MQQP)
    for each in (message, other):
        assert each.problems == ()
        assert each.properties_header is not None
        assert (each.properties_header.MessageBody, each.properties_header.AllocationBodySize) == (b"secret", 16)
        assert each.debug_header is not None
        assert each.debug_header.QueueIdentifier == GUID
        assert each.subqueue_header is not None
        assert each.subqueue_header.SubqueueName == "late"


def test_a_session_header_that_was_not_handed_over_is_not_missed() -> None:
    packet = build_message(session=(1, 2, 3, 4, 5, 6))
    message = parse_message(packet[:-16], Form.MQQP)
    assert (message.problems, message.session_header, message.complete) == ((), None, True)


def test_security_data_goes_by_its_sizes() -> None:
    for flags in (0x01, 0x81):
        security = parsed(security=Security(flags=flags, signature=b"sig")).security_header
        assert security is not None
        assert security.Signature == b"sig"


@pytest.mark.parametrize("kind", [3, 5])
def test_a_queue_that_is_not_direct_keeps_its_guid_in_both_forms(kind: int) -> None:
    queues = {3: Queue(3, number=9), 5: Queue(5, guid=GUID)}
    message = parsed(Form.MQRR, destination=queues[kind], manager=GUID)
    assert message.user_header is not None
    assert (message.user_header.QueueManagerAddress, message.user_header.address) == (GUID, None)


def test_names_end_where_their_null_character_is() -> None:
    name = "OS:a\0hidden"
    message = parsed(destination=direct(name))
    assert message.user_header is not None
    assert message.user_header.DestinationQueue is not None
    assert message.user_header.DestinationQueue.direct == "OS:a"
    assert [problem.code for problem in message.problems] == ["message-text"]


def test_lone_surrogates_are_written_out() -> None:
    message = parsed(label="a\ud800b", several=Several(((3, "OS:\udc00"),)))
    assert message.properties_header is not None
    assert message.properties_header.Label == "a\\ud800b"
    assert message.multi_queue_format_header is not None
    assert message.multi_queue_format_header.Destination == ("DIRECT=OS:\\udc00",)
