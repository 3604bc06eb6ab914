"""pcapng blocks that lie: reading ends there, with everything before kept and the place told."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from decoders.errors import Malformed, NotThisFormat, Truncated
from ingest.containers.pcapng import MAX_BLOCK, Pcapng
from tests.builders import containers as c
from tests.ingest.reading import rows_of, sequential, step_of

if TYPE_CHECKING:
    from pathlib import Path

HEAD = (c.section(), c.interface(1), c.epb(b"good"))

BROKEN: dict[str, c.Block] = {
    "length not a multiple of 4": c.block(c.EPB, bytes(24), opens=38),
    "length below the smallest": c.block(c.EPB, bytes(16)),
    "unknown block below the smallest": c.block(99, b"", opens=8),
    "length zero": c.block(99, b"", opens=0),
    "closing length differs": c.block(c.EPB, bytes(20), closes=36),
    "closing length of an unknown block differs": c.block(99, bytes(20), closes=36),
    "captured longer than the block": c.epb(b"1234", claimed=5),
    "captured absurd": c.epb(b"1234", claimed=2**32 - 1),
    "packet block beyond every bound": c.block(c.EPB, bytes(20), opens=MAX_BLOCK + 4),
    "interface block below the smallest": c.block(c.IDB, bytes(4)),
    "section without byte order": c.block(c.SHB, bytes(16)),
    "section below the smallest": lambda order: c.block(c.SHB, struct.pack(f"{order}I", 0x1A2B3C4D))(order),
    "section of another version": c.section(version=(2, 0)),
}


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("name", BROKEN)
def test_reading_ends_at_a_block_that_contradicts_itself(name: str, order: c.ByteOrder) -> None:
    before = c.pcapng(*HEAD, byte_order=order)
    step = step_of(before + c.pcapng(BROKEN[name], c.epb(b"not trusted"), byte_order=order))
    assert [row.data for row in rows_of(step.records)] == [b"good"]
    assert step.damage is not None
    assert (step.damage.code, step.damage.offset) == ("block-malformed", len(before))
    assert step.damage.detail


def test_captured_bytes_may_fill_the_block_and_no_more() -> None:
    assert len(rows_of(step_of(c.pcapng(*HEAD, c.epb(b"1234", claimed=4))).records)) == 2
    assert len(rows_of(step_of(c.pcapng(*HEAD, c.epb(b"123", claimed=4))).records)) == 2  # padding: not provable


@pytest.mark.parametrize(
    ("head", "error", "says"),
    [
        (b"\xd4\xc3\xb2\xa1" + bytes(30), NotThisFormat, "section header"),
        (c.pcapng(c.section())[:11], Truncated, "byte-order"),
        (c.pcapng(c.section())[:27], Truncated, "inside its section header"),
        (b"\x0a\x0d\x0d\x0a" + bytes(24), Malformed, "byte-order"),
        (c.pcapng(c.section(version=(2, 1))), Malformed, r"version 2\.1"),
        (c.pcapng(c.section(), c.block(c.IDB, bytes(8), closes=0)), Malformed, "closes with 0"),
        (c.pcapng(c.block(c.SHB, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1), opens=0)), Malformed, "claims 0"),
    ],
    ids=["other", "cut-early", "cut", "no-byte-order", "version", "interface", "length"],
)
def test_refuses_an_opening_that_is_none(head: bytes, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        Pcapng().opening(head)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("ingest.splits.CHUNK_BYTES", 64)
    return 64


@pytest.mark.parametrize("size", [0, 40, 52, 64, 1_000])
def test_skips_unknown_blocks_of_any_size(tmp_path: Path, size: int, small_chunks: int) -> None:
    path = tmp_path / "a.pcapng"
    path.write_bytes(c.pcapng(*HEAD, c.epb(b"before"), c.block(99, bytes(size)), c.epb(b"after"), c.epb(b"last")))
    reading = sequential(path)
    assert [row.data for row in reading.rows] == [b"good", b"before", b"after", b"last"]
    assert reading.damage is None


@pytest.mark.parametrize("chunk", [64, 16 * 1024 * 1024])
@pytest.mark.parametrize("claims", [64, 1_000, 2**32 - 4])
def test_an_unknown_block_that_claims_more_than_the_file_has_is_a_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, claims: int
) -> None:
    monkeypatch.setattr("ingest.splits.CHUNK_BYTES", chunk)
    before = c.pcapng(*HEAD, c.epb(b"before"))
    path = tmp_path / "a.pcapng"
    path.write_bytes(before + struct.pack("<II", 99, claims) + bytes(48))
    reading = sequential(path)
    assert [row.data for row in reading.rows] == [b"good", b"before"]
    assert reading.damage is not None
    assert (reading.damage.code, reading.damage.offset) == ("record-cut", len(before))
    assert reading.damage.detail == "the file ends after 56 bytes of a block"


def test_a_wrong_closing_length_is_found_wherever_the_chunk_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = c.pcapng(*HEAD)
    path = tmp_path / "a.pcapng"
    path.write_bytes(before + c.pcapng(c.block(99, bytes(40), closes=4), c.epb(b"not trusted")))
    for chunk in range(52, 200, 4):
        monkeypatch.setattr("ingest.splits.CHUNK_BYTES", chunk)
        damage = sequential(path).damage
        assert damage is not None
        assert (damage.code, damage.offset) == ("block-malformed", len(before))
