"""What the user names as input: files, folders and patterns, in one list of files."""

from __future__ import annotations

import fnmatch
import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ingest.files.folders import exists, is_folder
from ingest.files.names import is_local, local_path, normalised, root_of
from ingest.files.remote import errors_of_path, file_system_of, url_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ingest.files.remote import FileInfo, FileSystem

    PassOver: TypeAlias = Callable[[str, str], None]

_GLOB_SIGNS = frozenset("*?[")


class NoSuchInput(Exception):
    """A path the user gave that leads to no file; the text names it."""


def expand(paths: Iterable[str], pass_over: PassOver = lambda _path, _why: None) -> list[str]:
    """Files, folders (with everything below) and globs as absolute file names or full URLs, sorted, each once.

    `pass_over` is told of what lies in a folder, looks like a file and is not read, and why. Hidden is not meant.
    """
    found: set[str] = set()
    for given in paths:
        files = _local(given, pass_over) if is_local(given) else _remote(given)
        if not files:
            raise NoSuchInput(_why_nothing(given))
        found.update(files)
    return sorted(found)


def _local(given: str, pass_over: PassOver) -> list[str]:
    path = local_path(given)
    files = _below(Path(path), pass_over)
    if not files and _GLOB_SIGNS & set(path):
        files = [
            file
            for match in glob.glob(path, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
            for file in _below(Path(match), pass_over)
        ]
    return [str(file.absolute()) for file in files]


def _below(path: Path, pass_over: PassOver) -> list[Path]:
    """Regular files only: a pipe would be waited for, a device might never end, links to folders may go in circles."""
    if not path.is_dir():
        return [path] if path.is_file() else []
    found = []
    for folder, folders, files in os.walk(path, onerror=_give_up):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in folders:
            if (entry := Path(folder) / name).is_symlink():
                pass_over(str(entry), "is a link to a folder; name that folder to read what is in it")
        for name in files:
            if name.startswith("."):
                continue
            entry = Path(folder) / name
            if entry.is_file():
                found.append(entry)
            else:
                pass_over(str(entry), _why_no_file(entry))
    return found


def _why_no_file(entry: Path) -> str:
    return "is a link that leads nowhere" if entry.is_symlink() else "is a pipe, socket or device"


def _give_up(error: OSError) -> None:
    """Left to itself, os.walk would pass over a folder it may not read, and its captures would be missing unsaid."""
    raise NoSuchInput(f"{error.filename}: the folder cannot be read: {error.strerror}")


def _remote(given: str) -> list[str]:
    try:
        system, inner = file_system_of(normalised(given))
        with errors_of_path(given):
            files = list(_remote_below(system, system.get_file_info(inner)))
            if not files and _GLOB_SIGNS & set(inner):
                files = [
                    file
                    for match in _matches(system, inner.split("/"))
                    for file in _remote_below(system, system.get_file_info(match))
                ]
    except OSError as error:
        raise NoSuchInput(f"{given}: {error.strerror}") from None
    return [url_of(file, given) for file in files]


def _remote_below(system: FileSystem, info: FileInfo) -> Iterator[str]:
    if info.is_file:
        yield info.path
    elif info.type.name == "Directory":
        for entry in _listed(system, info.path):
            if not entry.base_name.startswith("."):
                yield from _remote_below(system, entry)


def _listed(system: FileSystem, folder: str) -> list[FileInfo]:
    from pyarrow import fs  # noqa: PLC0415

    return list(system.get_file_info(fs.FileSelector(folder, allow_not_found=True)))


def _matches(system: FileSystem, pattern: list[str], folder: str = "") -> Iterator[str]:
    """As glob does it: a sign matches within one name, `**` any number of folders, neither what is hidden."""
    head, rest = pattern[0], pattern[1:]
    if not _GLOB_SIGNS & set(head):
        here = f"{folder}/{head}" if folder else head or "/"
        here = here.replace("//", "/")
        if rest:
            yield from _matches(system, rest, here)
        elif system.get_file_info(here).type.name != "NotFound":
            yield here
        return
    if head == "**" and rest:
        yield from _matches(system, rest, folder)
    for entry in _listed(system, folder):
        name, is_folder = entry.base_name, entry.type.name == "Directory"
        if name.startswith(".") and not head.startswith("."):
            continue
        if head == "**" and is_folder:
            yield from _matches(system, pattern, entry.path)
        if not fnmatch.fnmatchcase(name, head) or (head == "**" and rest):
            continue
        if not rest:
            yield entry.path
        elif is_folder:
            yield from _matches(system, rest, entry.path)


def _why_nothing(given: str) -> str:
    if is_folder(given):
        return f"{given}: the folder holds no files"
    if not is_local(given) and not exists(root_of(given)):
        return f"{given}: no such bucket"
    if _GLOB_SIGNS & set(given):
        return f"{given}: no file matches the pattern"
    if exists(given):
        return f"{given}: is neither a file nor a folder"
    return f"{given}: no such file or folder"
