"""The one place that touches input files: listing, sizes, ranged reads, hashes."""

from __future__ import annotations

import glob
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

HASH_CHUNK: Final = 4 * 1024 * 1024
_GLOB_SIGNS = frozenset("*?[")


class NoSuchInput(Exception):
    """A path the user gave that leads to no file; the text names it."""


def expand(paths: Iterable[str]) -> list[str]:
    """Files, folders (with everything below) and globs as absolute file names, sorted, each once."""
    found: set[str] = set()
    for given in paths:
        path = given.removeprefix("file://").removeprefix("file:")
        files = _below(Path(path))
        if not files and _GLOB_SIGNS & set(path):
            files = [
                file
                for match in glob.glob(path, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
                for file in _below(Path(match))
            ]
        if not files:
            raise NoSuchInput(_why_nothing(given, Path(path)))
        found.update(str(file.absolute()) for file in files)
    return sorted(found)


def _below(path: Path) -> list[Path]:
    """Regular files only: a pipe would be waited for, a device might never end."""
    if not path.is_dir():
        return [path] if path.is_file() else []
    found = []
    for folder, folders, files in os.walk(path, onerror=_give_up):
        folders[:] = [name for name in folders if not name.startswith(".")]
        entries = (Path(folder) / name for name in files if not name.startswith("."))
        found += [entry for entry in entries if entry.is_file()]
    return found


def _give_up(error: OSError) -> None:
    """Left to itself, os.walk would pass over a folder it may not read, and its captures would be missing unsaid."""
    raise NoSuchInput(f"{error.filename}: the folder cannot be read: {error.strerror}")


def _why_nothing(given: str, path: Path) -> str:
    if path.is_dir():
        return f"{given}: the folder holds no files"
    if _GLOB_SIGNS & set(given):
        return f"{given}: no file matches the pattern"
    if path.exists():
        return f"{given}: is neither a file nor a folder"
    return f"{given}: no such file or folder"


class PlainFile:
    """Ranged reads. Opened on first use, so that it can travel to a worker before that."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._descriptor: int | None = None

    def read(self, offset: int, length: int) -> bytes:
        """The bytes at the offset; fewer than asked only at the end of the file."""
        if self._descriptor is None:
            self._descriptor = os.open(self.path, os.O_RDONLY)
        parts = []
        while length > 0 and (part := os.pread(self._descriptor, length, offset)):
            parts.append(part)
            offset += len(part)
            length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def size(self) -> int:
        return (Path(self.path).stat() if self._descriptor is None else os.fstat(self._descriptor)).st_size

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def sha256(path: str, size: int) -> tuple[str, bool]:
    """Hash of the file's first `size` bytes, and whether it had and has just as many."""
    digest, left = hashlib.sha256(), size
    with Path(path).open("rb", buffering=0) as file:
        while left and (chunk := file.read(min(left, HASH_CHUNK))):
            digest.update(chunk)
            left -= len(chunk)
        unchanged = not left and not file.read(1)
    return digest.hexdigest(), unchanged
