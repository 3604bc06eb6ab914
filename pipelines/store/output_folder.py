"""The output folder: written beside its final place and put there in one step, so that nobody reads half a run."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from ingest.files import (
    PRIVATE,
    entries,
    exists,
    files_below,
    is_folder,
    is_local,
    join,
    lock,
    make_folder,
    name_of,
    normalised,
    parent_of,
    place_folder,
    recover_swap,
    refuse_exchangeable,
    remove_file,
    remove_folder,
    swap_folders,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

EXCHANGE: Final = "exchange"
"""Folder of what passes between the jobs of a run; it is gone when the run is over."""
OURS: Final = frozenset(("tables", "run.json", "report.html", "quality.json", "state", "runs"))


class OutputRefused(Exception):
    """The output folder cannot be used; the text says why and what to do."""


class WorkFolder:
    """A private folder beside the final one; as a context manager it is gone afterwards, whatever happens.

    One run at a time has it.
    """

    option = "--out"

    def __init__(self, final: str, waiting: Callable[[str], None] | None = None) -> None:
        """`waiting` is told who has it, before it is waited for; what it raises ends the waiting."""
        # A link to a folder stays, and the folder behind it is replaced.
        self.final = str(Path(normalised(final)).resolve()) if is_local(final) else normalised(final)
        # Nobody can make it first: beside the final folder others may write.
        self.staging = join(parent_of(self.final), f".{name_of(self.final)}.partial-{secrets.token_hex(8)}")
        self._waiting = waiting
        self._held = contextlib.ExitStack()

    def __enter__(self) -> Self:
        if not name_of(self.final):
            raise OutputRefused(f"{self.final}: choose a folder below it with {self.option}")
        if exists(self.final) and not is_folder(self.final):
            raise OutputRefused(f"{self.final}: is a file; choose a folder with {self.option}")
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(lock(self.final, self._waiting))
                recover_swap(self.final)
                self._check()
                self._clean_up_after_the_dead()
                self._make()
            except OSError as error:
                raise OutputRefused(
                    f"{self.final}: the folder cannot be used ({error.strerror or error}); "
                    f"choose another with {self.option}"
                ) from None
            self._held = held.pop_all()
        return self

    def begin_again(self) -> None:
        """With an empty folder."""
        remove_folder(self.staging)
        self._make()

    def _make(self) -> None:
        if is_local(self.staging):
            make_folder(parent_of(self.staging))
            Path(self.staging).mkdir(PRIVATE)
            try:
                refuse_exchangeable(Path(self.staging))
            except OSError:
                Path(self.staging).rmdir()
                raise
        else:
            make_folder(self.staging)

    def __exit__(self, *_: object) -> None:
        # What cannot be removed now is removed by the next run.
        with self._held, contextlib.suppress(OSError):
            remove_folder(self.staging)

    def _check(self) -> None:
        """Raise OutputRefused if what is there must not be touched."""

    def _clean_up_after_the_dead(self) -> None:
        """A run that was killed could not remove its folder; as the lock is ours, none is at work."""
        for left in _partials(self.final):
            with contextlib.suppress(OSError):  # another user's
                remove_folder(left)

    def remove_strays(self, belongs: Collection[str]) -> None:
        """Files that nobody told of: an attempt of a task that failed left them, or one that ran twice."""
        for path, _ in files_below(self.staging):
            if path not in belongs and path.partition("/")[0] in ("tables", "state", EXCHANGE):
                remove_file(join(self.staging, path))
        remove_folder(join(self.staging, EXCHANGE))

    def publish(self) -> None:
        """Put the finished folder in its place; an older one is removed only after that."""
        self._open_to_readers()
        swap_folders(self.staging, self.final)
        if is_local(self.final) and (foreign := foreign_file(self.staging)):
            # It came between the last look and the exchange.
            raise OutputRefused(f"{self.final}: is done; it held {foreign}, which now lies in {self._set_aside()}")

    def _open_to_readers(self) -> None:
        if is_local(self.staging):
            Path(self.staging).chmod(_usual_mode())
            state = Path(self.staging) / "state"
            if state.is_dir():  # it holds payload, whatever the tables hold
                state.chmod(PRIVATE)

    def _set_aside(self) -> str:
        """Where the staging folder is from now on: beside the final one, by a name that was free."""
        for number in itertools.count(1):
            place = f"{self.final}.{number}"
            if not exists(place) and place_folder(self.staging, place):
                return place
        raise AssertionError


class OutputFolder(WorkFolder):
    """Of a run of its own."""

    def __init__(self, final: str, *, force: bool, waiting: Callable[[str], None] | None = None) -> None:
        super().__init__(final, waiting if force else self._refuse)
        self._force = force

    def _refuse(self, holder: str) -> None:
        """After the other run the folder would not be empty."""
        raise OutputRefused(
            f"{self.final}: {holder} is writing it; choose another with --out, or replace what it writes with --force"
        )

    def _check(self) -> None:
        there = set(entries(self.final))
        if there and not self._force:
            raise OutputRefused(
                f"{self.final}: the folder exists; choose another with --out, or replace it with --force"
            )
        if foreign := foreign_file(self.final):
            raise OutputRefused(f"{self.final}: holds {foreign}, which is no run's; --force replaces only runs")
        if "state" in there:
            raise OutputRefused(f"{self.final}: is a dataset; add to it with --dataset, or choose another with --out")

    def publish(self) -> None:
        """What appeared in the final folder during the run stays; the result then lies beside it."""
        if self._force:
            try:
                self._check()
            except OutputRefused as error:
                self._open_to_readers()
                raise OutputRefused(f"{error}; the result lies in {self._set_aside()}") from None
            super().publish()
            return
        self._open_to_readers()
        if not place_folder(self.staging, self.final):
            what = min(entries(self.final), default="a file")
            raise OutputRefused(
                f"{self.final}: {what} appeared there during the run, and stays; the result lies in {self._set_aside()}"
            )


def foreign_file(folder: str) -> str | None:
    """One that no run wrote: the manifest does not name it or, where there is none, no run names files like that."""
    from pipelines.store.manifest import HISTORY, NAMES, ManifestDamaged, read_manifest  # noqa: PLC0415 - slow to import

    others = set(entries(folder)) - OURS
    if others:
        return min(others)
    try:
        manifest = read_manifest(folder)
    except ManifestDamaged:
        manifest = None
    told = {entry["path"] for entry in manifest["outputs"]} if manifest else frozenset()
    for path, _ in files_below(folder):
        if "/" not in path:
            continue
        by_name = not manifest or path.startswith(f"{HISTORY}/")
        if not (NAMES.fullmatch(path) if by_name else path in told):
            return path
    return None


def staged_beside(final: str) -> str:
    """Where the next state of a dataset waits to be published."""
    return join(parent_of(final), f".{name_of(final)}.staged")


def _partials(final: str) -> Iterator[str]:
    name = re.compile(re.escape(f".{name_of(final)}.partial-") + "[0-9a-f]+")
    for entry in entries(parent_of(final)):
        if name.fullmatch(entry):
            yield join(parent_of(final), entry)


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o777 & ~mask
