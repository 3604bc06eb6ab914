"""What a file is, told by its content; what is none is refused with a code and a sentence."""

from __future__ import annotations

import gzip
import os
import pickle
import struct
from typing import TYPE_CHECKING

import pytest
import zstandard

from ingest.captures import UnreadableCapture, open_capture
from schemas.tables.issues import ISSUE_CODES
from tests.builders import containers as c
from tests.ingest.reading import sequential

if TYPE_CHECKING:
    from pathlib import Path

PCAP = c.pcap([c.Packet(b"packet", 10**15)])
PCAPNG = c.pcapng(c.section(), c.interface(), c.epb(b"packet", 10**15))


def etl(buffer_size: int = 65_536) -> bytes:
    """A WMI buffer header of 72 bytes and the beginning of the trace's header event."""
    buffer_header = struct.pack("<III", buffer_size, 0, buffer_size) + bytes(60)
    return buffer_header + struct.pack("<HBB", 2, 2, 0xC0) + bytes(200)


def zstd(data: bytes) -> bytes:
    return bytes(zstandard.ZstdCompressor().compress(data))


REFUSED = {
    "empty": (b"", "empty-file", "empty"),
    "gzip of nothing": (gzip.compress(b""), "empty-file", "empty"),
    "text": (b"frame,time\n", "not-a-capture", "66 72 61 6d"),
    "one byte": (b"\xd4", "not-a-capture", "d4"),
    "gzip of text": (gzip.compress(b"text"), "not-a-capture", "74 65 78 74"),
    "pcap header cut": (PCAP[:20], "file-header-damaged", "20 of 24 bytes"),
    "pcap version": (c.pcap_header(version=(9, 9)), "file-header-damaged", "version 9.9"),
    "pcapng header cut": (PCAPNG[:20], "file-header-damaged", "ends inside its section header"),
    "pcapng version": (c.pcapng(c.section(version=(7, 0))), "file-header-damaged", "version 7.0"),
    "netmon 2": (b"GMBU\0\2\1\0" + bytes(200), "netmon-capture", "editcap -F pcapng"),
    "netmon 1": (b"RTSS\0\1\1\0" + bytes(200), "netmon-capture", "editcap -F pcapng"),
    "etl": (etl(), "etl-trace", "etl2pcapng"),
    "snoop": (b"snoop\0\0\0\0\0\0\2\0\0\0\4", "snoop-capture", "editcap -F pcapng"),
    "gzip twice": (gzip.compress(gzip.compress(PCAP)), "compressed-twice", "more than once"),
    "zstd in gzip": (gzip.compress(zstd(PCAP)), "compressed-twice", "more than once"),
    "gzip cut in its header": (gzip.compress(PCAP)[:8], "compressed-data-damaged", "gzip stream"),
    "gzip of noise": (b"\x1f\x8b\x08\0" + b"\xff" * 50, "compressed-data-damaged", "damaged"),
    "zstd cut in its header": (zstd(PCAP)[:5], "compressed-data-damaged", "damaged"),
    "zstd of noise": (b"\x28\xb5\x2f\xfd" + b"\xff" * 50, "compressed-data-damaged", "damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_what_is_no_capture(tmp_path: Path, name: str) -> None:
    data, code, says = REFUSED[name]
    path = tmp_path / "evidence.pcap"
    path.write_bytes(data)
    with pytest.raises(UnreadableCapture) as caught:
        open_capture(str(path))
    assert (caught.value.code, str(caught.value)) == (code, caught.value.detail)
    assert says in caught.value.detail
    assert code in ISSUE_CODES


def test_an_etl_head_needs_a_buffer_size_that_makes_sense(tmp_path: Path) -> None:
    path = tmp_path / "a.etl"
    path.write_bytes(etl(buffer_size=65_537))
    with pytest.raises(UnreadableCapture) as caught:
        open_capture(str(path))
    assert caught.value.code == "not-a-capture"


def test_a_folder_and_a_missing_file_are_not_readable(tmp_path: Path) -> None:
    for path, says in ((tmp_path, "directory"), (tmp_path / "none", "No such file")):
        with pytest.raises(UnreadableCapture, match=says) as caught:
            open_capture(str(path))
        assert caught.value.code == "not-readable"


def test_says_so_where_the_user_may_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "a.pcap"
    path.write_bytes(PCAP)
    monkeypatch.setattr(os, "open", denied)  # root is never denied
    with pytest.raises(UnreadableCapture, match="no permission") as caught:
        open_capture(str(path))
    assert caught.value.code == "no-permission"


@pytest.mark.parametrize("suffix", ["pcap", "cap", "txt", "gz", "zst", ""])
@pytest.mark.parametrize(
    ("data", "found"),
    [
        (PCAP, ("pcap", "none")),
        (PCAPNG, ("pcapng", "none")),
        (gzip.compress(PCAP), ("pcap", "gzip")),
        (zstd(PCAPNG), ("pcapng", "zstd")),
        (b"\x5a\x2a\x4d\x18\x04\0\0\0skip" + zstd(PCAP), ("pcap", "zstd")),
    ],
    ids=["pcap", "pcapng", "gzip", "zstd", "zstd after a skippable frame"],
)
def test_the_content_decides_not_the_suffix(tmp_path: Path, data: bytes, found: tuple[str, str], suffix: str) -> None:
    path = tmp_path / f"evidence.{suffix}"
    path.write_bytes(data)
    capture = open_capture(str(path))
    assert (capture.format, capture.compression, capture.size) == (*found, len(data))
    assert [row.data for row in sequential(path).rows] == [b"packet"]


@pytest.mark.parametrize(
    "data",
    [c.pcap_header(), gzip.compress(c.pcap_header()), c.pcapng(c.section())],
    # Without names the bytes are the name, and gzip's hold the time: every process would know another test.
    ids=["pcap", "gzip", "pcapng"],
)
def test_a_header_alone_is_a_capture_without_packets(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)
    reading = sequential(path)
    assert (reading.rows, reading.damage) == ([], None)


def test_the_refusal_travels_between_processes() -> None:
    error = pickle.loads(pickle.dumps(UnreadableCapture("empty-file", "the file is empty")))
    assert (error.code, error.detail) == ("empty-file", "the file is empty")


def test_a_damaged_gzip_gives_the_packets_before_the_damage(tmp_path: Path) -> None:
    packets = [c.Packet(os.urandom(500), n) for n in range(100)]
    data = gzip.compress(c.pcap(packets), mtime=0)
    path = tmp_path / "a.pcap.gz"
    path.write_bytes(data[:-4] + b"\0\0\0\0")  # only the check at the end is wrong
    reading = sequential(path)
    assert len(reading.rows) == 100
    assert reading.damage is not None
    assert reading.damage.code == "compressed-data-damaged"
    path.write_bytes(data[: len(data) // 2])
    assert 45 <= len(sequential(path).rows) <= 55
