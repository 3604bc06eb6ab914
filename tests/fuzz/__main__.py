"""python -m tests.fuzz: mutated stubs and captures; what must never happen, did not happen.

Exit status: 0 nothing found; 1 something found, and written to files for --replay; 2 the time was up before all cases
had run.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from pathlib import Path

from tests.fuzz import captures, stubs
from tests.fuzz.findings import Finding, Tally
from tests.fuzz.known import news
from tests.fuzz.runner import Died, Outcome, jobs, run, say, totals

MOST_WRITTEN = 20
REPLAYS = {"stubs": stubs.replay, captures.KIND: captures.replay, captures.DCOM: captures.replay}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--stubs", type=int, default=600_000, metavar="N")
    parser.add_argument("--captures", type=int, default=20_000, metavar="N")
    parser.add_argument("--dcom", action="store_true", help="stubs and captures of DCOM only")
    parser.add_argument("--seed", type=int, default=1, help="0: a new one, told in the last line")
    parser.add_argument("--minutes", type=float, default=60, help="stop after so long")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="folder for the cases that failed")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run one case that failed again")
    parser.add_argument("--case", metavar="KIND:NUMBER", help="run one case by its number, e.g. captures:70 or dcom:70")
    given = parser.parse_args()
    if given.replay:
        finding = Finding.read(given.replay)
        return _one(REPLAYS[finding.kind](finding))
    if given.case:
        kind, number = given.case.split(":")
        return _one(case(kind, given.seed, int(number)))
    seed = given.seed or secrets.randbelow(2**31)
    try:
        outcome = run(jobs(seed, given.stubs, given.captures, dcom=given.dcom), given.jobs, given.minutes)
    except Died as died:
        say(f"a process died in one of the cases {died}; seed {seed}", error=True)
        return 1
    return _report(outcome, seed, given.out)


def case(kind: str, seed: int, number: int) -> Tally:
    if kind == "stubs":
        return stubs.run_lot(seed, number // stubs.LOT, [number % stubs.LOT])
    return captures.run(seed, [number], dcom=kind == captures.DCOM)


def _one(tally: Tally) -> int:
    for finding in tally.findings:
        say(f"{finding.name}: {finding.what}", f"{finding.facts}", finding.trace)
    if not tally.findings:
        say(f"nothing found; {totals(tally)}; {tally.slowest[0] * 1000:.1f} ms")
    return int(bool(tally.findings))


def _report(outcome: Outcome, seed: int, folder: Path) -> int:
    findings = outcome.stubs.findings + outcome.captures.findings
    new = news(findings)
    first: dict[str, Finding] = {}
    for finding in sorted(new, key=lambda one: len(one.data)):
        first.setdefault(finding.what, finding)
    for finding in list(first.values())[:MOST_WRITTEN]:
        number = sum(one.what == finding.what for one in new)
        say(f"{number} times: {finding.what}", f"  smallest {finding.name}: {finding.write(folder)}", finding.trace)
    say(f"stubs: {totals(outcome.stubs)}", f"captures: {totals(outcome.captures)}")
    slowest = max(outcome.stubs.slowest, outcome.captures.slowest)
    say(
        f"{outcome.stubs.cases:,} stubs (slowest {outcome.stubs.slowest[0] * 1000:.0f} ms) and "
        f"{outcome.captures.cases:,} captures in {outcome.seconds:.0f} s; {len(new)} findings, "
        f"{len(findings) - len(new)} known; slowest {slowest[0] * 1000:.0f} ms, {slowest[1]}; seed {seed}"
        + ("" if outcome.finished else "; the time was up")
    )
    return 1 if new else 0 if outcome.finished else 2


if __name__ == "__main__":
    sys.exit(main())
