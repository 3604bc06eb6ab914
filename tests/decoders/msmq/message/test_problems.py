"""Every problem has a packet that shows it, and stops where it says it does."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest

from decoders.msmq.message import PROBLEMS, Form, Message, Section, from_sections, parse_message
from tests.builders.messages import (
    Queue,
    Security,
    Several,
    Srmp,
    Trailers,
    build_message,
    direct,
    wide,
)

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"
Make = Callable[[], Message]


def patched(at: int, raw: bytes, **options: Any) -> Message:  # noqa: ANN401
    packet = build_message(**options)
    return parse_message(packet[:at] + raw + packet[at + len(raw) :], Form.MQQP)


def swapped(old: bytes, new: bytes, **options: Any) -> Message:  # noqa: ANN401
    packet = build_message(**options)
    assert packet.count(old) == 1
    return parse_message(packet.replace(old, new), Form.MQQP)


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


SRMP = Srmp("envelope", b"POST / HTTP/1.1", 5, 3)
ENVELOPE = struct.pack("<HHI", 0x00C8, 0, 9)
COMPOUND = struct.pack("<HHIII", 500, 0, 15, 3, 5)
SOAP = struct.pack("<HHI", 0x0320, 0, 2)
SEVERAL = Several(((3, "OS:a"), (1, GUID)))
LIST = struct.pack("<IHHI", 12 + 12 + 2 + 2 + 16, 0x64, 0, 2)
SIZES = struct.pack("<HHHHI", 1, 28, 0, 0, 0)
SUBQUEUE = struct.pack("<IIIII", 148, 0, 0, 0, 0)

SHOWN: list[tuple[str, Make]] = [
    ("message-cut", lambda: parse_message(b"", Form.MQQP)),
    ("message-cut", lambda: parse_message(build_message(body=b"abc")[:-3], Form.MQQP)),
    ("message-cut", lambda: parse_message(build_message(label="label", body=b"abc")[:40], Form.MQQP)),
    ("message-signature", lambda: patched(4, b"ROIL")),
    ("message-signature", lambda: parse_message(b"no message", Form.MQQP)),
    ("message-internal", lambda: patched(2, b"\x0b")),
    ("message-version", lambda: patched(0, b"\x11")),
    ("message-flags", lambda: swapped(u32(0x00201C00), u32(0x00001C00))),
    # PacketSize: too small for its header, larger than any packet, smaller than what it holds.
    ("message-size", lambda: patched(8, u32(15))),
    ("message-size", lambda: patched(8, u32(0x00400001))),
    ("message-length", lambda: patched(8, u32(40))),
    ("message-length", lambda: patched(8, u32(100), label="a label that needs room")),
    # AllocationBodySize below MessageSize.
    ("message-size", lambda: swapped(u32(6) * 2, u32(6) + u32(5), body=b"abcdef")),
    ("message-length", lambda: swapped(u32(6) * 2, u32(0xFFFFFFFF) * 2, body=b"abcdef")),
    ("message-length", lambda: swapped(b"\x32\0O\0S\0", b"\xff\xffO\0S\0")),
    ("message-length", lambda: swapped(SIZES + u32(0), SIZES + u32(1), security=Security(flags=1))),
    ("message-length", lambda: swapped(SIZES, SIZES[:8] + u32(0xFFFFFFFF), security=Security(flags=1))),
    ("message-length", lambda: swapped(LIST, struct.pack("<IHHI", 11, 0x64, 0, 2), several=SEVERAL)),
    ("message-length", lambda: swapped(LIST, struct.pack("<IHHI", 1 << 30, 0x64, 0, 2), several=SEVERAL)),
    # A name without its null character, which runs out of its list.
    ("message-length", lambda: swapped(wide("OS:a"), b"O\0S\0:\0a\0!\0", several=Several(((3, "OS:a"),)))),
    ("message-length", lambda: swapped(SUBQUEUE, u32(147) + SUBQUEUE[4:], trailers=Trailers())),
    ("message-length", lambda: swapped(SUBQUEUE, u32(1 << 31) + SUBQUEUE[4:], trailers=Trailers())),
    # CVE-2023-21554: a length whose double does not fit 32 bits, one that does, and those of the headers beside.
    ("message-length-beyond", lambda: swapped(ENVELOPE, ENVELOPE[:4] + u32(0x80000005), srmp=SRMP)),
    ("message-length-beyond", lambda: swapped(ENVELOPE, ENVELOPE[:4] + u32(5000), srmp=SRMP)),
    ("message-length-beyond", lambda: swapped(COMPOUND, COMPOUND[:4] + u32(5000) + COMPOUND[8:], srmp=SRMP)),
    ("message-length-beyond", lambda: swapped(COMPOUND, COMPOUND[:8] + u32(11) + COMPOUND[12:], srmp=SRMP)),
    ("message-length-beyond", lambda: swapped(COMPOUND, COMPOUND[:12] + u32(0xFFFFFFFF), srmp=SRMP)),
    ("message-length-beyond", lambda: swapped(SOAP, SOAP[:4] + u32(0xFFFFFFFF), soap=("a", "bb"))),
    ("message-queue-kind", lambda: parse_message(build_message(destination=Queue(6, GUID, 1)), Form.MQQP)),
    ("message-queue-kind", lambda: parse_message(build_message(admin=Queue(4, number=1)), Form.MQQP)),
    ("message-queue-kind", lambda: swapped(b"\x03\0" + wide("OS:a"), b"\x04\0" + wide("OS:a"), several=SEVERAL)),
    ("message-queue-kind", lambda: swapped(b"\1\0\0\0\x71\x56", b"\2\0\0\0\x71\x56", debug=GUID)),
    ("message-header-id", lambda: swapped(SOAP, b"\x21" + SOAP[1:], soap=("a", "bb"))),
    ("message-header-id", lambda: swapped(LIST, LIST[:4] + b"\x65" + LIST[5:], several=SEVERAL)),
    ("message-header-id", lambda: swapped(b"\x5e\1\0\0", b"\x5f\1\0\0", several=SEVERAL)),
    ("message-text", lambda: parse_message(build_message(destination=direct("OS:a\0")), Form.MQQP)),
    ("message-text", lambda: swapped(wide("label")[-4:] + b"body", b"l\0l\0body", label="label", body=b"body")),
    ("message-sender-id", lambda: parse_message(build_message(security=Security(sender=b"no SID.")), Form.MQQP)),
    ("message-sender-id", lambda: parse_message(build_message(security=Security(flags=2, sender=b"4")), Form.MQQP)),
    ("message-sender-id", lambda: parse_message(build_message(security=Security(flags=1, sender=b"")), Form.MQQP)),
    ("message-sections", lambda: from_sections([])),
    ("message-sections", lambda: from_sections([Section(7, 3, b"abc")])),
    ("message-too-many", lambda: parse_message(build_message(several=Several(((3, ""),) * 1025)), Form.MQQP)),
    ("message-too-many", lambda: parse_message(build_message(several=Several(((3, "x" * 4000),) * 10)), Form.MQQP)),
    ("message-size", lambda: swapped(LIST, struct.pack("<IHHI", 12 + 12 + 2 + 2 + 16, 0x64, 0, 1), several=SEVERAL)),
    ("message-size", lambda: swapped(u32(12) + u32(176), u32(12) + u32(175), trailers=Trailers())),
    ("message-trailing", lambda: parse_message(build_message() + b"rest", Form.MQQP)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "make"), SHOWN, ids=[f"{code}-{at}" for at, (code, _) in enumerate(SHOWN)])
def test_the_problem_is_told(code: str, make: Make) -> None:
    message = make()
    assert code in [problem.code for problem in message.problems]
    assert all(problem.code in PROBLEMS for problem in message.problems)
    assert message.complete == all(problem.code != "message-cut" for problem in message.problems)


def test_every_problem_is_shown() -> None:
    assert {code for code, _ in SHOWN} == set(PROBLEMS)


def test_stops_are_last_and_alone() -> None:
    """Only that the packet is cut as well may follow."""
    for _, make in SHOWN:
        stops = [PROBLEMS[problem.code].stops for problem in make().problems if problem.code != "message-cut"]
        assert not any(stops[:-1])


def test_what_stands_in_front_of_a_problem_is_kept() -> None:
    message = swapped(ENVELOPE, ENVELOPE[:4] + u32(0x80000005), srmp=SRMP, label="kept", body=b"body", soap=("a", "b"))
    assert message.properties_header is not None
    assert (message.properties_header.Label, message.properties_header.MessageBody) == ("kept", b"body")
    assert message.srmp_envelope_header is not None
    assert (message.srmp_envelope_header.DataLength, message.srmp_envelope_header.Data) == (0x80000005, None)
    assert (message.compound_message_header, message.soap_header) == (None, None)


def test_a_packet_that_ends_early_is_no_attack() -> None:
    packet = build_message(srmp=Srmp("x" * 400, b"POST"))
    message = parse_message(packet[:-300], Form.MQQP)
    assert [problem.code for problem in message.problems] == ["message-cut"]


def test_a_packet_that_makes_room_for_its_attack_is_found_out() -> None:
    packet = build_message(srmp=SRMP)
    attack = packet.replace(ENVELOPE, ENVELOPE[:4] + u32(0x10000000))
    message = parse_message(attack[:8] + u32(0x7FFFFFFF) + attack[12:], Form.MQQP)
    assert [problem.code for problem in message.problems] == ["message-size", "message-length-beyond", "message-cut"]


def test_too_many_names_do_not_hide_what_follows() -> None:
    several = Several(((3, ""),) * 1025, administration=((3, "OS:b"),), signature=b"signed")
    header = parse_message(build_message(several=several), Form.MQQP).multi_queue_format_header
    assert header is not None
    assert len(header.Destination) == 1024
    assert (header.Administration, header.Signature) == (("DIRECT=OS:b",), b"signed")
