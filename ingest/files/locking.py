"""One run at a time in an output folder."""

from __future__ import annotations

import contextlib
import datetime as dt
import fcntl
import os
import secrets
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ingest.files.folders import make_folder, remove_file
from ingest.files.names import is_local, local_path, name_of, normalised, parent_of, sibling
from ingest.files.reading import read_bytes
from ingest.files.remote import errors_of_path, file_system_of
from ingest.files.writing import write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STALE: Final = dt.timedelta(hours=24)
_POLL_SECONDS: Final = 2.0
_SETTLE_SECONDS: Final = 1.0
"""Two that wrote their names at the same time have both done so by then."""


@contextlib.contextmanager
def lock(folder: str, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Wait for it if need be; `waiting` is then told, once, who holds it.

    On a local disk the kernel holds the lock, and drops it if the process dies. Behind a URL it is a file with the
    holder's name, which no file system there lets us create exclusively through pyarrow: good against a run started
    while another is busy, not against two started in the same second. It counts for nothing after a day.
    """
    folder = normalised(folder)
    file = sibling(folder, f".{name_of(folder)}.lock")
    with _local(file, waiting) if is_local(file) else _remote(file, waiting):
        yield


def _me() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


@contextlib.contextmanager
def _local(file: str, waiting: Callable[[str], None] | None) -> Iterator[None]:
    make_folder(parent_of(file))
    path = Path(local_path(file))
    descriptor = _flocked(path, waiting)
    while not _is_at(path, descriptor):  # the holder before us removed it
        os.close(descriptor)
        descriptor = _flocked(path, None)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, _me().encode(), 0)
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _flocked(path: Path, waiting: Callable[[str], None] | None) -> int:
    # Whoever may write to the parent could else lead us to a file of ours, to be emptied.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting:
                waiting(os.pread(descriptor, 200, 0).decode("utf-8", "replace") or "another process")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(follow_symlinks=False), os.fstat(descriptor))
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def _remote(file: str, waiting: Callable[[str], None] | None) -> Iterator[None]:
    mine = f"{_me()}\n{secrets.token_hex(8)}".encode()
    while True:
        holder = _holder(file)
        if holder is None:
            write_bytes(file, mine)
            time.sleep(_SETTLE_SECONDS)
            holder = _holder(file)
        if holder == mine:
            break
        if waiting and holder:
            waiting(holder.decode("utf-8", "replace").partition("\n")[0])
            waiting = None
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        if _holder(file) == mine:
            remove_file(file)


def _holder(file: str) -> bytes | None:
    system, inner = file_system_of(file)
    with errors_of_path(file):
        info = system.get_file_info(inner)
    if not info.is_file or (info.mtime and dt.datetime.now(dt.UTC) - info.mtime > STALE):
        return None
    try:
        return read_bytes(file)
    except FileNotFoundError:
        return None
