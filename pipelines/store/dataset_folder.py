"""The folder of a dataset: one run at a time, and each becomes visible whole or not at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ingest.files import (
    entries,
    exists,
    join,
    link_or_copy,
    move,
    read_bytes,
    remove_folder,
    write_bytes,
)
from pipelines.store.base import Base
from pipelines.store.manifest import HISTORY, MANIFEST, READABLE, read_manifest, sha256_of, stored_files, write_manifest
from pipelines.store.output_folder import OURS, OutputRefused, WorkFolder, foreign_file, staged_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.store.files import StoredFile, WrittenFile

Json = dict[str, Any]


class DatasetFolder(WorkFolder):
    """As a context manager it waits for other runs. What is finished is staged, and `publish` makes it visible."""

    option = "--dataset"

    def __init__(self, final: str, waiting: Callable[[str], None] | None = None) -> None:
        super().__init__(final, waiting)
        self.staged = staged_beside(self.final)
        self.manifest: Json | None = None

    def _check(self) -> None:
        there = set(entries(self.final))
        foreign = foreign_file(self.final)
        if foreign or (there and MANIFEST not in there):
            what = f"holds {foreign}, which is no run's" if foreign else "has no run.json"
            raise OutputRefused(f"{self.final}: is no dataset: it {what}; choose another with --dataset")
        self.manifest = read_manifest(self.final)
        if self.manifest and ("run" not in self.manifest or self.manifest.get("format") not in READABLE):
            kind = "another format" if "run" in self.manifest else "a run of its own, not a dataset"
            raise OutputRefused(f"{self.final}: holds {kind}; choose another folder with --dataset")

    @property
    def base(self) -> Base:
        if self.manifest is None:
            return Base()
        tables, state = (stored_files(self.manifest, self.final, kind) for kind in ("tables", "state"))
        return Base(tables, state, self.manifest["run"], self.manifest.get("pruned_before") or "")

    def assemble(self, written: Sequence[WrittenFile], kept: Sequence[StoredFile]) -> None:
        """Make the staging folder hold the whole dataset: what stays is linked in."""
        self.remove_strays({one.path for one in written} | {file.written.path for file in kept})
        for file in kept:
            link_or_copy(file.place, join(self.staging, file.written.path))

    def seal(self, facts: Json, written: Sequence[WrittenFile], kept: Sequence[StoredFile]) -> None:
        """Say in the manifest what belongs to it, and which run came before."""
        history = self._history()
        number = (self.manifest["run"] if self.manifest else 0) + 1
        before = sha256_of(read_bytes(join(self.final, MANIFEST))) if self.manifest else None
        others = [*history, *(name for name in entries(self.staging) if name in OURS and name.endswith(".json"))]
        chain = {"run": number, "previous_run_sha256": before}
        files = [*written, *(file.written for file in kept)]
        data = write_manifest(self.staging, chain | facts, files, others, self._told(history))
        write_bytes(join(self.staging, HISTORY, f"{number:06d}.json"), data)

    def _told(self, history: Sequence[str]) -> list[Json]:
        """Of manifests of earlier runs what the last one says: with every run there is one more to be hashed."""
        there = set(history)
        return [entry for entry in (self.manifest or {"outputs": []})["outputs"] if entry["path"] in there]

    def _history(self) -> list[str]:
        """Manifests of the runs before, linked in."""
        names = entries(join(self.final, HISTORY)) if self.manifest else []
        paths = [f"{HISTORY}/{name}" for name in names]
        for path in paths:
            link_or_copy(join(self.final, path), join(self.staging, path))
        return paths

    def stage(self) -> None:
        """Leave it for a later `publish`, in place of what was left before."""
        remove_folder(self.staged)
        move(self.staging, self.staged)

    def take_staged(self) -> bool:
        """Make what was staged the thing to publish. False: nothing was."""
        if not exists(join(self.staged, MANIFEST)):
            return False
        staged = read_manifest(self.staged) or {}
        now = sha256_of(read_bytes(join(self.final, MANIFEST))) if self.manifest else None
        if staged.get("previous_run_sha256") != now:
            raise OutputRefused(
                f"{self.final}: another run was published since; analyse the captures again to stage them anew"
            )
        if exists(quality := join(self.staged, "quality.json")) and not json.loads(read_bytes(quality))["success"]:
            raise OutputRefused(f"{self.final}: the quality gate failed on what is staged; {quality} says where")
        remove_folder(self.staging)
        move(self.staged, self.staging)
        return True

    def publish(self) -> None:
        if foreign := foreign_file(self.final):
            self.stage()
            raise OutputRefused(
                f"{self.final}: {foreign} appeared there during the run, and stays; "
                "what was made is staged: move that file away, then `mqtrail publish`"
            )
        super().publish()
        remove_folder(self.staged)
