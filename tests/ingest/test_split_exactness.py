"""However a capture is cut into splits, its packets, frames, times and damage are those of a plain read."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.captures import open_capture
from ingest.splits import Split, SplitReader, SplitReport, exact, first_frames, plan, walk
from tests.builders import containers as c
from tests.builders.renewed import renewed
from tests.ingest.reading import guessed, in_splits, rows_of, sequential

IMITATIONS = [
    c.pcap_record(c.Packet(b"imitation")),
    c.pcap_record(c.Packet(b"imitation"), ">"),
    c.pcap_record(c.Packet(b"")),
    c.pcap_record(c.Packet(b""), claimed=200_000),
    c.epb(b"imitation")("<"),
    c.epb(b"imitation")(">"),
    c.pcapng(c.section(), c.interface(101), c.epb(b"imitation")),
    c.block(c.NRB, b"")("<"),
    bytes(16),
    b"\xff" * 7,
]
PAYLOADS = st.lists(st.sampled_from(IMITATIONS) | st.binary(max_size=40), max_size=12).map(b"".join)


@st.composite
def pcaps(draw: st.DrawFn) -> bytes:
    payloads = draw(st.lists(PAYLOADS, max_size=25))
    packets = [c.Packet(payload, 10**15 + n) for n, payload in enumerate(payloads)]
    return c.pcap(packets, draw(st.sampled_from(["<", ">"])), modified=draw(st.booleans()), snap_len=200)


@st.composite
def sections(draw: st.DrawFn) -> bytes:
    blocks: list[c.Block] = [c.section()]
    interfaces = 0
    for n, payload in enumerate(draw(st.lists(PAYLOADS, max_size=12))):
        kind = draw(st.sampled_from(["epb", "epb", "epb", "spb", "opb", "interface", "names", "unknown"]))
        if kind == "interface" or n == 0:
            resolution = draw(st.sampled_from([None, c.ten(9), c.two(10)]))
            blocks.append(c.interface(draw(st.sampled_from([1, 101])), resolution=resolution))
            interfaces += 1
        number = draw(st.integers(0, interfaces))  # one too many now and then
        made: dict[str, c.Block] = {
            "epb": c.epb(payload, 10**15 + n, number=number),
            "opb": c.opb(payload, 10**15 + n, number=number),
            "spb": c.spb(payload),
            "names": c.names(),
            "unknown": c.block(99, payload),
        }
        if kind in made:
            blocks.append(made[kind])
    return c.pcapng(*blocks, byte_order=draw(st.sampled_from(["<", ">"])))


PCAPNGS = st.lists(sections(), min_size=1, max_size=4).map(b"".join)
CAPTURES = pcaps() | PCAPNGS


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("splits") / "capture"


def assert_same_in_splits(path: Path, split_bytes: int) -> None:
    assert in_splits(*guessed(path, split_bytes)) == sequential(path)


@settings(max_examples=120)
@given(data=CAPTURES, split_bytes=st.integers(1, 800))
def test_splits_read_what_a_plain_read_reads(capture: Path, data: bytes, split_bytes: int) -> None:
    renewed(capture, data)
    assert_same_in_splits(capture, max(split_bytes, len(data) // 40))


@settings(max_examples=80)
@given(
    data=CAPTURES,
    split_bytes=st.integers(1, 800),
    cut=st.floats(0, 1),
    flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), max_size=3),
)
def test_splits_of_a_damaged_capture_end_in_the_same_damage(
    capture: Path, data: bytes, split_bytes: int, cut: float, flips: list[tuple[float, int]]
) -> None:
    head = 24 if data[0] != 0x0A else 28
    broken = bytearray(data[: head + round((len(data) - head) * cut)])
    for place, value in flips:
        at = head + int((len(broken) - head) * place)
        if at < len(broken):
            broken[at] ^= value
    if data[0] == 0x0A:  # an opening that is damaged itself is refused as a whole
        broken[28:28] = c.interface()("<" if data[8] == 0x4D else ">") + c.names()("<" if data[8] == 0x4D else ">")
    renewed(capture, broken)
    assert_same_in_splits(capture, max(split_bytes, len(broken) // 40))


@settings(max_examples=60)
@given(data=CAPTURES, split_bytes=st.integers(50, 800), chunk=st.integers(0, 300))
def test_where_chunks_end_changes_nothing(capture: Path, data: bytes, split_bytes: int, chunk: int) -> None:
    renewed(capture, data)
    whole = sequential(capture)
    largest = max([40, *(len(row.data) + 40 for row in whole.rows)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ingest.splits.CHUNK_BYTES", largest + chunk)
        # A chunk holds the largest record there may be, also the one that a wrong guess finds.
        patch.setattr("ingest.containers.pcap.MAX_RECORD_BYTES", largest - 24)
        patch.setattr("ingest.containers.pcapng.MAX_BLOCK", largest)
        patch.setattr("ingest.splits.GUESS_BYTES", 64 + chunk)
        assert sequential(capture) == whole
        assert_same_in_splits(capture, max(split_bytes, len(data) // 40))


def test_only_splits_that_began_wrong_are_read_again(capture: Path) -> None:
    capture.write_bytes(c.pcap([c.Packet(bytes(100), 10**15 + n) for n in range(100)]))
    splits, reports = guessed(capture, 2_000)
    assert len(splits) == 6
    wrong = replace(reports[3], start=replace(splits[0].capture.opening, offset=5))
    again: list[int] = []

    def reread(split: Split) -> SplitReport:
        again.append(split.index)
        return walk(split)

    assert exact(splits, [*reports[:3], wrong, *reports[4:]], reread) == reports
    assert again == [3]


def test_splits_after_the_damage_are_void(capture: Path) -> None:
    good = [c.pcap_record(c.Packet(bytes(100))) for _ in range(20)]
    bad = c.pcap_record(c.Packet(bytes(100)), claimed=2**31)
    capture.write_bytes(c.pcap_header() + b"".join([*good, bad, *good]))
    splits, reports = guessed(capture, 500)
    true = exact(splits, reports)
    assert len(true) < len(splits)
    assert sum(report.packets for report in true) == 20
    assert [report.damage is not None for report in true] == [False] * (len(true) - 1) + [True]


def test_first_frames_count_from_one() -> None:
    reports = [SplitReport(0, n, None, None, packets) for n, packets in enumerate((3, 0, 2))]
    assert first_frames(reports) == [1, 4, 4]


def test_a_capture_without_packets_is_one_split_that_reads_none(capture: Path) -> None:
    capture.write_bytes(c.pcap_header())
    splits, reports = guessed(capture, 1_000)
    assert (len(splits), reports[0].packets, reports[0].damage) == (1, 0, None)
    assert reports[0].end == reports[0].start == splits[0].capture.opening


def test_a_compressed_capture_is_one_split(capture: Path) -> None:
    capture.write_bytes(gzip.compress(c.pcap([c.Packet(bytes(100), 10**15 + n) for n in range(100)])))
    (split,) = plan(open_capture(str(capture)), 7, 10)
    assert (walk(split).packets, split.file) == (100, 7)


def test_a_cut_inside_an_unknown_block_of_a_compressed_capture_is_told(
    capture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = c.pcapng(c.section(), c.interface(), c.epb(b"good"))
    capture.write_bytes(gzip.compress(before + c.block(99, bytes(1_000))("<")[:-8]))
    for chunk in (64, 1 << 20):
        monkeypatch.setattr("ingest.splits.CHUNK_BYTES", chunk)
        reading = sequential(capture)
        assert reading.damage is not None
        assert (reading.damage.code, reading.damage.offset) == ("record-cut", len(before))


def test_a_reader_closes_its_file_even_if_left_early(capture: Path) -> None:
    capture.write_bytes(c.pcap([c.Packet(b"x")]))
    (split,) = plan(open_capture(str(capture)), 0)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        rows_of(SplitReader(split))
        iterator = iter(SplitReader(split))
        next(iterator)
        iterator.close()  # type: ignore[attr-defined]
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_file_that_vanished_is_damage_not_an_error(capture: Path) -> None:
    capture.write_bytes(c.pcap([c.Packet(bytes(100), 10**15 + n) for n in range(100)]))
    splits = plan(open_capture(str(capture)), 0, 2_000)
    capture.unlink()
    (report,) = exact(splits, [walk(split) for split in splits])
    assert report.damage is not None
    assert (report.damage.code, report.packets) == ("not-readable", 0)


@settings(max_examples=40)
@given(data=CAPTURES, at_once=st.integers(1, 5))
def test_how_many_records_are_read_at_once_changes_nothing(capture: Path, data: bytes, at_once: int) -> None:
    renewed(capture, data)
    whole = sequential(capture)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("pcap", "pcapng"):
            patch.setattr(f"ingest.containers.{module}.MAX_RECORDS_AT_ONCE", at_once)
        assert sequential(capture) == whole
