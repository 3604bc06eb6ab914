"""What a capture costs: read, decoded, judged and brought together as workers do it, in a process of its own."""

from __future__ import annotations

import gc
import multiprocessing
import random
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ingest.choice import Choice, Scope
from pipelines.captures.inventory import take_stock
from pipelines.engine.local import LocalEngine
from pipelines.run.job import Job
from pipelines.run.plan import analyze

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    Idea = Callable[[int, random.Random], bytes]

SEED: Final = 20
_MODULES: Final = ["tests.hostile.measure", "tests.hostile.ideas", "pipelines.rules.catalogue", "pipelines.com.machine"]


@dataclass(frozen=True, slots=True)
class Cost:
    """`size`: of the file. `seconds`: of the processor. `peak`: bytes of memory, the program's own included."""

    size: int
    seconds: float
    peak: int
    problem: str | None = None


def cost_of(idea: Idea, size: int, most_seconds: float, scope: Scope = Scope.MSMQ) -> Cost:
    """Made and run in processes of their own; given up when so many seconds of the processor are gone."""
    with tempfile.TemporaryDirectory(prefix="mqtrail-hostile-") as name:
        path = Path(name) / "capture"
        _in_a_process(_made, idea, size, path)
        return _in_a_process(_measured, path, most_seconds, scope)


def _in_a_process(work: Callable[..., Cost | None], *arguments: object) -> Cost:
    """Forked from one that has everything imported, and nothing else in memory."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_MODULES)
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_told, args=(theirs, work, arguments))
    process.start()
    theirs.close()
    try:
        said: Cost = ours.recv()
    except EOFError:
        process.join()
        said = Cost(0, float("inf"), 0, f"the process died: {process.exitcode}")
    process.join()
    return said


def _told(pipe: Connection, work: Callable[..., Cost | None], arguments: tuple[object, ...]) -> None:
    gc.freeze()
    pipe.send(work(*arguments))


def _made(idea: Idea, size: int, path: Path) -> None:
    path.write_bytes(idea(size, random.Random(SEED)))


def _measured(path: Path, most_seconds: float, scope: Scope) -> Cost:
    size = path.stat().st_size
    resource.setrlimit(resource.RLIMIT_CPU, (int(most_seconds) + 2,) * 2)
    begun = time.process_time()
    job = Job(LocalEngine(), Choice(scope), str(path.parent / "out"), empty_tables=False)
    analyze(job, take_stock([str(path)]))
    seconds = time.process_time() - begun
    return Cost(size, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
