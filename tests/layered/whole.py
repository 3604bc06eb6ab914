"""Cases of whole captures: damaged at one layer or several, or with packets missing, from the file to the verdicts."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tests.fuzz.capture_checks import Truth, check, check_scan
from tests.fuzz.findings import Broken
from tests.layered import files
from tests.layered import grammar as g
from tests.layered.captures import capture_of
from tests.layered.damage import damage, pieces_damaged, places_in, places_of
from tests.layered.losses import LOSSES, ends_of, left
from tests.layered.lower import a_seed, record_of
from tests.layered.seeds import frames_of, seeds
from tests.local import Local
from tests.pipelines.rules.removal import accusations

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.layered.captures import Capture, Recorded

_LAYERS = (g.FRAME, g.SEGMENT, g.PDU, g.PDU, g.PDU, g.TOKEN, g.STUB, g.STUB, g.STUB)
_MOST = 120
"""Frames of a seed."""


def whole(rng: random.Random, folder: Path) -> str:
    capture = capture_of(a_seed(rng)[:_MOST])
    donor = capture_of(a_seed(rng)[:_MOST])
    layers = rng.sample(_LAYERS, rng.choice((1, 1, 2, 3)))
    for layer in layers:
        places, donors = places_of(capture, layer), places_of(donor, layer)
        for _ in range(rng.choice((1, 2, 6))):
            damage(places, rng, donors)
    if rng.random() < 0.2:
        _mixed(capture, rng)
    donor.settle()
    capture.settle()
    # Segments are written last: their numbers are those of what is said now.
    parts = files.as_file(rng.choice(files.FORMATS), capture.records, rng if rng.random() < 0.3 else None)
    if rng.random() < 0.2:
        damage(places_in(parts, g.CONTAINER), rng)
    path = folder / "case.pcap"
    path.write_bytes(files.written(parts))
    local = check([path])
    check_scan(path)
    return "refused" if local.refused else "calls" if local.tables["calls"] else "no calls"


def _mixed(capture: Capture, rng: random.Random) -> None:
    talking = [said for said in capture.sides if said.stream.pieces]
    if talking:
        pieces_damaged(rng.choice(talking).stream.pieces, rng)


@cache
def _truth(number: int, folder: Path) -> tuple[Truth, bool]:
    """And whether packets are missing already: without what is behind a gap, more may be certain than with it."""
    local = Local(_written(frames_of(number)[:_MOST], folder))
    return Truth.of(local), any(row["code"] == "tcp-gap" for row in local.tables["issues"])


def _written(frames: tuple[Recorded, ...] | list[Recorded], folder: Path) -> Path:
    path = folder / "case.pcap"
    path.write_bytes(files.written(files.as_file("pcap", [record_of(one) for one in frames])))
    return path


def losses(rng: random.Random, folder: Path) -> str:
    number = rng.randrange(len(seeds()))
    (truth, has_gaps), frames = _truth(number, folder), frames_of(number)[:_MOST]
    how = rng.choice(sorted(LOSSES))
    kept = LOSSES[how](ends_of(capture_of(frames)), rng)
    local = check([_written(left(frames, kept), folder)], None if has_gaps else truth)
    if accused := accusations(local.judged()) - truth.accusations:
        raise Broken("a loss makes somebody look guilty", sorted(accused))
    return how
