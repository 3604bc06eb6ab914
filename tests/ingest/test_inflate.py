"""gzip and zstd: what can be inflated is delivered to the last byte, then the damage is named."""

from __future__ import annotations

import gzip
import os
import random
import zlib
from typing import TYPE_CHECKING

import pytest
import zstandard

from ingest.bounds import BOUNDS, Bounds
from ingest.inflate import InflatedFile

if TYPE_CHECKING:
    from pathlib import Path

CHUNK = 1 << 20
MIXED = b"".join(random.Random(n).randbytes(700) + bytes(300) for n in range(30))
SKIPPABLE = b"\x50\x2a\x4d\x18\x05\0\0\0skip!"


def zstd(data: bytes) -> bytes:
    return bytes(zstandard.ZstdCompressor(write_checksum=True).compress(data))


def inflated(path: Path, compression: str, data: bytes, step: int = CHUNK) -> tuple[bytes, str | None]:
    path.write_bytes(data)
    source = InflatedFile(str(path), "zstd" if compression == "zstd" else "gzip")
    found = bytearray()
    while part := source.read(len(found), step):
        found += part
    assert source.size() == len(found)
    source.close()
    return bytes(found), source.damage


WHOLE = {
    "gzip": ("gzip", gzip.compress(MIXED), MIXED),
    "gzip members": ("gzip", gzip.compress(MIXED) + gzip.compress(b"") + gzip.compress(b"more"), MIXED + b"more"),
    "gzip padded": ("gzip", gzip.compress(b"a") + bytes(700) + gzip.compress(b"b") + bytes(9), b"ab"),
    "gzip padded by chunks": ("gzip", gzip.compress(b"a") + bytes(3 * CHUNK) + gzip.compress(b"b"), b"ab"),
    "gzip dense": ("gzip", gzip.compress(bytes(5 * CHUNK)), bytes(5 * CHUNK)),
    "zstd": ("zstd", zstd(MIXED), MIXED),
    "zstd frames": ("zstd", zstd(MIXED) + zstd(b"more"), MIXED + b"more"),
    "zstd skippable": ("zstd", SKIPPABLE + zstd(MIXED) + SKIPPABLE + zstd(b"more") + SKIPPABLE, MIXED + b"more"),
}


@pytest.mark.parametrize("step", [777, CHUNK])
@pytest.mark.parametrize("name", WHOLE)
def test_inflates_everything(tmp_path: Path, name: str, step: int) -> None:
    compression, data, expected = WHOLE[name]
    if step < CHUNK and len(expected) > CHUNK:
        step = 100_000
    assert inflated(tmp_path / "a", compression, data, step) == (expected, None)


def test_a_gzip_cut_anywhere_gives_all_that_can_be_inflated(tmp_path: Path) -> None:
    data = gzip.compress(MIXED) + gzip.compress(bytes(CHUNK + 300_000))
    for cut in [*range(20, len(data), 100), len(data) - 1]:
        reference = bytearray()
        rest = data[:cut]
        whole = True
        while rest:
            inflater = zlib.decompressobj(wbits=31)
            reference += inflater.decompress(rest)
            whole, rest = inflater.eof, inflater.unused_data
        found, damage = inflated(tmp_path / "a", "gzip", data[:cut])
        assert found == reference, cut
        assert (damage is None) == whole, cut
        assert whole or "ends before the end of its gzip stream" in str(damage)


def test_trailing_garbage_is_told_and_costs_nothing(tmp_path: Path) -> None:
    for compression, data in (("gzip", gzip.compress(MIXED)), ("zstd", zstd(MIXED))):
        found, damage = inflated(tmp_path / "a", compression, data + b"garbage")
        assert found == MIXED
        assert damage is not None
        assert damage.startswith("the compressed data is damaged: ")


def test_a_wrong_gzip_check_costs_no_byte(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(MIXED))
    data[-6] ^= 1
    found, damage = inflated(tmp_path / "a", "gzip", bytes(data))
    assert found == MIXED
    assert damage is not None


