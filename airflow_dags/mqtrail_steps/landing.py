"""The landing folder: which files have arrived, and which of those are still to be looked at."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from mqtrail_steps.run_folder import write_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it was when it was listed. The change time is among it, since permissions may be what was wrong."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int

    def is_still_so(self) -> bool:
        try:
            return found(self.path) == self
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `mqtrail inspect` said of a file."""

    state: str
    sha256: str | None
    reason: str | None


def found(path: str) -> Found | None:
    """None of what is no regular file: a link may lead anywhere, a pipe never ends."""
    about = Path(path).lstat()
    return Found(path, about.st_size, about.st_mtime_ns, about.st_ctime_ns) if stat.S_ISREG(about.st_mode) else None


def files(landing: str, names: Sequence[str]) -> Iterator[Found]:
    """Everything below the folder but hidden names, which copying programs use for what is on its way."""
    for folder, folders, entries in os.walk(Path(landing).absolute(), onerror=_give_up):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(entries):
            if name.startswith(".") or not any(fnmatchcase(name, pattern) for pattern in names):
                continue
            try:
                one = found(str(Path(folder) / name))
            except FileNotFoundError:
                continue  # taken away since the folder was listed
            if one is not None:
                yield one


def _give_up(error: OSError) -> None:
    """Left to itself, os.walk would pass over a folder it may not read, and its captures would be missing unsaid."""
    raise error


def settled(landing: str, names: Sequence[str], seconds: int, now_ns: int) -> list[Found]:
    """Files that nobody writes to any more. A time in the future has not passed."""
    return [one for one in files(landing, names) if one.mtime_ns <= now_ns - seconds * 1_000_000_000]


class Ledger:
    """What was found out of each file, so that nobody has to read it every night. A file an entry: many tasks write."""

    def __init__(self, work: str) -> None:
        self._folder = Path(work) / "seen"

    def _entry(self, path: str) -> Path:
        digest = hashlib.sha256(os.fsencode(path)).hexdigest()
        return self._folder / digest[:2] / f"{digest}.json"

    def note(self, one: Found, verdict: Verdict) -> None:
        write_json(self._entry(one.path), {"file": asdict(one), "verdict": asdict(verdict)})

    def verdict(self, one: Found) -> Verdict | None:
        """None where the file was never looked at, or changed since."""
        try:
            entry = json.loads(self._entry(one.path).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return Verdict(**entry["verdict"]) if entry["file"] == asdict(one) else None


def accepted_states(*, accept_truncated: bool) -> frozenset[str]:
    return frozenset(("complete", "truncated") if accept_truncated else ("complete",))


def to_do(
    candidates: Sequence[Found], ledger: Ledger, known: Collection[str], accepted: Collection[str]
) -> list[Found]:
    """Without what the dataset has, and without what was refused before and is still the same file."""
    left = []
    for one in candidates:
        verdict = ledger.verdict(one)
        if verdict is None or (verdict.state in accepted and verdict.sha256 not in known):
            left.append(one)
    return left
