"""python -m tests.pipelines.rules.unruly_talks_main: talks of unruly clients with losses, judged as long as one likes.

Exit status: 0 a loss never made anybody look guilty; 1 it did.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.local import Local
from tests.pipelines.rules.removal import accusations, without
from tests.pipelines.rules.unruly_talks import losses, talk
from tests.scripts.player import play, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pipelines.rules.removal import Accusation
    from tests.scripts.tape import Timed

Row = dict[str, Any]
LOSSES = 40
"""Of a talk."""
MOST_SHOWN = 2
"""Holes of one rule."""


@dataclass(frozen=True, slots=True)
class Hole:
    """Somebody who looks guilty only because packets are missing."""

    seed: int
    script: str
    accusation: Accusation
    missing: tuple[Timed, ...]

    def __str__(self) -> str:
        rule, client, server, ts_ns = self.accusation
        packets = ", ".join(f"line {one.line} {one.about}" for one in self.missing)
        numbered = (f"{number:3} {line}" for number, line in enumerate(self.script.splitlines(), 1))
        return "\n".join((f"seed {self.seed}: {rule} {client} -> {server} at {ts_ns}, without {packets}", *numbered))


class Played:
    """The talk of a seed, judged whole."""

    talk = staticmethod(talk)

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed, self._folder = seed, folder
        self._rng = random.Random(seed)
        self.script = self.talk(self._rng)
        self._frames = play(self.script)
        self._whole = folder / "whole.pcap"
        write(self._whole, self._frames)
        self.tables: dict[str, list[Row]] = Local(self._whole).judged()
        self.known = accusations(self.tables)

    def holes(self, number: int = LOSSES) -> Iterator[Hole]:
        """Those of so many losses."""
        ways = list(losses(len(self._frames), self._rng))
        for gone in self._rng.sample(ways, min(number, len(ways))):
            for accusation in sorted(self._accused(gone) - self.known):
                missing = tuple(self._frames[place] for place in sorted(self._least(gone, accusation)))
                yield Hole(self.seed, self.script, accusation, missing)

    def _accused(self, gone: frozenset[int]) -> frozenset[Accusation]:
        return without(self._whole, gone, self._folder)

    def _least(self, gone: frozenset[int], accusation: Accusation) -> frozenset[int]:
        """Of the packets missing, those that the accusation needs: with any one of them back it is gone."""
        left = gone
        for place in sorted(gone):
            fewer = left - {place}
            if accusation in self._accused(fewer):
                left = fewer
        return left if left == gone else self._least(left, accusation)


@dataclass(slots=True)
class Tally:
    talks: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    """Accusations of whole captures."""
    holes: Counter[str] = field(default_factory=Counter)

    def add(self, played: Played) -> Iterator[Hole]:
        """The holes that are worth showing."""
        self.talks += 1
        self.rules.update(rule for rule, *_ in played.known)
        for hole in played.holes():
            rule = hole.accusation[0]
            self.holes[rule] += 1
            if self.holes[rule] <= MOST_SHOWN:
                yield hole

    def __str__(self) -> str:
        found = ", ".join(f"{rule} {number}" for rule, number in self.holes.most_common())
        return (
            f"{self.talks:,} talks with {LOSSES} losses each; whole captures accuse {self.rules.total():,} times by "
            f"{len(self.rules)} rules; only with losses {self.holes.total():,} times{': ' if found else ''}{found}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=1_000, help="of the first talk; the others count from it")
    parser.add_argument("--minutes", type=float, default=10)
    given = parser.parse_args()
    tally, seed, until = Tally(), given.seed, time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < until:
            _tell(tally, seed, Path(folder))
            seed += 1
    sys.stdout.write(f"seeds {given.seed} to {seed - 1}: {tally}\n")
    return int(bool(tally.holes))


def _tell(tally: Tally, seed: int, folder: Path) -> None:
    try:
        for hole in tally.add(Played(seed, folder)):
            sys.stdout.write(f"{hole}\n\n")
            sys.stdout.flush()
    except Exception as error:
        error.add_note(f"seed {seed}")
        raise


if __name__ == "__main__":
    sys.exit(main())
