"""A dataset of small files without Spark, and a child process that dies at any step of its commit."""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet

from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.files import WrittenFile
from pipelines.store.manifest import read_manifest, stored_files

if TYPE_CHECKING:
    from collections.abc import Callable

DIED, FAILED = 77, 78
CHANGES = frozenset(
    ("os.rename", "os.link", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.truncate", "ctypes.dlsym")
)
"""Audit events of what changes a disk; the last is the exchange of two folders, which only ctypes can do."""


def commit(final: Path, text: str, *, stage: bool = False) -> None:
    """A run that adds a table and a state file, and lets go of the state of the run before."""
    with DatasetFolder(str(final)) as folder:
        written = [_write(folder, f"tables/calls/{text}.parquet", text), _write(folder, f"state/{text}.parquet", text)]
        (Path(folder.staging) / "tables" / "calls" / "failed-attempt.parquet").write_text("half")
        kept = [file for files in stored_files(folder.manifest or {"outputs": []}, folder.final, "tables").values()
                for file in files]  # fmt: skip
        folder.assemble(written, kept)
        folder.seal({"inputs": []}, written, kept)
        folder.stage() if stage else folder.publish()


def publish(final: Path) -> None:
    with DatasetFolder(str(final)) as folder:
        if folder.take_staged():
            folder.publish()


def _write(folder: DatasetFolder, path: str, text: str) -> WrittenFile:
    place = Path(folder.staging) / path
    place.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table({"text": [text]}), place)
    data = place.read_bytes()
    return WrittenFile(path.split("/")[-2], path, 1, len(data), hashlib.sha256(data).hexdigest())


def run_number(final: Path) -> int:
    return int((read_manifest(str(final)) or {"run": 0})["run"])


def dies_at(step: int, work: Callable[[], None]) -> bool:
    """Do the work in a child that is gone, without any cleaning up, just before its change number `step` of a disk.

    False: the work was done before that.
    """
    with warnings.catch_warnings():
        # Later Pythons warn of forks where there are threads; the child touches nothing but files.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _live_and_die(step, work)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, DIED), "the work itself failed"
    return code == DIED


def _live_and_die(step: int, work: Callable[[], None]) -> None:
    left = step

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in CHANGES or (event == "open" and _writes(arguments)):
            if left == 0:
                os._exit(DIED)
            left -= 1

    try:
        sys.addaudithook(hook)
        work()
    except BaseException:  # noqa: BLE001 - pytest's own handlers must not run twice
        os._exit(FAILED)
    os._exit(0)


def _writes(arguments: tuple[Any, ...]) -> bool:
    _, mode, flags = arguments
    return bool((isinstance(mode, str) and set(mode) & set("wax+")) or (flags or 0) & (os.O_WRONLY | os.O_RDWR))
