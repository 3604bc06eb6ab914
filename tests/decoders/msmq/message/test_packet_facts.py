"""What is said of a message in a packet."""

from __future__ import annotations

import hashlib
import struct
import uuid
from typing import Any

import pytest

from decoders.msmq.message import Form, MessageFacts, TransactionFacts, facts_of, parse_message
from decoders.msmq.message.addresses import HostAddress
from decoders.msmq.message.names import MESSAGE_CLASSES, body_type_name
from tests.builders.messages import (
    INFINITE,
    NIL,
    SOURCE,
    Address,
    Queue,
    Security,
    Several,
    Srmp,
    Trailers,
    Transaction,
    build_message,
    direct,
)
from tests.decoders.interfaces import specifications

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"
MANAGER = "11111111-2222-3333-4444-555555555555"


def told(form: Form = Form.MQQP, /, **options: Any) -> MessageFacts:  # noqa: ANN401
    message = parse_message(build_message(**options), form)
    assert message.problems == ()
    return facts_of(message)


def test_everything_a_message_may_say() -> None:
    facts = told(
        Form.MQRR,
        manager=Address(4, 1, 0, bytes([192, 0, 2, 7])),
        priority=0,
        tracing=True,
        debug=GUID,
        time_to_reach_queue=1_000_060,
        time_to_be_received=INFINITE,
        sent_time=1_000_000,
        number=77,
        hops=3,
        delivery=1,
        journaling=3,
        admin=direct("OS:admin"),
        response=Queue(1),
        connector=GUID,
        transaction=Transaction(0x0000000200000001, 5, 4, flags=0xABCDE << 4 | 0b1100),
        security=Security(0xA1, key=b"k", signature=b"s" * 64, certificate=b"c" * 300, provider=(24, "AES provider")),
        acknowledge=0x0E,
        label="orders",
        body_type=0x2011,
        tag=9,
        privacy=5,
        hash_algorithm=0x800E,
        encryption=0x6610,
        extension=b"four",
        body=b"body",
        soap=("h", "b"),
        several=Several(((3, "OS:a"), (1, GUID))),
        trailers=Trailers("late", "", 1, 2, dead_letter="DIRECT=OS:dead", address=Address(4, 1, 0, b"\xc0\0\2\x08")),
    )
    assert facts == MessageFacts(
        complete=True,
        sections=1,
        message_id=f"{{{SOURCE}}}\\77",
        message_class=0,
        message_class_name="MQMSG_CLASS_NORMAL",
        label="orders",
        priority=0,
        delivery="recoverable",
        sent_time=1_000_000,
        time_to_reach_queue=60,
        time_to_be_received=INFINITE,
        destination_queue=r"DIRECT=OS:srv01\private$\orders",
        admin_queue="DIRECT=OS:admin",
        response_queue="DIRECT=OS:admin",
        destinations=("DIRECT=OS:a", f"PUBLIC={GUID}"),
        connector_type=GUID,
        body_type=0x2011,
        body_type_name="VT_ARRAY|VT_UI1",
        body_size=4,
        body_sha256=hashlib.sha256(b"body").hexdigest(),
        extension_size=4,
        application_tag=9,
        acknowledge=("positive_receive", "negative_arrival", "negative_receive"),
        journaling=("deadletter", "journal"),
        tracing=True,
        sender_id_type="sid",
        sender_id="S-1-5-21-3181267629-1039849782-3663111779-1000",
        signature_size=64,
        certificate_size=300,
        privacy_level="AES",
        encryption_algorithm="AES-256",
        body_encrypted=True,
        hash_algorithm="SHA-512",
        provider_name="AES provider",
        transaction=TransactionFacts(0x0000000200000001, 5, 4, first=True, last=True, index=0xABCDE),
        source_qm=SOURCE,
        hop_count=3,
        soap=True,
        srmp=False,
        subqueue="late",
        abort_count=1,
        move_count=2,
        came_from="192.0.2.8",
        dead_letter_queue="DIRECT=OS:dead",
    )


