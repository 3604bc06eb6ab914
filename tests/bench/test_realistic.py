"""Captures of ordinary traffic: nobody is accused, everything decodes, copies share nothing."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import dpkt
import numpy as np
import pytest

from bench.realistic.background import Background
from bench.realistic.copies import Copies, Plan
from bench.realistic.fields import CONNECTIONS, values
from bench.realistic.recipes import RECIPES, capture, size_of, windows
from bench.realistic.scripts import scripts
from bench.realistic.templates import templates
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def rpc(tmp_path_factory: pytest.TempPathFactory) -> Local:
    return Local(capture("rpc", "2MB", tmp_path_factory.mktemp("captures")))


def test_nobody_is_accused(rpc: Local) -> None:
    judged = rpc.judged()["findings"]
    assert [found for found in judged if found["verdict"] == "violation"] == []
    assert not {found["reason"] for found in judged} & {"open_not_seen", "bind_not_seen", "bytes_missing"}


def test_everything_decodes_that_is_not_sealed(rpc: Local) -> None:
    assert rpc.tables["issues"] == []
    calls = rpc.tables["calls"]
    assert {call["outcome"] for call in calls} == {"answered"}
    states = Counter(call["decode_state"] for call in calls)
    assert states.keys() == {"full", "opaque"}
    assert states["full"] > 5 * states["opaque"]


def test_a_call_has_its_usual_size(rpc: Local) -> None:
    assert 2_000 < 2_000_000 / len(rpc.tables["calls"]) < 4_500


@pytest.mark.parametrize("name", RECIPES)
def test_in_order_of_time_and_of_the_size_asked_for(name: str, tmp_path: Path) -> None:
    path = capture(name, "6MB", tmp_path)
    assert 0.7 < path.stat().st_size / 6e6 < 1.3
    with path.open("rb") as file:
        times = [ts for ts, _ in dpkt.pcap.Reader(file)]
    assert all(before <= after for before, after in pairwise(times))
    assert capture(name, "6MB", tmp_path).stat().st_mtime_ns == path.stat().st_mtime_ns


def test_the_same_whenever_it_is_made() -> None:
    once, again = (b"".join(frames.octets.tobytes() for frames in windows(RECIPES["mixed"], 2_000_000)) for _ in "ab")
    assert once == again


def test_every_script_is_copied_and_windows_do_not_matter() -> None:
    made = templates(scripts())
    plan = Plan(40, 0, 60_000_000, np.array([0.5, 0.5]), 3)
    whole, piecewise = Copies(made, plan), Copies(made, plan)
    frames = whole.until(1 << 60)
    assert whole.over
    steps = [piecewise.until(moment) for moment in range(0, 120_000_000, 7_000_000)]
    assert piecewise.over
    assert len(frames.ts_us) == sum(len(step.ts_us) for step in steps)
    assert frames.ts_us.tolist() == [ts for step in steps for ts in step.ts_us.tolist()]
    assert sum(len(step.octets) for step in steps) == len(frames.octets) == frames.lengths.sum()


def test_copies_share_no_client_and_no_number() -> None:
    made = values(0, np.zeros(70_000, np.int64), np.zeros(70_000, np.int64))
    for field in ("client", "number"):
        assert len(np.unique(made[field])) == len(made)
    assert made["number"].min() > 0
    assert made["port"].shape == (70_000, CONNECTIONS)


def test_background_is_the_same_in_any_steps() -> None:
    once, stepped = (Background(200_000_000, 0, 100_000_000, 5) for _ in "ab")
    frames = once.until(60_000_000)
    parts = [stepped.until(moment) for moment in (20_000_000, 40_000_000, 60_000_000)]
    assert frames.lengths.tolist() == [length for part in parts for length in part.lengths.tolist()]


@pytest.mark.parametrize(("text", "size"), [("100MB", 100_000_000), ("10GB", 10_000_000_000), ("5KB", 5_000)])
def test_sizes(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["", "MB", "100", "1.5GB", "100 MB"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(ValueError, match="no size"):
        size_of(text)
