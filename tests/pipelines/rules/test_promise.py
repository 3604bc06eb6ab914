"""The promise: nobody is accused because of a packet that was not seen. And how files are cut changes nothing."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT
from tests.local import Local
from tests.pipelines.rules.fixtures import Fixture, all_fixtures
from tests.pipelines.rules.removal import accusations, records, without, write
from tests.pipelines.rules.traps import LOSSES, elsewhere, lost, pieces
from tests.pipelines.rules.unruly_talks import talk
from tests.scripts.player import capture, play
from tests.scripts.player import write as save

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.scripts.tape import Timed


Row = dict[str, Any]
SAMPLE = ROOT / "samples" / "msmq-loopback.pcap"
SCRIPTS = sorted((ROOT / "tests" / "data" / "scripts").glob("*.calls"))
MOST_PLACES = 60
"""Of a fixture: one of a hundred reads is the same over and over."""
SHARES = (0.01, 0.03, 0.1, 0.3, 0.6)
FIXTURES = all_fixtures()
SENT_AGAIN_US = 1_200_000
MANY = 24
"""Fixtures that begin alike."""
ONE_IN = 4
"""Packets of such a beginning that a fixture loses."""
_BEGINNINGS = Counter(
    tuple(lines[:count])
    for lines in (one.script.splitlines() for one in FIXTURES)
    for count in range(1, len(lines) + 1)
)


def _is_common(fixture: Fixture, line: int) -> bool:
    """The packet's line, counted from 1, and those before it."""
    return _BEGINNINGS[tuple(fixture.script.splitlines()[:line])] >= MANY


def test_sample_without_any_one_packet(tmp_path: Path) -> None:
    _without_any_one(SAMPLE, tmp_path)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_without_any_one_packet(script: Path, tmp_path: Path) -> None:
    _without_any_one(capture(tmp_path, script.read_text(encoding="utf-8")), tmp_path)


