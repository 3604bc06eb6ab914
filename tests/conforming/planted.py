"""`python -m tests.conforming.planted`: for each rule how often it was broken, found, undecidable and why, missed."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.conforming.breaches import BREACHES
from tests.conforming.conversation import converse
from tests.conforming.verdicts import accused, judged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.conforming.planting import Breach

_TRIES: Final = 400
"""Conversations in which to look for an occasion."""


@dataclass(slots=True)
class Score:
    planted: int = 0
    found: int = 0
    missed: list[int] = field(default_factory=list)
    """Seeds."""
    undecidable: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    """Rules by which the other party was accused."""

    @property
    def line(self) -> str:
        reasons = ", ".join(f"{reason} {number}" for reason, number in self.undecidable.items())
        missed = f"{len(self.missed)} (seed {self.missed[0]})" if self.missed else "0"
        return f"{self.planted:7} {self.found:5} {missed:>14}  {reasons or '-':30} {', '.join(self.others) or '-'}"


def plant(breach: Breach, times: int, first: int = 0, enough: int | None = None) -> Score:
    """In so many conversations, of those that give an occasion; or until it was found `enough` times."""
    score = Score()
    for seed in range(first, first + _TRIES):
        if score.planted == times or score.found == enough:
            break
        talk = converse(seed, breach.cast, breach)
        if len(talk.places) < breach.ways or not breach.shows(talk):
            continue
        score.planted += 1
        _, tables = judged(talk.frames)
        findings = accused(tables)
        guilty = [one for one in findings if one.rule_id == breach.rule_id]
        reasons = {
            row["reason"]
            for row in tables["findings"]
            if row["rule_id"] == breach.rule_id and row["verdict"] == "not_decidable"
        }
        if any((one.client, one.server) in {place[:2] for place in talk.places} for one in guilty):
            score.found += 1
            parties = {one.party for one in guilty}
            accepted = {breach.rule_id, *breach.besides}
            score.others.update(
                {one.rule_id for one in findings if one.party not in parties and one.rule_id not in accepted}
            )
        elif any(place.sealed for place in talk.places):
            score.undecidable["sealed"] += 1
        elif reasons:
            score.undecidable.update(reasons)
        else:
            score.missed.append(seed)
    return score


def table(breaches: Iterable[Breach], times: int, first: int) -> dict[str, Score]:
    scores = {}
    _say(f"{'rule':32} planted found         missed  {'undecidable, by reason':30} other party accused by")
    for breach in breaches:
        scores[breach.rule_id] = plant(breach, times, first)
        _say(f"{breach.rule_id:32} {scores[breach.rule_id].line}")
    return scores


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conforming.planted", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="conversations a rule")
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("rules", nargs="*", help="these only")
    options = parser.parse_args()
    chosen = [one for one in BREACHES if not options.rules or one.rule_id in options.rules]
    scores = table(chosen, options.times, options.seed)
    return 1 if any(score.missed or score.others for score in scores.values()) else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
