"""Private folders for what a process writes temporarily: gone with it, or with the next process if it was killed.

That a folder is in use is proven by a lock that the kernel holds, never by a process number: those are used again, and
containers have their own. Parents may be open to everybody, as /tmp is, where the sticky bit keeps others from taking
a folder away: what they put there is not touched. The lock has to mean something there, which it does on local disks
and on network file systems with locks.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

PRIVATE: Final = 0o700
_LOCK: Final = "lock"
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK_FILE: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES: Final = 100


@dataclass(frozen=True, slots=True)
class PrivateFolder:
    path: Path
    _held: int
    """Descriptor of the lock."""

    def remove(self) -> None:
        """What cannot be removed now is removed by the next process."""
        with contextlib.suppress(OSError), _opened(self.path) as folder:
            _empty(folder)
            self.path.rmdir()
        os.close(self._held)


def refuse_exchangeable(folder: Path) -> None:
    """Who may write a folder above it can put another in its place, whatever its own mode."""
    if stat.S_IMODE(folder.stat().st_mode) != PRIVATE:
        return  # it was made so: on this file system modes mean nothing
    for place in folder.absolute().parents:
        mode = place.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            why = f"others may write {place}, which has no sticky bit: chmod o-w or +t"
            raise OSError(errno.EPERM, why, str(place))


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """Where the machine has temporary files."""
    parent = Path(tempfile.gettempdir()).resolve()
    remove_dead(parent, prefix)
    folder = private_folder(parent, prefix)
    try:
        yield folder.path
    finally:
        folder.remove()


def private_folder(parent: Path, prefix: str) -> PrivateFolder:
    for _ in range(_TRIES):
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            refuse_exchangeable(path)
        except OSError:
            path.rmdir()
            raise
        # Another process may have taken the folder for a dead one before it was locked.
        with contextlib.suppress(FileNotFoundError), _opened(path) as folder:
            held = _locked(folder)
            if held is not None:
                return PrivateFolder(path, held)
    raise OSError(f"{parent}: folders vanish as they are made")


def remove_dead(parent: Path, prefix: str) -> None:
    """Folders of this user's processes that are no more. A symbolic link, or another user's folder, is none of them."""
    for path in sorted(parent.glob(f"{prefix}*")):
        with contextlib.suppress(OSError), _opened(path) as folder:
            found = os.fstat(folder)
            if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != PRIVATE:
                continue
            held = _locked(folder)
            if held is None:
                continue
            try:
                _empty(folder)
                # Fails if somebody put something else there meanwhile.
                path.rmdir()
            finally:
                os.close(held)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    """All that follows goes by the descriptor: what is at the path may be exchanged."""
    folder = os.open(path, _FOLDER)
    try:
        yield folder
    finally:
        os.close(folder)


def _locked(folder: int) -> int | None:
    """Descriptor of the lock; None if another process has it, or had it and removed the folder."""
    held = os.open(_LOCK, _LOCK_FILE, 0o600, dir_fd=folder)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(held).st_nlink:
            return held
    except BlockingIOError:
        pass
    os.close(held)
    return None


def _empty(folder: int) -> None:
    """The lock goes last: until then the folder is known to be somebody's."""
    for name in sorted(os.listdir(folder), key=lambda name: name == _LOCK):
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            shutil.rmtree(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
