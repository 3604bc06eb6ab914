"""The output folder: written beside its final place and put there in one step, so that nobody reads half a run."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OURS: Final = frozenset(("tables", "run.json", "report.html"))


class OutputRefused(Exception):
    """The output folder cannot be used; the text says why and what to do."""


class OutputFolder:
    """As a context manager: what is written to `staging` appears at `final` only after `publish`."""

    def __init__(self, final: Path, *, force: bool) -> None:
        self.final = final.resolve()
        self.staging = self.final.parent / f".{self.final.name}.partial-{os.getpid()}"
        self._force = force

    def __enter__(self) -> Self:
        self._check()
        self._clean_up_after_the_dead()
        try:
            self.staging.mkdir(parents=True)
        except OSError as error:
            raise OutputRefused(
                f"{self.final}: the output folder cannot be made ({error.strerror}); choose another with --out"
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.staging, ignore_errors=True)

    def _check(self) -> None:
        if not self.final.name:
            raise OutputRefused(f"{self.final}: choose a folder below it with --out")
        if not self.final.exists():
            return
        if not self.final.is_dir():
            raise OutputRefused(f"{self.final}: is a file; choose a folder with --out")
        there = {entry.name for entry in self.final.iterdir()}
        if there and not self._force:
            raise OutputRefused(
                f"{self.final}: the folder exists; choose another with --out, or replace it with --force"
            )
        if there - OURS:
            foreign = min(there - OURS)
            raise OutputRefused(f"{self.final}: holds {foreign}, which is no run's; --force replaces only runs")

    def _clean_up_after_the_dead(self) -> None:
        """A run that was killed could not remove its staging folder."""
        for left in self.final.parent.glob(f".{self.final.name}.partial-*"):
            if not _is_alive(int(left.name.rpartition("-")[2])):
                shutil.rmtree(left, ignore_errors=True)

    def publish(self) -> None:
        """Swap the finished folder in; an older run there is removed only after that."""
        old = self.final.with_name(f".{self.final.name}.replaced-{os.getpid()}")
        if self.final.exists():
            self.final.rename(old)
        self.staging.rename(self.final)
        shutil.rmtree(old, ignore_errors=True)

    def write_manifest(self, facts: dict[str, Any]) -> None:
        manifest = facts | {"outputs": list(self._outputs())}
        (self.staging / "run.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")

    def _outputs(self) -> Iterator[dict[str, str | int]]:
        for file in sorted(self.staging.rglob("*.parquet")):
            with file.open("rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
            path = file.relative_to(self.staging).as_posix()
            yield {"path": path, "bytes": file.stat().st_size, "sha256": digest}


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
