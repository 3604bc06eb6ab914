"""Ranged reads, whole files, sizes and hashes."""

from __future__ import annotations

import errno
import hashlib
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ingest.files.names import is_local, local_path
from ingest.files.remote import errors_of_path, file_system_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HASH_CHUNK: Final = 4 * 1024 * 1024
_AHEAD_LOCAL: Final = 1024 * 1024
_AHEAD_REMOTE: Final = 8 * 1024 * 1024
"""Each read of an object store is a request of its own, with its own waiting."""


class PlainFile:
    """Ranged reads. Opened on first use, so that it can travel to a worker before that."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._remote: Any = None
        self._is_local = is_local(path)

    def read(self, offset: int, length: int) -> bytes:
        """The bytes at the offset; fewer than asked only at the end of the file."""
        if not self._is_local:
            return self._read_remote(offset, length)
        if self._descriptor is None:
            self._descriptor = os.open(local_path(self.path), os.O_RDONLY)
        parts = []
        while length > 0 and (part := os.pread(self._descriptor, length, offset)):
            parts.append(part)
            offset += len(part)
            length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _read_remote(self, offset: int, length: int) -> bytes:
        if self._remote is None:
            system, inner = file_system_of(self.path)
            with errors_of_path(self.path):
                self._remote = system.open_input_file(inner)
        with errors_of_path(self.path):
            # Past the end is an error there.
            length = min(length, self._remote.size() - offset)
            return bytes(self._remote.read_at(length, offset)) if length > 0 else b""

    def size(self) -> int:
        if not self._is_local:
            return size_of(self.path)
        if self._descriptor is None:
            return Path(local_path(self.path)).stat().st_size
        return os.fstat(self._descriptor).st_size

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if self._remote is not None:
            self._remote.close()
            self._remote = None


class ForwardFile(io.RawIOBase):
    """From the beginning to the end, in requests that are large enough for the file system."""

    def __init__(self, path: str) -> None:
        self._source = PlainFile(path)
        self._ahead = _AHEAD_LOCAL if is_local(path) else _AHEAD_REMOTE
        self._offset = 0
        self._held = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if not self._held:
            self._held = memoryview(self._source.read(self._offset, self._ahead))
            self._offset += len(self._held)
        target = memoryview(buffer).cast("B")
        taken = min(len(target), len(self._held))
        target[:taken] = self._held[:taken]
        self._held = self._held[taken:]
        return taken

    def close(self) -> None:
        self._source.close()
        super().close()


def open_input(path: str) -> Any:  # noqa: ANN401 - what pyarrow's readers take
    """For reading here and there in a file: a local path as it is, else a file of pyarrow's."""
    if is_local(path):
        return local_path(path)
    system, inner = file_system_of(path)
    with errors_of_path(path):
        return system.open_input_file(inner)


def size_of(path: str) -> int:
    if is_local(path):
        return Path(local_path(path)).stat().st_size
    system, inner = file_system_of(path)
    with errors_of_path(path):
        info = system.get_file_info(inner)
        if not info.is_file:
            raise OSError(errno.ENOENT, "no such file", path)
        return int(info.size)


def stamp_of(path: str) -> tuple[int, ...]:
    """Size first, then what else changes with the file; empty where there is none."""
    try:
        if not is_local(path):
            return (size_of(path),)
        found = Path(local_path(path)).stat()
    except OSError:
        return ()
    return found.st_size, found.st_mtime_ns, found.st_ino


def read_bytes(path: str) -> bytes:
    if is_local(path):
        return Path(local_path(path)).read_bytes()
    file = PlainFile(path)
    try:
        return file.read(0, file.size())
    finally:
        file.close()


def sha256(path: str, size: int) -> tuple[str, bool]:
    """Hash of the file's first `size` bytes, and whether it had and has just as many."""
    digest, offset = hashlib.sha256(), 0
    step = HASH_CHUNK if is_local(path) else max(HASH_CHUNK, _AHEAD_REMOTE)
    file = PlainFile(path)
    try:
        while offset < size and (chunk := file.read(offset, min(size - offset, step))):
            digest.update(chunk)
            offset += len(chunk)
        unchanged = offset == size and not file.read(offset, 1)
    finally:
        file.close()
    return digest.hexdigest(), unchanged