def test_flipped_gzip_bytes_keep_what_came_before(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(200_000)
    data = bytearray(gzip.compress(noise))  # stored blocks: the byte at n is near the compressed byte at n
    for at in (1_000, 100_000, 199_000):
        broken = data.copy()
        broken[at] ^= 0xFF
        found, damage = inflated(tmp_path / "a", "gzip", bytes(broken))
        assert found[: at - 100] == noise[: at - 100]
        assert damage is not None


def test_a_zstd_cut_anywhere_gives_all_that_can_be_inflated(tmp_path: Path) -> None:
    frames = [zstd(MIXED[:10_000]), zstd(MIXED[10_000:20_000]), zstd(MIXED[20_000:])]
    data = b"".join(frames)
    ends = [0, *(sum(map(len, frames[:n])) for n in (1, 2, 3))]
    for cut in [*range(5, len(data), 400), *ends[1:], len(data) - 1]:
        found, damage = inflated(tmp_path / "a", "zstd", data[:cut])
        whole = sum(end <= cut for end in ends[1:])
        assert found.startswith(MIXED[: 10_000 * whole]), cut
        assert MIXED.startswith(found)
        assert (damage is None) == (cut in ends), cut


def test_a_cut_zstd_of_many_blocks_gives_its_whole_blocks(tmp_path: Path) -> None:
    noise = os.urandom(3 * CHUNK)
    data = zstd(noise)
    found, damage = inflated(tmp_path / "a", "zstd", data[: len(data) * 3 // 4])
    assert damage is not None
    assert noise.startswith(found)
    assert len(found) >= len(noise) * 3 // 4 - 2 * 131_072  # the block that was cut, and one not yet handed out


def test_flipped_zstd_bytes_are_told(tmp_path: Path) -> None:
    data = zstd(MIXED[:10_000]) + zstd(MIXED[10_000:])
    second = len(zstd(MIXED[:10_000]))
    for at in range(second, len(data), 501):
        broken = bytearray(data)
        broken[at] ^= 0xFF
        found, damage = inflated(tmp_path / "a", "zstd", bytes(broken))
        assert found[:10_000] == MIXED[:10_000], at
        assert damage is not None, at


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_a_dense_stream_is_held_in_pieces(tmp_path: Path, compression: str) -> None:
    path, size = tmp_path / "dense", 200 * CHUNK
    packer = zlib.compressobj(1, wbits=31) if compression == "gzip" else zstandard.ZstdCompressor().compressobj()
    path.write_bytes(b"".join(packer.compress(bytes(CHUNK)) for _ in range(200)) + packer.flush())
    source = InflatedFile(str(path), "zstd" if compression == "zstd" else "gzip")
    offset, most = 0, 0
    while part := source.read(offset, 2 * CHUNK):
        offset += len(part)
        most = max(most, len(source._held))
    assert (offset, source.damage) == (size, None)
    assert most <= 4 * CHUNK


def test_reading_may_skip_ahead_and_overlap(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(MIXED))
    source = InflatedFile(str(path), "gzip")
    assert source.read(10, 20) == MIXED[10:30]
    assert source.read(20, 20) == MIXED[20:40]
    assert source.read(25_000, 10_000) == MIXED[25_000:]
    assert source.read(40_000, 5) == b""


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_no_more_is_read_than_the_bounds_allow(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "bomb"
    packed = zstd(bytes(3 * CHUNK)) if compression == "zstd" else gzip.compress(bytes(3 * CHUNK))
    path.write_bytes(packed)
    source = InflatedFile(str(path), "zstd" if compression == "zstd" else "gzip", CHUNK + 7)
    assert len(source.read(0, 2 * CHUNK)) == CHUNK + 7
    assert source.read(CHUNK + 7, 10) == b""
    assert (source.damage_code, source.size()) == ("inflates-too-far", CHUNK + 7)


def test_bounds_are_of_bytes_and_of_times_the_size() -> None:
    assert BOUNDS.allowed(10) == CHUNK
    assert BOUNDS.allowed(10**6) == 10**8
    assert BOUNDS.allowed(1 << 40) == 64 * 1024**3
    assert Bounds(5_000, 2).allowed(1 << 30) == 5_000


def test_what_holds_as_much_as_is_allowed_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(MIXED))
    source = InflatedFile(str(path), "gzip", len(MIXED))
    assert source.read(0, 2 * len(MIXED)) == MIXED
    assert source.damage is None


def test_thousands_of_empty_members_are_passed_over(tmp_path: Path) -> None:
    empty = gzip.compress(b"")
    found, damage = inflated(tmp_path / "a", "gzip", gzip.compress(MIXED) + empty * 5_000 + gzip.compress(b"end"))
    assert (found, damage) == (MIXED + b"end", None)
