"""Races of whole runs: what is made of the figures. Nothing is run here but a program that sleeps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench import runners
from bench.processes import Ran, descendants, run
from bench.races import OURS, START, Figures, Race, Runner, Target, calls_a_second, memory_times, times_above_start
from bench.realistic.recipes import RECIPES, size_of
from bench.targets import RACES
from bench.whole import report_lines


def figures(*seconds: float, calls: int = 0, worker_mb: float = 0) -> Figures:
    return Figures.of([Ran(one, worker_mb) for one in seconds], calls)


def race(name: str) -> Race:
    return next(one for one in RACES if one.name == name)


def test_the_median_counts() -> None:
    assert str(figures(3, 1, 9)) == "3.0 s (3.0, 1.0, 9.0)"
    assert str(figures(2, worker_mb=1234.5)) == "2.0 s (2.0), a worker at most 1,234 MB"


@pytest.mark.parametrize(("ours", "said"), [(5.0, ("met", "met")), (8.0, ("met", "missed")), (11.0, ("missed",) * 2)])
def test_ratios(ours: float, said: tuple[str, str]) -> None:
    found = {OURS: figures(ours), "tshark": figures(10.0)}
    verdicts = [target.verdict(found) for target in race("mixed").targets]
    assert tuple(verdict.rpartition(" ")[2] for verdict in verdicts) == said
    assert verdicts[0].startswith(f"{ours / 10:.2f} times tshark (target: at most 1): ")


def test_a_rival_that_is_not_installed() -> None:
    found = {OURS: figures(5.0), "tshark": figures(10.0), START: figures(2.0)}
    assert report_lines(race("mixed-1gb"), found)[-1] == (
        "  = times suricata, above start-up (target: at most 2): not measured, no suricata here"
    )


def test_calls_above_start() -> None:
    found = {OURS: figures(14.0, calls=80_000), START: figures(10.0)}
    assert calls_a_second(OURS)(found) == 20_000
    assert race("rpc").targets[0].verdict(found) == (
        "20,000 calls a second above start-up (target: at least 20,000): met"
    )


def test_growth_and_cores_above_start() -> None:
    found = {"1 GB": figures(31.0), "100 MB": figures(12.0), START: figures(10.0)}
    assert times_above_start("1 GB", "100 MB")(found) == 10.5
    assert race("growth").targets[0].verdict(found).endswith(": met")


def test_quicker_than_a_start_is_no_division_by_nothing() -> None:
    assert times_above_start(OURS, "b")({OURS: figures(1), "b": figures(1), START: figures(2)}) == 1


def test_memory() -> None:
    assert memory_times("a", "b")({"a": figures(1, worker_mb=300), "b": figures(1, worker_mb=200)}) == 1.5


def test_at_least() -> None:
    target = Target("x", lambda _: 1.6, 1.7, "at least")
    assert target.verdict({}) == "1.60 x (target: at least 1.7): missed"


def test_races_are_of_captures_that_can_be_made() -> None:
    assert len({one.name for one in RACES}) == len(RACES)
    for one in RACES:
        assert len({runner.name for runner in one.runners}) == len(one.runners)
        for runner in one.runners:
            assert not runner.recipe or (runner.recipe in RECIPES and size_of(runner.size))


def test_a_capture_is_named_once() -> None:
    runner = Runner("a", runners.cat, "rpc", "1MB")
    one = Race("some", (runner, Runner("b", runners.cat, "rpc", "1MB")), ())
    assert report_lines(one, {"a": figures(1)}) == ["some: rpc 1MB", "  a: 1.0 s (1.0)"]


def test_a_program_is_run() -> None:
    assert 0.3 < run([sys.executable, "-c", "import time; time.sleep(0.3)"]).seconds < 30


def test_a_program_that_fails() -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run([sys.executable, "-c", "import sys; sys.exit('no room')"])
    assert caught.value.stderr == b"no room\n"


def test_descendants() -> None:
    assert descendants(1, {2: 1, 3: 2, 4: 3, 5: 9, 9: 0}) == {2, 3, 4}


def test_commands_read_the_capture(tmp_path: Path) -> None:
    capture = Path("some.pcap")
    for command in (runners.analyze("--master", "local[1]"), runners.show, runners.cat, runners.dpkt_loop):
        assert "some.pcap" in (command(capture, tmp_path) or ["some.pcap"])
