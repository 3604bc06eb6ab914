"""What somebody who watches a run is told."""

from __future__ import annotations

import io
import time
from collections import Counter
from typing import Any, cast

import pytest

from pipelines.captures.meter import MeterReading
from pipelines.cli.progress import Progress, duration, reading


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class FakeMeter:
    def __init__(self, captures: int, packets: int, octets: int) -> None:
        self.splits, self.bytes = Counter({0: 1, 1: 3}), 4_000_000
        self.reached = MeterReading(captures, packets, octets)


def fake(*reached: int) -> Any:  # noqa: ANN401 - stands for a Meter
    return cast("Any", FakeMeter(*reached))


def test_how_far_how_fast_and_how_long() -> None:
    assert reading(fake(1, 5_000, 1_000_000), 10) == (
        "1 of 2 captures, 1.0 MB of 4.0 MB, 500 packets/s, 100.0 kB/s, 30 s left"
    )


def test_no_rate_before_it_means_something() -> None:
    assert reading(fake(0, 10, 1_000), 1) == "0 of 2 captures, 1.0 kB of 4.0 MB"
    assert reading(fake(0, 0, 0), 100) == "0 of 2 captures, 0 bytes of 4.0 MB"


def test_a_terminal_sees_each_stage_once_and_is_left_clean() -> None:
    terminal = Terminal()
    with Progress(terminal) as say:
        say("starting Spark")
        say("scanning")
        say.measure(fake(1, 1, 1_000))
        time.sleep(1.2)
    shown = terminal.getvalue()
    lines = [line.rpartition("\x1b[K")[2] for line in shown.split("\n")]
    assert [line.partition("] ")[2] for line in lines if line] == ["starting Spark", "scanning"]
    assert "1 of 2 captures" in shown
    assert shown.endswith("\r\x1b[K")


def test_a_log_sees_nothing() -> None:
    log = io.StringIO()
    with Progress(log) as say:
        say("scanning")
        say("writing")
    assert log.getvalue() == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3 * 3600 + 120, "3 h 2 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
