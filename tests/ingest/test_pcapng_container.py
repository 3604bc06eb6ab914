"""pcapng: sections, interfaces and all packet blocks are read back exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.containers.model import Interface, Position
from ingest.containers.pcapng import Pcapng
from schemas.times import NO_TIME
from tests.builders import containers as c
from tests.ingest.reading import Row, rows_of, step_of

if TYPE_CHECKING:
    from collections.abc import Callable

NO_LINK = -1


@pytest.mark.parametrize("order", ["<", ">"])
def test_reads_every_kind_of_packet_block(order: c.ByteOrder) -> None:
    ticks = 1_700_000_000_123_456
    head = c.pcapng(c.section(options=((2, b"tap"),)), c.interface(1), c.interface(113, 96), byte_order=order)
    blocks = [
        c.epb(b"enhanced", ticks, wire_len=1_500, options=((1, b"a comment"), (2, bytes(4)))),
        c.names(),
        c.opb(b"obsolete", ticks + 1, number=1, drops=65_535),
        c.block(0x0BAD, b"whatever this is"),
        c.spb(b"simple"),
        c.statistics(),
        c.epb(b"", ticks + 2, number=1),
    ]
    starts = [len(head) + len(c.pcapng(*blocks[:n], byte_order=order)) for n in range(len(blocks))]
    data = head + c.pcapng(*blocks, byte_order=order)
    step = step_of(data)
    assert rows_of(step.records) == [
        Row(starts[0], ticks * 1_000, b"enhanced", 1_500, 0, 1),
        Row(starts[2], ticks * 1_000 + 1_000, b"obsolete", 8, 1, 113),
        Row(starts[4], NO_TIME, b"simple", 6, 0, 1),
        Row(starts[6], ticks * 1_000 + 2_000, b"", 0, 1, 113),
    ]
    assert (step.damage, step.next.offset) == (None, len(data))


def test_the_opening_holds_the_interfaces_that_stand_first() -> None:
    head = c.pcapng(c.section(), c.interface(1), c.interface(113))
    opening = Pcapng().opening(head + c.pcapng(c.epb(b"x"), c.interface(101)))
    assert opening.offset == len(head)
    assert [interface.link_type for interface in opening.section.interfaces] == [1, 113]
    assert Position.from_json(opening.to_json()) == opening


def test_the_opening_ends_before_an_interface_that_is_cut() -> None:
    head = c.pcapng(c.section(), c.interface(1), c.interface(113))
    opening = Pcapng().opening(head[:-1])
    assert (opening.offset, len(opening.section.interfaces)) == (28 + 20, 1)


def test_an_interface_described_late_counts_from_there() -> None:
    data = c.pcapng(
        c.section(), c.interface(1), c.epb(b"a"), c.epb(b"early", number=1), c.interface(101), c.epb(b"b", number=1)
    )
    assert [(row.data, row.link_type) for row in rows_of(step_of(data).records)] == [
        (b"a", 1),
        (b"early", NO_LINK),
        (b"b", 101),
    ]


def test_a_section_brings_its_own_byte_order_and_interfaces() -> None:
    data = (
        c.pcapng(c.section(), c.interface(1), c.epb(b"little", 5))
        + c.pcapng(c.section(), c.interface(101, resolution=c.ten(9)), c.epb(b"big", 5), byte_order=">")
        + c.pcapng(c.section(), c.epb(b"nothing declared", 5))
    )
    assert [(row.data, row.link_type, row.ts_ns) for row in rows_of(step_of(data).records)] == [
        (b"little", 1, 5_000),
        (b"big", 101, 5),
        (b"nothing declared", NO_LINK, NO_TIME),
    ]


def test_a_packet_of_an_undeclared_interface_has_no_time_and_no_link_type() -> None:
    data = c.pcapng(c.section(), c.interface(1), c.epb(b"x", 5, number=2**32 - 1), c.epb(b"y", 5))
    assert [(row.interface, row.link_type, row.ts_ns) for row in rows_of(step_of(data).records)] == [
        (2**32 - 1, NO_LINK, NO_TIME),
        (0, 1, 5_000),
    ]


@pytest.mark.parametrize(
    ("snap_len", "wire_len", "captured"),
    [(0, 8, 8), (4, 8, 4), (100, 8, 8), (0, 2**32 - 1, 8), (2**32 - 1, 2**32 - 1, 8)],
)
def test_a_simple_packet_is_bound_by_snap_length_and_block(snap_len: int, wire_len: int, captured: int) -> None:
    data = c.pcapng(c.section(), c.interface(1, snap_len), c.spb(b"12345678", wire_len=wire_len))
    (row,) = rows_of(step_of(data).records)
    assert (row.data, row.wire_len) == (b"12345678"[:captured], wire_len)


def test_a_simple_packet_before_any_interface_is_read() -> None:
    (row,) = rows_of(step_of(c.pcapng(c.section(), c.spb(b"early"))).records)
    assert (row.data, row.link_type) == (b"early", NO_LINK)


@given(
    base=st.sampled_from([2, 10]),
    exponent=st.integers(0, 63),
    offset=st.integers(-(2**40), 2**40),
    ticks=st.integers(0, 2**64 - 1),
)
def test_times_are_exact_for_every_resolution_and_offset(base: int, exponent: int, offset: int, ticks: int) -> None:
    made: Callable[[int], bytes] = c.two if base == 2 else c.ten
    known = exponent <= (63 if base == 2 else 19)
    per_second = base**exponent if known else 1_000_000
    data = c.pcapng(c.section(), c.interface(resolution=made(exponent), offset_seconds=offset), c.epb(b"x", ticks))
    (row,) = rows_of(step_of(data).records)
    expected = ticks * 1_000_000_000 // per_second + offset * 1_000_000_000
    # Beyond the years 1678 and 2262 the 64 bits wrap.
    assert row.ts_ns == (expected + 2**63) % 2**64 - 2**63


@given(st.binary(max_size=12), st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1))
def test_odd_options_never_raise(resolution: bytes, offset: int, ticks: int) -> None:
    data = c.pcapng(c.section(), c.interface(resolution=resolution, offset_seconds=offset), c.epb(b"x", ticks))
    assert len(rows_of(step_of(data).records)) == 1


@pytest.mark.parametrize(
    "options",
    [
        ((c.IF_NAME, b"eth0"), (c.IF_TSRESOL, c.ten(9)), (c.IF_TSRESOL, c.ten(3))),
        ((c.IF_TSRESOL, c.ten(9)), (0, b""), (c.IF_TSRESOL, c.ten(3))),
        ((c.IF_NAME, b"odd"), (c.IF_TSRESOL, c.ten(9))),
    ],
    ids=["first-counts", "nothing-after-the-end", "padding"],
)
def test_finds_an_option_among_others(options: tuple[c.Option, ...]) -> None:
    opening = Pcapng().opening(c.pcapng(c.section(), c.interface(options=options)))
    assert opening.section.interfaces == (Interface(1, 0, 1_000_000_000),)


def test_reading_ends_at_more_interfaces_than_anybody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.containers.pcapng.MAX_INTERFACES", 50)
    one = c.interface(1)("<")
    head = c.pcapng(c.section()) + one * 50
    assert len(Pcapng().opening(head).section.interfaces) == 50
    step = step_of(head + c.pcapng(c.epb(b"x")) + one)
    assert step.damage is not None
    assert "more than 50 interfaces" in step.damage.detail
    assert len(rows_of(step.records)) == 1
