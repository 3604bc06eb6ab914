"""What is damaged: every fixture of a rule, every example and scenario, and the recorded samples."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.builders.conversations import frames
from tests.fuzz.recording import record
from tests.fuzz.scenes import SCENES
from tests.layered.captures import Recorded
from tests.pipelines.rules.fixtures import all_fixtures
from tests.scripts.player import play

if TYPE_CHECKING:
    from collections.abc import Callable

_ROOT: Final = Path(__file__).parents[2]
_SCRIPTS: Final = ("tests/data/scripts", "tests/pipelines/scenarios", "samples/incident", "samples/script")
_CAPTURES: Final = ("samples/incident/orders.pcap", "samples/script/invoices.pcap", "samples/msmq-loopback.pcap")
_MOST: Final = 400
"""Frames of a seed: of longer ones the first."""
_FILE, _RECORD = 24, 16


class Seed(NamedTuple):
    name: str
    make: Callable[[], tuple[Recorded, ...]]


@cache
def seeds() -> tuple[Seed, ...]:
    found = [Seed(str(one), lambda one=one: _played(one.script)) for one in all_fixtures()]  # type: ignore[misc]
    for folder in _SCRIPTS:
        for path in sorted((_ROOT / folder).glob("*.calls")):
            found.append(Seed(path.stem, lambda path=path: _played(path.read_text(encoding="utf-8"))))  # type: ignore[misc]
    found += [Seed(name, lambda name=name: _read(_ROOT / name)) for name in _CAPTURES]  # type: ignore[misc]
    found += [Seed(scene.name, lambda scene=scene: _staged(scene)) for scene in SCENES]  # type: ignore[misc]
    return tuple(found)


@cache
def frames_of(number: int) -> tuple[Recorded, ...]:
    return seeds()[number].make()[:_MOST]


def _played(script: str) -> tuple[Recorded, ...]:
    taps = play(script)
    return tuple(Recorded(one.ts_us * 1_000, one.frame.captured, one.frame.wire_len) for one in taps)


def _staged(scene: object) -> tuple[Recorded, ...]:
    shots = record([scene], None)  # type: ignore[list-item]
    return tuple(
        Recorded(shot.at_ms * 1_000_000, frame.captured, frame.wire_len)
        for shot in shots
        for frame in frames(shot.ends, shot.packet)
    )


def _read(path: Path) -> tuple[Recorded, ...]:
    """A little-endian pcap."""
    data, at = path.read_bytes(), _FILE
    found: list[Recorded] = []
    while at < len(data) and len(found) < _MOST:
        seconds, fraction, size, wire = struct.unpack_from("<IIII", data, at)
        frame = data[at + _RECORD : at + _RECORD + size]
        found.append(Recorded(seconds * 1_000_000_000 + fraction * 1_000, frame, wire))
        at += _RECORD + size
    return tuple(found)
