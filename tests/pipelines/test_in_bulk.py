"""Exchanges that are read many at once give the rows that the state machines give, whatever the traffic is like."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bench.calls import conversations
from decoders.dcerpc.exchanges import ExchangeReader
from ingest.choice import Choice
from pipelines.connections.assembler import Assembler
from pipelines.connections.decoding import Decoding
from schemas.times import NO_TIME
from tests.conforming.casts import ALL, MQMP, MQQP, MQRR
from tests.conforming.innocence import oddly, played
from tests.local import Local
from tests.scripts.player import write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from decoders.dcerpc.exchanges import Stretch
    from decoders.tcp.model import Segment
    from tests.scripts.tape import Timed

AT_ONCE = 6


def rows(path: Path, *, in_bulk: bool) -> dict[str, list[str]]:
    local = Local(path, in_bulk=in_bulk)
    return {name: sorted(map(repr, found)) for name, found in {**local.tables, **local.judged()}.items()}


def assert_same(path: Path) -> None:
    careful, in_bulk = rows(path, in_bulk=False), rows(path, in_bulk=True)
    assert careful.keys() == in_bulk.keys()
    for name, found in careful.items():
        assert in_bulk[name] == found, name


def shuffled(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """Some twice, some late, some gone, as a busy network and a busy capture have them."""
    found = list(frames)
    for _ in range(len(found) // 20 + 1):
        at = chance.randrange(len(found))
        match chance.randrange(3):
            case 0:
                found.insert(min(len(found), at + chance.randrange(8)), found[at])
            case 1:
                found.insert(min(len(found) - 1, at + chance.randrange(8)), found.pop(at))
            case _:
                found.pop(at)
    times = sorted(one.ts_us for one in found)
    return [replace(one, ts_us=ts_us) for one, ts_us in zip(found, times, strict=True)]


def talks(cast: str, first: int) -> Iterator[list[Timed]]:
    for seed in range(first, first + AT_ONCE):
        for seen in played(seed, cast):
            yield seen.frames
        whole, _, lossy = oddly(seed, cast)
        yield from (whole, lossy)
        if whole:
            yield shuffled(whole, random.Random(f"shuffled {seed}"))


@pytest.mark.parametrize("cast", [MQQP, MQRR, MQMP, ALL])
def test_rows_are_the_same(cast: str, tmp_path: Path) -> None:
    for number, frames in enumerate(talks(cast, 0)):
        path = tmp_path / f"{number}.pcap"
        write(path, frames)
        assert_same(path)


def test_packets_without_a_time_are_the_same() -> None:
    """Pcapng's Simple Packet Blocks have none."""
    segments = [row._replace(segment=row.segment._replace(ts_ns=NO_TIME)) for row in conversations(60)]

    def found(*, in_bulk: bool) -> dict[str, list[str]]:
        decoding = Decoding(Assembler(Choice(), ["capture"], ["path"], in_bulk=in_bulk), keep_payload=False)
        tables: dict[str, list[str]] = {}
        for name, batch in decoding.run(segments):
            tables[name] = sorted([*tables.get(name, []), *map(repr, batch.to_pylist())])
        return tables

    assert found(in_bulk=True) == found(in_bulk=False)


def test_the_sample_is_the_same(sample: Path) -> None:
    assert_same(sample)


def test_most_of_ordinary_traffic_is_read_at_once(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the tests above compare nothing."""
    at_once = 0
    read = ExchangeReader.read

    def counted(self: ExchangeReader, segments: list[Segment], at: int, last_ts_ns: int) -> Stretch:
        nonlocal at_once
        found = read(self, segments, at, last_ts_ns)
        at_once += len(found.exchanges)
        return found

    monkeypatch.setattr(ExchangeReader, "read", counted)
    calls = Local(sample).tables["calls"]
    assert at_once > len(calls) // 2
