"""python -m tests.layered: captures damaged layer by layer; no crash, no hang, no open account, no accusation by loss.

A run that was stopped goes on with the same --seed. Exit status: 0 nothing found; 1 something found, with its number
for --case; 2 the time was up before all cases had run.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.fuzz.runner import say
from tests.layered.cases import BLOCK, LAYERS, run
from tests.layered.progress import Progress
from tests.timing import Stopwatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.fuzz.findings import Finding, Tally

SAY_EVERY_SECONDS: Final = 20


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.layered", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cases", type=int, default=1_000_000, metavar="N", help="whole thousands (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=600, help="stop after so long; go on later")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="folder for progress and findings")
    parser.add_argument("--case", type=int, metavar="NUMBER", help="run one case again")
    given = parser.parse_args(arguments)
    if given.case is not None:
        return _told(run(given.seed, [given.case]).findings, None)
    progress = Progress.of(given.out, given.seed)
    todo = [block for block in range(given.cases // BLOCK) if block not in progress.done]
    begun = said = time.monotonic()
    found: list[Finding] = []
    for block, tally, seconds in _results(given.seed, todo, given.jobs):
        found += tally.findings
        progress.add(block, tally, seconds)
        now = time.monotonic()
        if now - said > SAY_EVERY_SECONDS:
            said = now
            say(f"{now - begun:5.0f} s  {progress.tally.cases:,} cases, {len(found)} findings")
        if now - begun > 60 * given.minutes:
            break
    _say_counts(progress)
    status = _told(found, given.out)
    return status or (0 if len(progress.done) >= given.cases // BLOCK else 2)


def work(seed: int, block: int) -> tuple[int, Tally, float]:
    watch = Stopwatch()
    tally = run(seed, range(block * BLOCK, (block + 1) * BLOCK))
    return block, tally, watch.seconds


def _results(seed: int, todo: list[int], processes: int) -> Iterator[tuple[int, Tally, float]]:
    if processes == 1:
        for block in todo:
            yield work(seed, block)
        return
    # Spawned: Arrow has threads, which do not survive a fork.
    pool = ProcessPoolExecutor(processes, get_context("spawn"))
    running = {pool.submit(work, seed, block): block for block in todo}
    try:
        for done in as_completed(running):
            yield done.result()
    except BrokenProcessPool:
        lost = [block for one, block in running.items() if isinstance(one.exception(), BrokenProcessPool)]
        say(f"a process died in one of the thousands {lost[: processes + 1]}", error=True)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _say_counts(progress: Progress) -> None:
    tally = progress.tally
    for layer in LAYERS:
        told = sorted((name, number) for name, number in tally.counts.items() if name.startswith(f"{layer.name}: "))
        parts = ", ".join(f"{name.split(': ', 1)[1]} {number:,}" for name, number in told)
        say(f"{layer.name}: {tally.counts.get(layer.name, 0):,} cases; {parts}")
    slowest = f"{tally.slowest[0] * 1000:.0f} ms, {tally.slowest[1]}"
    say(f"{tally.cases:,} cases in {progress.seconds:,.0f} processor seconds; slowest {slowest}; seed {progress.seed}")


def _told(findings: list[Finding], folder: Path | None) -> int:
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(finding.what, finding)
    for what, finding in first.items():
        number = sum(one.what == what for one in findings)
        where = f": {finding.write(folder)}" if folder else ""
        say(f"{number} times: {what}", f"  {finding.facts['layer']}, --case {finding.number}{where}", finding.trace)
    if not findings:
        say("nothing found")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