def test_a_plain_message_says_no_more_than_it_does() -> None:
    facts = told()
    assert (facts.sender_id_type, facts.sender_id, facts.signature_size) == ("none", None, 0)
    assert (facts.certificate_size, facts.body_encrypted) == (0, False)
    assert (facts.label, facts.body_size, facts.transaction, facts.correlation_id) == ("", 0, None, None)
    assert (facts.admin_queue, facts.response_queue, facts.acknowledge, facts.journaling) == (None, None, (), ())
    assert (facts.destinations, facts.subqueue, facts.abort_count, facts.came_from) == ((), None, None, None)
    assert (facts.soap, facts.srmp, facts.sections, facts.complete) == (False, False, None, True)


@pytest.mark.parametrize(
    ("queues", "names"),
    [
        ({"destination": Queue()}, (None, None, None)),
        ({"destination": Queue(3, number=4)}, (f"PRIVATE={MANAGER}\\00000004", None, None)),
        ({"destination": Queue(5, GUID)}, (f"PUBLIC={GUID}", None, None)),
        (
            {"destination": Queue(5, GUID), "admin": Queue(2, number=10), "response": Queue(1)},
            (f"PUBLIC={GUID}", f"PRIVATE={SOURCE}\\0000000a", f"PRIVATE={SOURCE}\\0000000a"),
        ),
        (
            {"destination": Queue(5, GUID), "admin": Queue(2, number=10), "response": Queue(4, number=11)},
            (f"PUBLIC={GUID}", f"PRIVATE={SOURCE}\\0000000a", f"PRIVATE={SOURCE}\\0000000b"),
        ),
        (
            {"destination": Queue(3, number=1), "admin": Queue(3, number=2), "response": Queue(4, number=3)},
            tuple(f"PRIVATE={MANAGER}\\0000000{number}" for number in (1, 2, 3)),
        ),
        (
            {"destination": Queue(3, number=1), "admin": Queue(6, GUID, 2), "response": Queue(4, number=0xFFFFFFFF)},
            (f"PRIVATE={MANAGER}\\00000001", f"PRIVATE={GUID}\\00000002", f"PRIVATE={GUID}\\ffffffff"),
        ),
        # Whose queue the admin queue is, a public or direct name does not tell.
        (
            {"destination": Queue(3, number=1), "admin": Queue(5, GUID), "response": Queue(4, number=3)},
            (f"PRIVATE={MANAGER}\\00000001", f"PUBLIC={GUID}", None),
        ),
        (
            {"destination": Queue(3, number=1), "admin": Queue(), "response": Queue(2, number=3)},
            (f"PRIVATE={MANAGER}\\00000001", None, f"PRIVATE={SOURCE}\\00000003"),
        ),
    ],
)
def test_names_that_leave_their_queue_manager_to_others(
    queues: dict[str, Queue], names: tuple[str | None, ...]
) -> None:
    facts = told(manager=MANAGER, **queues)
    assert (facts.destination_queue, facts.admin_queue, facts.response_queue) == names


def test_a_queue_manager_that_is_not_told_makes_no_name() -> None:
    facts = told(manager=NIL, source=NIL, admin=Queue(3, number=4), response=Queue(2, number=5))
    assert (facts.admin_queue, facts.response_queue, facts.source_qm) == (None, None, None)


@pytest.mark.parametrize("number", [0x0002, 0x4000, 0x8000, 0x8002, 0xC004, 0xE123])
def test_an_acknowledgment_names_the_message_it_is_about(number: int) -> None:
    correlation = uuid.UUID(GUID).bytes_le + struct.pack("<I", 2286)
    facts = told(message_class=number, correlation=correlation)
    assert facts.correlation_id == correlation.hex()
    assert facts.acknowledged_message_id == f"{{{GUID}}}\\2286"


@pytest.mark.parametrize("number", [0x0000, 0x0001, 0x00FF])
def test_other_messages_correlate_with_what_they_like(number: int) -> None:
    facts = told(message_class=number, correlation=b"application's bytes.")
    assert (facts.correlation_id, facts.acknowledged_message_id) == (b"application's bytes.".hex(), None)


@pytest.mark.parametrize(
    ("form", "value", "seconds"),
    [
        (Form.MQQP, 60, 60),
        (Form.MQQP, INFINITE, INFINITE),
        (Form.MQRR, 1_000_060, 60),
        (Form.MQRR, 1_000_000, 0),
        (Form.MQRR, INFINITE, INFINITE),
        # A server that adds SentTime to INFINITE.
        (Form.MQRR, 999_999, INFINITE),
        (Form.MQRR, 999_998, None),
    ],
)
def test_time_to_reach_queue_is_relative_in_both_forms(form: Form, value: int, seconds: int | None) -> None:
    assert told(form, sent_time=1_000_000, time_to_reach_queue=value).time_to_reach_queue == seconds


