"""The output folder: written beside its final place and put there in one step, so that nobody reads half a run."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from ingest.files import (
    entries,
    exists,
    files_below,
    is_folder,
    is_local,
    join,
    make_folder,
    name_of,
    normalised,
    parent_of,
    recover_swap,
    remove_file,
    remove_folder,
    swap_folders,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

OURS: Final = frozenset(("tables", "run.json", "report.html", "quality.json", "state", "runs"))
PRIVATE: Final = 0o700


class OutputRefused(Exception):
    """The output folder cannot be used; the text says why and what to do."""


class Workplace:
    """A private folder beside the final one; as a context manager it is gone afterwards, whatever happens."""

    option = "--out"

    def __init__(self, final: str) -> None:
        # A link to a folder stays, and the folder behind it is replaced.
        self.final = str(Path(normalised(final)).resolve()) if is_local(final) else normalised(final)
        self.staging = join(parent_of(self.final), f".{name_of(self.final)}.partial-{os.getpid()}")

    def __enter__(self) -> Self:
        if not name_of(self.final):
            raise OutputRefused(f"{self.final}: choose a folder below it with {self.option}")
        if exists(self.final) and not is_folder(self.final):
            raise OutputRefused(f"{self.final}: is a file; choose a folder with {self.option}")
        try:
            recover_swap(self.final)
            self._check()
            self._clean_up_after_the_dead()
            self._make()
        except OSError as error:
            raise OutputRefused(
                f"{self.final}: the output folder cannot be made ({error.strerror}); choose another with {self.option}"
            ) from None
        return self

    def begin_again(self) -> None:
        """With an empty folder."""
        remove_folder(self.staging)
        self._make()

    def _make(self) -> None:
        make_folder(self.staging)
        if is_local(self.staging):
            Path(self.staging).chmod(PRIVATE)

    def __exit__(self, *_: object) -> None:
        # What cannot be removed now is removed by the next run.
        with contextlib.suppress(OSError):
            remove_folder(self.staging)

    def _check(self) -> None:
        """Raise OutputRefused if what is there must not be touched."""

    def _clean_up_after_the_dead(self) -> None:
        """A run that was killed could not remove its folder. In containers it may have had our own number."""
        for left in _partials(self.final):
            if left == self.staging or not _is_alive(int(left.rpartition("-")[2])):
                remove_folder(left)

    def remove_strays(self, belongs: Collection[str]) -> None:
        """Files below `tables` and `state` that nobody told of: an attempt of a task that failed left them."""
        for path, _ in files_below(self.staging):
            if path not in belongs and path.partition("/")[0] in ("tables", "state"):
                remove_file(join(self.staging, path))

    def publish(self) -> None:
        """Put the finished folder in its place; an older one is removed only after that."""
        if is_local(self.staging):
            Path(self.staging).chmod(_usual_mode())
            state = Path(self.staging) / "state"
            if state.is_dir():  # it holds payload, whatever the tables hold
                state.chmod(PRIVATE)
        swap_folders(self.staging, self.final)


class OutputFolder(Workplace):
    """Of a run of its own."""

    def __init__(self, final: str, *, force: bool) -> None:
        super().__init__(final)
        self._force = force

    def _check(self) -> None:
        there = set(entries(self.final))
        if there and not self._force:
            raise OutputRefused(
                f"{self.final}: the folder exists; choose another with --out, or replace it with --force"
            )
        if there - OURS:
            foreign = min(there - OURS)
            raise OutputRefused(f"{self.final}: holds {foreign}, which is no run's; --force replaces only runs")
        if "state" in there:
            raise OutputRefused(f"{self.final}: is a dataset; add to it with --dataset, or choose another with --out")


def staged_beside(final: str) -> str:
    """Where the next state of a dataset waits to be published."""
    return join(parent_of(final), f".{name_of(final)}.staged")


def _partials(final: str) -> Iterator[str]:
    start = f".{name_of(final)}.partial-"
    for name in entries(parent_of(final)):
        if name.startswith(start) and name.removeprefix(start).isdecimal():
            yield join(parent_of(final), name)


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o777 & ~mask


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
