"""Which thousands of cases have been done with a seed, and what they came to: a run goes on where one stopped."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.fuzz.findings import Tally

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(slots=True)
class Progress:
    path: Path
    seed: int
    done: set[int] = field(default_factory=set)
    """Numbers of the thousands."""
    tally: Tally = field(default_factory=Tally)
    """Without its findings, which have files of their own."""
    seconds: float = 0.0

    @classmethod
    def of(cls, folder: Path, seed: int) -> Progress:
        path = folder / f"layered-{seed}.json"
        if not path.exists():
            return cls(path, seed)
        told = json.loads(path.read_text())
        tally = Tally(told["cases"], (told["slowest"][0], told["slowest"][1]), told["counts"])
        return cls(path, seed, set(told["done"]), tally, told["seconds"])

    def add(self, block: int, tally: Tally, seconds: float) -> None:
        self.done.add(block)
        self.tally.add(tally)
        self.tally.findings.clear()
        self.seconds += seconds
        told = {
            "seed": self.seed,
            "cases": self.tally.cases,
            "slowest": self.tally.slowest,
            "counts": self.tally.counts,
            "done": sorted(self.done),
            "seconds": self.seconds,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(told) + "\n")
        fresh.replace(self.path)
