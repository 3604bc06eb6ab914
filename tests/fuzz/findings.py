"""What a case came to, how one that failed is written down, and a limit on its time."""

from __future__ import annotations

import base64
import json
import signal
import traceback
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HANG_SECONDS = 20
"""Of CPU time, for one case: what takes longer is stopped and told as a hang."""


class Hang(BaseException):
    """Not an Exception: nothing under test may catch it by accident."""


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str
    """`stubs`, `captures` or `dcom`."""
    seed: int
    number: int
    what: str
    """One line, the same for every case with that fault; the first one told stands for all."""
    trace: str
    facts: dict[str, Any]
    """With `data`, all that a replay needs, even after the generators have changed."""
    data: bytes

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.number} (seed {self.seed})"

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"fuzz-{self.kind}-{self.seed}-{self.number}.json"
        fields = asdict(self) | {"data": base64.b64encode(self.data).decode()}
        path.write_text(json.dumps(fields, indent=1) + "\n")
        return path

    @classmethod
    def read(cls, path: Path) -> Finding:
        fields = json.loads(path.read_text())
        return cls(**fields | {"data": base64.b64decode(fields["data"])})


@dataclass(slots=True)
class Tally:
    """What many cases came to, in parts that can be added."""

    cases: int = 0
    slowest: tuple[float, str] = (0.0, "none")
    """CPU seconds and the case."""
    counts: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def count(self, name: str, number: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + number

    def add(self, other: Tally) -> None:
        self.cases += other.cases
        self.slowest = max(self.slowest, other.slowest)
        for name, number in other.counts.items():
            self.count(name, number)
        self.findings += other.findings


def reason(error: BaseException) -> tuple[str, str]:
    """The one line that cases with the same fault share, and the trace."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/tests/fuzz/" not in frame.filename] or list(frames)
    where = "/".join(own[-1].filename.rsplit("/", 3)[-3:])
    text = str(error) if isinstance(error, Broken) else f"{type(error).__name__} in {where}, {own[-1].name}: {error}"
    return text.split("\n")[0][:300], "".join(traceback.format_exception(error))


class Broken(AssertionError):
    """A promise of the product that does not hold, in words that do not depend on the case."""

    def __init__(self, promise: str, detail: object = "") -> None:
        super().__init__(promise)
        self.add_note(f"{detail}"[:2000])


@contextmanager
def limited(cpu_seconds: float = HANG_SECONDS) -> Iterator[None]:
    """Main thread only."""

    def stop(_number: int, _frame: object) -> None:
        raise Hang(f"more than {cpu_seconds:g} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
