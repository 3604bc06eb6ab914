"""The only official bytes: [MS-MQQB] 4.1. Where its annotations differ from its bytes the bytes are right."""

from __future__ import annotations

import re

import pytest

from decoders.msmq.message import Form, facts_of, parse_message
from decoders.msmq.message.base_header import BaseHeader
from decoders.msmq.message.queue_names import QueueName
from decoders.msmq.message.security_header import SecurityFlag
from decoders.msmq.message.user_header import UserHeader
from decoders.ndr.model import CutBytes
from tests.decoders.interfaces import specifications

USER_MESSAGE = bytes.fromhex(
    "10000300 4c494f52 b0080000 00460500 d158735550919595 4997b6e611ea26c6 00000000000000000000000000000000"
    "ffffffff 4c494f52 ee080000 001c2800 1a00 4f0053003a0061003000340062006d00300032005c0071000000"
    "0100 1c00 0000 0000 00000000 00000000 010500000000000515000000ad4a9ebd36d9fa3d63a656dae8030000"
    "0f 0f 0000 0000000000000000000000000000000000000000 08000000 00000000 d0070000 d0070000 00000000"
    "04800000 01680000 00000000 6d007100730065006e0064006500720020006c006100620065006c000000"
)
"""Frame 7 up to the body, which is 2000 bytes of `61 00`; the document prints fewer."""
BODY = b"a\0" * 1000
WHOLE = USER_MESSAGE + BODY + bytes(2)
INTERNAL = {
    "EstablishConnection request": "10c00b004c494f523c020000ffffffff00000200d158735550919595",
    "EstablishConnection response": "105a0b004c494f523c020000ffffffff000002000523741f5ebe7741",
    "ConnectionParameters": "10c00b004c494f5220000000ffffffff00000300d8050000c0d4010000004000",
    "SessionAck": "10cd1b004c494f5224000000ffffffff0000010001000000000000000000000040000000",
}


def test_user_message_value_by_value() -> None:
    message = parse_message(WHOLE, Form.MQQP)
    assert message.problems == ()
    assert message.complete
    assert message.base_header == BaseHeader(0x10, 0x0003, 0x8B0, 345_600)
    assert message.user_header == UserHeader(
        # The document spells the sixteen bytes from the last to the first.
        SourceQueueManager="557358d1-9150-9595-4997-b6e611ea26c6",
        QueueManagerAddress="00000000-0000-0000-0000-000000000000",
        address=None,
        TimeToBeReceived=0xFFFFFFFF,
        # Annotated as 0x441105E6; the bytes are a second LIOR.
        SentTime=0x524F494C,
        MessageID=0x8EE,
        Flags=0x00281C00,
        DestinationQueue=QueueName(7, direct=r"OS:a04bm02\q"),
        AdminQueue=QueueName(0),
        ResponseQueue=QueueName(0),
    )
    properties = message.properties_header
    assert properties is not None
    # Annotated without acknowledgments.
    assert (properties.Flags, properties.LabelLength, properties.MessageClass) == (0x0F, 15, 0)
    assert (properties.CorrelationID, properties.BodyType, properties.ApplicationTag) == (bytes(20), 8, 0)
    # Annotated as 2000 and 20.
    assert (properties.MessageSize, properties.AllocationBodySize) == (2000, 2000)
    # Annotated as 0x6601, which is no algorithm of message queuing, and as RC4, which is 0x6801.
    assert (properties.PrivacyLevel, properties.HashAlgorithm, properties.EncryptionAlgorithm) == (0, 0x8004, 0x6801)
    assert (properties.Label, properties.ExtensionData, properties.MessageBody) == ("mqsender label", b"", BODY)
    assert (message.transaction_header, message.debug_header, message.soap_header) == (None, None, None)
    assert (message.multi_queue_format_header, message.session_header, message.extension_header) == (None, None, None)


def test_security_data_is_there_although_no_flag_says_so() -> None:
    security = parse_message(WHOLE, Form.MQQP).security_header
    assert security is not None
    assert (security.Flags, security.SenderIdSize) == (0x0001, 28)
    assert not security.Flags & SecurityFlag.AI
    assert security.sender_id == "S-1-5-21-3181267629-1039849782-3663111779-1000"
    assert (security.EncryptionKey, security.Signature, security.SenderCert, security.ProviderName) == (
        b"",
        b"",
        b"",
        None,
    )


def test_what_the_user_message_says() -> None:
    facts = facts_of(parse_message(WHOLE, Form.MQQP))
    assert facts.message_id == r"{557358d1-9150-9595-4997-b6e611ea26c6}\2286"
    assert facts.destination_queue == r"DIRECT=OS:a04bm02\q"
    assert (facts.label, facts.body_size, facts.body_type_name) == ("mqsender label", 2000, "VT_BSTR")
    assert (facts.priority, facts.delivery, facts.time_to_reach_queue) == (3, "express", 345_600)
    assert facts.acknowledge == ("positive_arrival", "positive_receive", "negative_arrival", "negative_receive")
    assert (facts.sender_id_type, facts.sender_id) == ("sid", "S-1-5-21-3181267629-1039849782-3663111779-1000")
    assert (facts.hash_algorithm, facts.encryption_algorithm, facts.body_encrypted) == ("SHA-1", "RC4", False)


def test_as_the_document_prints_it_the_message_is_cut() -> None:
    message = parse_message(WHOLE[:1650], Form.MQQP)
    assert [(problem.code, problem.offset) for problem in message.problems] == [("message-cut", 1650)]
    assert not message.complete
    assert message.properties_header is not None
    body = message.properties_header.MessageBody
    assert isinstance(body, CutBytes)
    assert body == BODY[: 1650 - 0xDE]
    facts = facts_of(message)
    assert (facts.body_size, facts.body_sha256, facts.complete) == (2000, None, False)


@pytest.mark.parametrize("name", INTERNAL)
def test_packets_of_sessions_hold_no_message(name: str) -> None:
    message = parse_message(bytes.fromhex(INTERNAL[name]), Form.MQQP)
    assert [problem.code for problem in message.problems][:1] == ["message-internal"]
    assert message.base_header is not None
    assert message.user_header is None


@specifications.needed
def test_the_frame_is_the_document_s() -> None:
    section = specifications.text_of("MS-MQQB").split("### 4.1.7 FRAME 7")[-1].split("\n### ")[0]
    lines = re.findall(r"^((?:[0-9A-F]{2} ){15}[0-9A-F]{2})\s*$", section, re.MULTILINE)
    printed = bytes.fromhex("".join(lines))
    assert len(printed) > len(USER_MESSAGE)
    assert WHOLE.startswith(printed)