def test_unknown_numbers_stay_numbers() -> None:
    facts = told(message_class=0x1234, hash_algorithm=0x8005, encryption=0x6601, privacy=2, delivery=2)
    assert (facts.message_class_name, facts.hash_algorithm, facts.encryption_algorithm) == (
        "0x1234",
        "0x8005",
        "0x6601",
    )
    assert (facts.privacy_level, facts.delivery) == ("0x2", "0x2")
    assert told(hash_algorithm=0, encryption=0).hash_algorithm is None


def test_a_queue_manager_may_be_the_sender() -> None:
    facts = told(security=Security(flags=2, sender=uuid.UUID(GUID).bytes_le))
    assert (facts.sender_id_type, facts.sender_id) == ("qm", GUID)


def test_a_subqueue_without_a_name_is_ignored() -> None:
    """[MS-MQRR] 2.2.5.3."""
    facts = told(trailers=Trailers(aborts=4, moves=5))
    assert (facts.subqueue, facts.abort_count, facts.move_count) == (None, None, None)


def test_srmp_is_told() -> None:
    assert told(srmp=Srmp("<e/>", b"POST")).srmp


def test_what_was_not_reached_is_not_said() -> None:
    packet = build_message(label="label", body=b"body", security=Security())
    facts = facts_of(parse_message(packet[:70], Form.MQQP))
    assert (facts.message_id, facts.complete) == (f"{{{SOURCE}}}\\1", False)
    assert (facts.label, facts.body_size, facts.message_class) == (None, None, None)
    assert (facts.sender_id_type, facts.signature_size) == (None, None)
    assert facts_of(parse_message(b"", Form.MQRR)) == MessageFacts(complete=False, sections=1)


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (HostAddress(4, 1, 0, bytes([10, 0, 0, 1, 0, 0, 0, 0])), "10.0.0.1"),
        (HostAddress(16, 6, 0, bytes.fromhex("20010db8000000010000000000000007")), "2001:db8:0:1::7"),
        (HostAddress(16, 6, 3, bytes.fromhex("fe800000000000000000000000000007")), "fe80::7%3"),
        # Half of it, as a UserHeader holds it.
        (HostAddress(16, 6, 0, bytes.fromhex("20010db800000001")), "2001:db8:0:1::/64"),
        (HostAddress(0, 0, 0, bytes(16)), None),
        (HostAddress(2, 1, 0, bytes(8)), None),
        (HostAddress(17, 6, 0, bytes(16)), None),
        (HostAddress(4, 2, 0, bytes(8)), None),
    ],
)
def test_addresses(address: HostAddress, text: str | None) -> None:
    assert address.text == text


def test_the_whole_address_stands_before_its_half() -> None:
    octets = bytes.fromhex("20010db8000000010000000000000007")
    half = Address(16, 6, 0, octets)
    assert told(Form.MQRR, manager=half).came_from == "2001:db8:0:1::/64"
    assert told(Form.MQRR, manager=half, trailers=Trailers(address=half)).came_from == "2001:db8:0:1::7"
    assert told(Form.MQRR, manager=half, trailers=Trailers()).came_from == "2001:db8:0:1::/64"


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (0, "VT_EMPTY"),
        (8, "VT_BSTR"),
        (31, "VT_LPWSTR"),
        (0x1011, "VT_VECTOR|VT_UI1"),
        (0x2011, "VT_ARRAY|VT_UI1"),
        (0x1008, "VT_VECTOR|VT_BSTR"),
        (0xFFFF, "VT_ARRAY|VT_VECTOR|0xCFFF"),
        (99, "0x0063"),
    ],
)
def test_types_of_bodies(number: int, name: str) -> None:
    assert body_type_name(number) == name


@specifications.needed
def test_classes_are_the_document_s() -> None:
    text = specifications.text_of("MS-MQMQ")
    section = text.split("# 2.2.18.1.6 Message Class Identifiers")[-1].split("} MESSAGE_CLASS_VALUES")[0]
    found = [line.strip(", ").split(" = ") for line in section.splitlines() if " = 0x" in line]
    assert {int(number, 16): name for name, number in found} == MESSAGE_CLASSES
