"""Many cases in one process or two, until they are done or the time is up."""

from __future__ import annotations

import faulthandler
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from tests.fuzz import captures, stubs
from tests.fuzz.findings import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Job = tuple[str, int, int, int]
    """Kind, seed, first number, number of cases."""

CAPTURES_PER_JOB = 50
SAY_EVERY_SECONDS = 10


@dataclass(slots=True)
class Outcome:
    stubs: Tally
    captures: Tally
    seconds: float
    finished: bool


class Died(Exception):
    """A process ended without a word: a crash in native code, which no handler in Python sees."""

    def __init__(self, suspects: list[Job]) -> None:
        super().__init__("; ".join(f"{kind}:{first} to {first + number - 1}" for kind, _, first, number in suspects))


def jobs(seed: int, number_of_stubs: int, number_of_captures: int, *, dcom: bool = False) -> list[Job]:
    """Alternating by their share, so that a run cut short has done some of both. `dcom`: of it only."""
    kind = captures.DCOM if dcom else captures.KIND
    wanted = (lot for lot in count() if not dcom or stubs.is_dcom(lot))
    lots: list[Job] = [
        ("stubs", seed, next(wanted) * stubs.LOT, min(stubs.LOT, number_of_stubs - first))
        for first in range(0, number_of_stubs, stubs.LOT)
    ]
    parts: list[Job] = [
        (kind, seed, first, min(CAPTURES_PER_JOB, number_of_captures - first))
        for first in range(0, number_of_captures, CAPTURES_PER_JOB)
    ]
    placed = [(place / len(some), job) for some in (lots, parts) for place, job in enumerate(some)]
    return [job for _, job in sorted(placed)]


def work(job: Job) -> tuple[str, Tally]:
    kind, seed, first, number = job
    if kind == "stubs":
        return kind, stubs.run_lot(seed, first // stubs.LOT, range(number))
    return captures.KIND, captures.run(seed, range(first, first + number), dcom=kind == captures.DCOM)


def run(todo: list[Job], processes: int, minutes: float) -> Outcome:
    begun = said = time.monotonic()
    tallies = {"stubs": Tally(), "captures": Tally()}
    finished = True
    for kind, tally in _results(todo, processes):
        tallies[kind].add(tally)
        now = time.monotonic()
        if now - said > SAY_EVERY_SECONDS:
            said = now
            say(f"{now - begun:5.0f} s  " + "  ".join(line(name, one) for name, one in tallies.items()))
        if now - begun > 60 * minutes:
            finished = sum(tally.cases for tally in tallies.values()) == sum(job[3] for job in todo)
            break
    return Outcome(tallies["stubs"], tallies["captures"], time.monotonic() - begun, finished)


def _results(todo: list[Job], processes: int) -> Iterator[tuple[str, Tally]]:
    if processes == 1:
        yield from map(work, todo)
        return
    # Spawned: Arrow has threads, which do not survive a fork.
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, spawn, initializer=faulthandler.enable)
    running = {pool.submit(work, job): job for job in todo}
    try:
        for done in as_completed(running):
            yield done.result()
    except BrokenProcessPool as error:
        lost = [job for one, job in running.items() if isinstance(one.exception(), BrokenProcessPool)]
        # They are taken in order: one of the first had begun.
        raise Died(lost[: processes + 1]) from error
    finally:
        pool.shutdown(cancel_futures=True)


def line(name: str, tally: Tally) -> str:
    return f"{tally.cases:,} {name}, {len(tally.findings)} findings"


def say(*lines: str, error: bool = False) -> None:
    stream = sys.stderr if error else sys.stdout
    stream.write("\n".join(lines) + "\n")
    stream.flush()


def totals(tally: Tally, prefixes: Iterable[str] = ("",)) -> str:
    told = [(name, number) for name, number in sorted(tally.counts.items()) if name.startswith(tuple(prefixes))]
    return ", ".join(f"{name} {number:,}" for name, number in told)
