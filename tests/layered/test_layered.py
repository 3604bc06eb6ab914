"""A small share of `make fuzz` by layers, and that it finds what it is there to find."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.findings import Broken
from tests.layered import cases, files
from tests.layered import grammar as g
from tests.layered.__main__ import main
from tests.layered.captures import capture_of
from tests.layered.cases import BLOCK, LAYERS, layer_of, run
from tests.layered.damage import damage, places_of
from tests.layered.losses import LOSSES, ends_of
from tests.layered.lower import record_of
from tests.layered.progress import Progress
from tests.layered.seeds import frames_of, seeds
from tests.layered.tokens import token_parts
from tests.layered.tree import walk
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path

SEED = 20
CASES = 1_000


def test_a_tree_is_written_as_it_was_read() -> None:
    """Every seed, so that whatever is found comes from the damage."""
    for number, seed in enumerate(seeds()):
        capture = capture_of(frames_of(number))
        capture.settle()
        written = [b"".join(part.write() for part in record.parts) for record in capture.records]
        assert written == [one.data for one in frames_of(number)], seed.name


def test_seeds_reach_every_layer() -> None:
    kinds = Counter(
        place.part.kind  # type: ignore[attr-defined]
        for number in range(0, len(seeds()), 7)
        for layer in (g.FRAME, g.SEGMENT, g.PDU, g.TOKEN, g.STUB)
        for place in places_of(capture_of(frames_of(number)), layer)
    )
    assert kinds.keys() >= {
        *("ethernet", "ipv4", "tcp", "pdu", "request", "response", "bind", "context", "syntax", "ack", "results"),
        *("result", "security", "stub", "object"),
    }


def test_what_was_said_longer_moves_what_follows() -> None:
    """Sequence numbers, acknowledgements and lengths fit what is said now."""
    number = next(n for n, seed in enumerate(seeds()) if seed.name == "mqqp-4.1-receive")
    capture = capture_of(frames_of(number))
    stubs = places_of(capture, g.STUB)
    assert stubs
    stubs[0].part.data += bytes(100)  # type: ignore[attr-defined]
    capture.settle()
    written = [b"".join(part.write() for part in record.parts) for record in capture.records]
    again = capture_of(
        [one._replace(data=data, wire=len(data)) for one, data in zip(frames_of(number), written, strict=True)]
    )
    said = sum(one.stream.size for one in again.sides)
    assert said == sum(one.stream.size for one in capture_of(frames_of(number)).sides) + 100
    assert len(places_of(again, g.STUB)) == len(stubs)


@pytest.mark.parametrize("kind", sorted(set(files.FORMATS)))
def test_containers_hold_the_same(kind: str, tmp_path: Path) -> None:
    number = next(n for n, seed in enumerate(seeds()) if seed.name == "mqqp-4.1-receive")
    path = tmp_path / "case.pcap"
    path.write_bytes(files.written(files.as_file(kind, [record_of(one) for one in frames_of(number)])))
    local = Local(path)
    assert not local.refused
    assert len(local.tables["calls"]) > 3
    assert local.tables["issues"] == []


def test_elements_of_tokens_are_written_as_they_were_read() -> None:
    token = bytes.fromhex("600d06062b0601050502a003020105")
    assert b"".join(part.write() for part in token_parts(token)) == token
    assert any(place.part.kind == "element" for place in walk(token_parts(token)))  # type: ignore[attr-defined]


def test_losses_take_away_and_nothing_else() -> None:
    ends = ends_of(capture_of(frames_of(0)))
    for how in LOSSES.values():
        kept = [how(ends, random.Random(number)) for number in range(30)]
        assert all(one == sorted(set(one)) and set(one) <= set(range(len(ends))) for one in kept)
        assert any(len(one) < len(ends) for one in kept)


def test_damage_changes_what_is_written() -> None:
    changed = 0
    for number in range(50):
        capture = capture_of(frames_of(number))
        rng = random.Random(number)
        for layer in (g.FRAME, g.PDU, g.STUB):
            damage(places_of(capture, layer), rng)
        capture.settle()
        written = [b"".join(part.write() for part in record.parts) for record in capture.records]
        changed += written != [one.data for one in frames_of(number)]
    assert changed > 45


def test_a_thousand_cases_and_nothing_is_found() -> None:
    tally = run(SEED, range(CASES))
    assert [f"{one.facts['layer']} {one.number}: {one.what}\n{one.trace}" for one in tally.findings] == []
    for layer in LAYERS:
        assert tally.counts[layer.name] == layer.of_a_thousand * CASES // BLOCK
    for outcome in ("tokens: read", "tokens: refused", "messages: complete", "messages: damaged", "segments: gap",
                    "stubs: values, complete", "stubs: bytes, stopped", "whole: calls"):  # fmt: skip
        assert tally.counts[outcome]


def test_the_same_number_is_the_same_case() -> None:
    numbers = [number for number in range(200) if layer_of(number).name in ("pdus", "segments", "stubs")]
    assert run(SEED, numbers).counts == run(SEED, numbers).counts
    assert Counter(layer_of(number).name for number in range(BLOCK)) == {one.name: one.of_a_thousand for one in LAYERS}


def test_what_breaks_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_rng: random.Random, _folder: Path) -> str:
        raise Broken("it does not hold", "in this case")

    monkeypatch.setattr(cases, "_OF_PLACE", tuple(one._replace(run=broken) for one in cases._OF_PLACE))
    assert main(["--seed", "3", "--case", "17"]) == 1
    tally = run(3, range(5))
    assert [one.what for one in tally.findings] == ["it does not hold"] * 5
    assert "it does not hold" in capsys.readouterr().out
    monkeypatch.setattr(
        cases, "_OF_PLACE", tuple(one._replace(run=lambda *_: "well", slow_seconds=-1.0) for one in LAYERS) * 200
    )
    (slow,) = run(3, [1]).findings
    assert "takes longer" in slow.what


def test_a_run_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[int] = []

    def quick(_rng: random.Random, _folder: Path) -> str:
        ran.append(1)
        return "well"

    monkeypatch.setattr(cases, "_OF_PLACE", tuple(one._replace(run=quick) for one in cases._OF_PLACE))
    wanted = ["--jobs", "1", "--out", str(tmp_path), "--cases"]
    assert main([*wanted, "2000"]) == 0
    assert main([*wanted, "3000"]) == 0
    assert len(ran) == 3 * BLOCK
    progress = Progress.of(tmp_path, 1)
    assert (progress.done, progress.tally.cases) == ({0, 1, 2}, 3 * BLOCK)
    assert main([*wanted, "9000", "--minutes", "0"]) == 2
    assert "4,000 cases" in capsys.readouterr().out
