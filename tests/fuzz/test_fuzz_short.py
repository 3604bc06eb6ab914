"""`make fuzz` in a quarter of a minute: a fixed seed, some cases of every kind."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from decoders.msmq.message import PROBLEMS as MESSAGE_PROBLEMS
from decoders.ndr.problems import PROBLEMS
from decoders.security.descriptors import PROBLEMS as DESCRIPTOR_PROBLEMS
from tests.fuzz import captures, stubs
from tests.fuzz.__main__ import REPLAYS, case
from tests.fuzz.capture_checks import check
from tests.fuzz.findings import Broken, Finding, Hang, Tally, limited
from tests.fuzz.known import KNOWN, news
from tests.fuzz.recording import CONTAINERS, captured_payload, record
from tests.fuzz.runner import jobs
from tests.fuzz.scenes import SCENES
from tests.fuzz.stub_seeds import WIRES

if TYPE_CHECKING:
    from pathlib import Path

SEED = 1
STUBS_PER_WIRE = 28
CAPTURES = [*range(0, 3 * 6_000, 211), *range(120_001, 120_240)]
"""Of the captures cut at each byte, and of those damaged at random."""


OUT_OF_REACH = {"ndr-null-reference", "ndr-too-large", "ndr-problems-omitted"}
"""No interface embeds a reference pointer; a million values take larger stubs; 64 problems take more luck."""


def _told(tally: Tally) -> list[str]:
    return [f"{finding.name}: {finding.what} {finding.facts}" for finding in news(tally.findings)]


def test_damaged_stubs() -> None:
    tally = Tally()
    for lot in range(len(WIRES), 2 * len(WIRES)):
        tally.add(stubs.run_lot(SEED, lot, range(STUBS_PER_WIRE)))
    assert _told(tally) == []
    assert tally.cases == STUBS_PER_WIRE * len(WIRES)
    # Half a run of truncated stubs would find nothing either: both ends of the decoder have to be reached.
    assert tally.counts["complete"] > tally.cases / 5
    assert tally.counts["stopped"] > tally.cases / 5
    reached = {name.removeprefix("problem ") for name in tally.counts if name.startswith("problem ")}
    assert PROBLEMS.keys() - reached <= OUT_OF_REACH


def test_damaged_captures() -> None:
    tally = captures.run(SEED, CAPTURES)
    assert _told(tally) == []
    assert tally.cases == len(CAPTURES)
    assert tally.counts["with calls"] > tally.cases / 3
    assert tally.counts["with issues"] > tally.cases / 4
    assert tally.counts["refused"] > 0


@pytest.mark.parametrize("container", CONTAINERS)
def test_before_the_damage_nothing_is_wrong(container: str, tmp_path: Path) -> None:
    for scene in SCENES:
        shots = record([scene], None)
        path = tmp_path / f"{scene.name}.pcap"
        path.write_bytes(CONTAINERS[container](shots))
        local = check([path], payload_bytes=captured_payload(shots))
        # Towers, properties, messages and security descriptors of the scenes hold whatever fits their types.
        allowed = {"tower-malformed", "property-malformed", *MESSAGE_PROBLEMS, *DESCRIPTOR_PROBLEMS}
        assert {row["code"] for row in local.tables["issues"]} <= allowed
        requests = [turn.data for turn in scene.turns if turn.data[2] == 0 and turn.data[3] & 1]
        assert len(local.tables["calls"]) == len(requests) > 0
        unanswered = {row["outcome"] for row in local.tables["calls"]} - {"answered"}
        assert unanswered == ({"faulted", "cancelled", "orphaned"} if scene.name == "troubled" else set())


def test_what_is_known_still_fails() -> None:
    for known in KNOWN:
        assert any(known.covers(finding) for finding in known.example().findings), known


def test_the_same_number_is_the_same_case() -> None:
    for lot in (3, len(WIRES) + 3):
        whole = stubs.stubs_of(SEED, lot, range(stubs.LOT))
        assert stubs.stubs_of(SEED, lot, [17]) == [whole[17]]
        assert stubs.stubs_of(SEED + 1, lot, range(stubs.LOT)) != whole
    assert captures.case(SEED, 7) == captures.case(SEED, 7)
    assert captures.case(SEED, 7) != captures.case(SEED + 1, 7)


def test_every_byte_of_the_small_captures_is_cut() -> None:
    cut = {captures.case(SEED, 3 * place).data for place in range(len(captures._small("small", "pcap")))}
    assert {len(data) for data in cut} == set(range(len(captures._small("small", "pcap"))))


def test_every_case_is_done_once() -> None:
    done = [(kind, first + place) for kind, _, first, number in jobs(SEED, 1_000, 120) for place in range(number)]
    assert sorted(done) == [("captures", n) for n in range(120)] + [("stubs", n) for n in range(1_000)]


def test_a_fault_is_found_written_and_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.stub_checks.SLOW_SECONDS", -1.0)
    (found,) = case("stubs", SEED, 50_000).findings
    again = Finding.read(found.write(tmp_path))
    assert again == found
    assert [one.what for one in REPLAYS["stubs"](again).findings] == [found.what]
    monkeypatch.undo()
    assert REPLAYS["stubs"](again).findings == []


def test_bytes_forgotten_are_found(tmp_path: Path) -> None:
    number = next(n for n in range(1, 99) if captures.case(SEED, n).payload_bytes)
    one = captures.case(SEED, number)
    wrong = (one.payload_bytes or 0) + 1
    facts = {"what": one.what, "truth": None, "lossless": False, "payload_bytes": wrong, "sizes": one.sizes}
    lying = Finding("captures", SEED, number, "", "", facts, one.data)
    again = Finding.read(lying.write(tmp_path))
    assert [found.what for found in REPLAYS["captures"](again).findings] == ["payload bytes are missing"]


def test_what_was_not_said_before_a_loss_is_found() -> None:
    number = 3 * (len(captures._small("small", "pcap")) - 1)
    one = captures.case(SEED, number)
    assert one.truth is not None
    pairs, values, accused = one.truth.lists()
    for truth, fault in (([[], values, accused], "pairs a request"), ([pairs, [], accused], "changes what a stub")):
        facts = {"what": one.what, "truth": truth, "lossless": False, "payload_bytes": None, "sizes": ()}
        (found,) = captures.replay(Finding("captures", SEED, number, "", "", facts, one.data)).findings
        assert fault in found.what


def test_a_hang_ends() -> None:
    with pytest.raises(Hang), limited(0.05):
        any(False for _ in count())


def test_details_do_not_make_another_fault() -> None:
    assert str(Broken("promise", "detail")) == "promise"