@pytest.mark.parametrize("fixture", FIXTURES, ids=str)
def test_fixture_without_any_one_packet(fixture: Fixture, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Bare acknowledgements only with --every-packet: those of the sample and the examples are taken away above. So are
    all packets of a beginning that many fixtures have; else each of these loses its share.
    """
    frames = play(fixture.script)
    share = FIXTURES.index(fixture)
    places = [
        place
        for place, frame in enumerate(frames)
        if frame.about != "ack" and (not _is_common(fixture, frame.line) or (place + share) % ONE_IN == 0)
    ]
    places = places[:: 1 + len(places) // MOST_PLACES]
    every = request.config.getoption("--every-packet")
    _without_any_one(_written(tmp_path, frames), tmp_path, None if every else places)


def _without_any_one(whole: Path, folder: Path, places: Sequence[int] | None = None) -> None:
    known = accusations(Local(whole).judged())
    for place in range(len(records(whole)[1])) if places is None else places:
        assert without(whole, {place}, folder) <= known, f"without packet {place + 1}"


@pytest.mark.parametrize("fixture", [one for one in FIXTURES if one.part == "keeps"], ids=str)
def test_packet_of_which_only_the_second_copy_was_captured(
    fixture: Fixture, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """It was sent again, and nothing tells that it had been there before."""
    frames = play(fixture.script)
    known = accusations(Local(_written(tmp_path, frames)).judged())
    places = [place for place, frame in enumerate(frames) if frame.about in ("request", "response", "fault")]
    if not request.config.getoption("--every-packet"):
        places = places[-2:]
    for place in places:
        again = replace(frames[place], ts_us=frames[place].ts_us + SENT_AGAIN_US)
        late = sorted((*frames[:place], *frames[place + 1 :], again), key=lambda frame: frame.ts_us)
        # What the fixture itself breaks is broken by the late packet, at its time.
        of_it = {(*who, ts_ns + SENT_AGAIN_US * 1000) for *who, ts_ns in known}
        assert accusations(Local(_written(tmp_path, late)).judged()) <= known | of_it, f"packet {place + 1} late"


@pytest.mark.parametrize(("name", "script"), pieces("traps.calls"), ids=lambda value: value.partition("\n")[0])
def test_what_has_misled_us(name: str, script: str, tmp_path: Path) -> None:
    """See traps.calls."""
    whole = play(LOSSES.sub("", script))
    lacking = lost(script)
    assert lacking, name
    known = accusations(Local(_written(tmp_path, whole)).judged())
    left = [frame for frame in whole if (frame.line, frame.about) not in lacking]
    assert len(left) < len(whole)
    assert accusations(Local(_written(tmp_path, left)).judged()) <= known


@pytest.mark.parametrize("fixture", [one for one in all_fixtures() if one.part == "keeps"], ids=str)
def test_any_call_over_a_connection_of_which_only_the_ends_were_captured(fixture: Fixture, tmp_path: Path) -> None:
    """At a port that nobody announced. One call of each fixture, another with each rule."""
    scripts = elsewhere(fixture.script)
    if not scripts:
        pytest.skip("no call of it stands alone")
    lines, script = scripts[len(fixture.rule_id) % len(scripts)]
    whole = play(script)
    known = accusations(Local(_written(tmp_path, whole)).judged())
    left = [frame for frame in whole if frame.line not in lines or frame.about in ("syn", "syn_ack", "fin")]
    assert len(left) < len(whole)
    assert accusations(Local(_written(tmp_path, left)).judged()) <= known


@pytest.mark.parametrize(("name", "script"), pieces("unusual.calls"), ids=lambda value: value.partition("\n")[0])
def test_unusual_but_whole(name: str, script: str, tmp_path: Path) -> None:
    """See unusual.calls."""
    heading, _, rest = script.partition("\n")
    expected = set(heading.removeprefix("accuses:").split()) if heading.startswith("accuses:") else set()
    tables = Local(_written(tmp_path, play(rest if expected else script))).judged()
    assert {row["rule_id"] for row in tables["findings"] if row["verdict"] != "not_decidable"} == expected, name


def _written(folder: Path, frames: list[Timed]) -> Path:
    save(folder / "talk.pcap", frames)
    return folder / "talk.pcap"


@pytest.mark.parametrize("seed", range(5))
def test_sample_without_many_packets(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    known = accusations(Local(SAMPLE).judged())
    packets = len(records(SAMPLE)[1])
    for _ in range(30):
        share = rng.choice(SHARES)
        gone = {place for place in range(packets) if rng.random() < share}
        assert without(SAMPLE, gone, tmp_path) <= known, f"without {sorted(gone)}"


@pytest.mark.parametrize("seed", range(30))
def test_clock_that_goes_back_accuses_nobody(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    frames = play(talk(rng))
    known = {rule for rule, *_ in accusations(Local(_written(tmp_path, frames)).judged())}
    step, where = rng.choice([5_000_000, 2_000, 100]), rng.randrange(1, len(frames))
    wrong = [replace(frame, ts_us=frame.ts_us - step * (place >= where)) for place, frame in enumerate(frames)]
    assert {rule for rule, *_ in accusations(Local(_written(tmp_path, wrong)).judged())} <= known


def test_sample_cut_into_two_files_anywhere(tmp_path: Path) -> None:
    header, packets = records(SAMPLE)
    whole = _told(Local(SAMPLE).judged())
    for place in range(1, len(packets)):
        first = write(tmp_path / "first.pcap", header, packets[:place])
        second = write(tmp_path / "second.pcap", header, packets[place:])
        assert _told(Local(first, second).judged()) == whole, f"cut after packet {place}"


def _told(tables: Mapping[str, list[Row]]) -> dict[str, list[str]]:
    """Without frames and files, which are others by necessity."""
    return {name: sorted(str(_unplaced(row)) for row in rows) for name, rows in tables.items()}


_PLACES = ("capture_id", "request_frames", "response_frames")


def _unplaced(row: Row) -> Row:
    kept = {name: value for name, value in row.items() if name not in _PLACES}
    if "evidence" in kept:
        kept["evidence"] = kept["evidence"]["values"]
    return kept
