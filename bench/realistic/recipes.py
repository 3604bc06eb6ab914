"""The captures that whole runs are measured with: seeded, of any size, kept from one run to the next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.containers import FILE_HEADERS, records
from bench.realistic.background import Background
from bench.realistic.copies import Copies, Frames, Plan
from bench.realistic.scripts import scripts
from bench.realistic.templates import templates
from tests.scripts.tape import START_US

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.realistic.templates import Templates
    from decoders.net.model import Column

DATA: Final = Path(__file__).parents[1] / "data"
_VERSION: Final = 1
"""Of what is generated; part of the files' names, so that older ones are not used again."""
_RECORD_BYTES: Final = 16
_WINDOW_BYTES: Final = 8_000_000
_UNITS: Final = {"KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000}
_SECOND: Final = 1_000_000


def _alike(servers: int) -> tuple[float, ...]:
    return (1 / servers,) * servers


@dataclass(frozen=True, slots=True)
class Recipe:
    servers: tuple[float, ...]
    """The share of each in the conversations."""
    rpc_share: float = 1.0
    """Of the bytes; the rest is what else a network has."""
    seconds_per_mb: float = 6.0
    seed: int = 1


RECIPES: Final = {
    "rpc": Recipe(_alike(40)),
    "mixed": Recipe(_alike(25), rpc_share=0.123, seconds_per_mb=2.4),
    "alike": Recipe(_alike(10)),
    "skew": Recipe((0.9, *(0.1 / 9,) * 9)),
}


def size_of(text: str) -> int:
    """`100MB` in bytes."""
    found = re.fullmatch(r"(\d+)(KB|MB|GB)", text)
    if found is None:
        raise ValueError(f"{text!r} is no size such as 100MB or 10GB")
    return int(found[1]) * _UNITS[found[2]]


def capture(name: str, size: str, folder: Path = DATA) -> Path:
    """The capture's file, made if there is none."""
    path = folder / f"{name}-{size}-v{_VERSION}.pcap"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(FILE_HEADERS["pcap"])
        for frames in windows(RECIPES[name], size_of(size)):
            file.write(records("pcap", *frames).data)
    partial.replace(path)
    return path


def windows(recipe: Recipe, size: int) -> Iterator[Frames]:
    """All frames, in order of time, a few megabytes at once."""
    made = templates(scripts())
    span_us = round(size / 1e6 * recipe.seconds_per_mb * _SECOND)
    copies = Copies(made, _plan(made, recipe, size, span_us))
    background = Background(size - round(size * recipe.rpc_share), START_US, span_us, recipe.seed)
    steps = max(1, size // _WINDOW_BYTES)
    for step in range(1, steps + 1):
        until = START_US + span_us * step // steps
        yield merged(copies.until(until), background.until(until))
    while not copies.over:
        until += span_us // steps
        yield copies.until(until)


def _plan(made: Templates, recipe: Recipe, size: int, span_us: int) -> Plan:
    usual = float(made.share @ (made.sizes + made.frames * _RECORD_BYTES))
    copies = max(1, round(size * recipe.rpc_share / usual))
    return Plan(copies, START_US, span_us, np.array(recipe.servers), recipe.seed)


def merged(one: Frames, other: Frames) -> Frames:
    """Both are in order of time; where times are equal the first one's come first."""
    if not len(other.lengths):
        return one
    order = np.argsort(np.concatenate((one.ts_us, other.ts_us)), kind="stable")
    lengths = np.concatenate((one.lengths, other.lengths))[order]
    octets = np.empty(len(one.octets) + len(other.octets), np.uint8)
    # A mask of whose bytes they are copies all frames at once, whatever their lengths.
    first: Column = np.repeat(order < len(one.lengths), lengths)
    octets[first], octets[~first] = one.octets, other.octets
    return Frames(octets, lengths, np.concatenate((one.ts_us, other.ts_us))[order])
