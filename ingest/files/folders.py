"""Listing, moving, linking and removing."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ingest.files.names import is_local, join, local_path, normalised, parent_of, parts
from ingest.files.reading import ForwardFile
from ingest.files.remote import S3, errors_of_path, file_system_of, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_COPIED_BY_S3: Final = 5 * 1024**3
"""Larger objects must come through us."""
_COPY_CHUNK: Final = 8 * 1024 * 1024


def exists(path: str) -> bool:
    return _kind(path) is not None


def is_folder(path: str) -> bool:
    """On S3: something lies below."""
    return _kind(path) == "folder"


def _kind(path: str) -> str | None:
    if is_local(path):
        local = Path(local_path(path))
        return "folder" if local.is_dir() else "file" if local.exists() else None
    system, inner = file_system_of(path)
    with errors_of_path(path):
        name = system.get_file_info(inner).type.name
    return {"Directory": "folder", "NotFound": None}.get(name, "file")


def make_folder(path: str) -> None:
    """With its parents. Nothing on S3, where folders are only in the names of objects."""
    if is_local(path):
        Path(local_path(path)).mkdir(parents=True, exist_ok=True)
    elif scheme_of(path) not in S3:
        system, inner = file_system_of(path)
        with errors_of_path(path):
            system.create_dir(inner, recursive=True)


def entries(folder: str) -> list[str]:
    """Names directly in the folder, sorted, hidden ones too; none if there is no such folder."""
    if not is_local(folder):
        found = {path.partition("/")[0] for path, _ in _remote_below(folder, recursive=False)}
        return sorted(found)
    local = Path(local_path(folder))
    return sorted(entry.name for entry in local.iterdir()) if local.is_dir() else []


def files_below(folder: str) -> list[tuple[str, int]]:
    """Paths relative to the folder and sizes, sorted, hidden ones too; none if there is no such folder."""
    if not is_local(folder):
        return sorted((path, size) for path, size in _remote_below(folder, recursive=True) if size is not None)
    root = Path(local_path(folder))
    if not root.is_dir():
        return []
    found = []
    for below, _, names in os.walk(root, onerror=_give_up):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # removed since
                file = Path(below) / name
                found.append((file.relative_to(root).as_posix(), file.stat().st_size))
    return sorted(found)


def _give_up(error: OSError) -> None:
    raise error


def _remote_below(folder: str, *, recursive: bool) -> Iterator[tuple[str, int | None]]:
    """Relative paths with sizes; the size of a folder is None."""
    from pyarrow import fs  # noqa: PLC0415

    system, inner = file_system_of(folder)
    with errors_of_path(folder):
        listed = system.get_file_info(fs.FileSelector(inner, recursive=recursive, allow_not_found=True))
    for info in listed:
        path = parts(info.path)[2] if "://" in info.path else info.path
        relative = path.strip("/").removeprefix(inner.strip("/")).strip("/")
        yield relative, info.size if info.is_file else None


def remove_file(path: str) -> None:
    if is_local(path):
        Path(local_path(path)).unlink(missing_ok=True)
        return
    system, inner = file_system_of(path)
    with contextlib.suppress(FileNotFoundError), errors_of_path(path):
        system.delete_file(inner)


def remove_folder(path: str) -> None:
    if is_local(path):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(local_path(path))
        return
    system, inner = file_system_of(path)
    with contextlib.suppress(FileNotFoundError), errors_of_path(path):
        system.delete_dir(inner)


def move(source: str, destination: str) -> None:
    """Within one file system; a file replaces a file. On S3 a copy and a removal, one object after the other."""
    if is_local(source) and is_local(destination):
        make_folder(parent_of(destination))
        Path(local_path(source)).replace(local_path(destination))
        return
    if scheme_of(source) in S3:
        _move_objects(source, destination)
        return
    system, inner = file_system_of(source)
    make_folder(parent_of(destination))
    with errors_of_path(destination):
        if is_folder(source) is False and exists(destination):
            system.delete_file(file_system_of(destination)[1])
        system.move(inner, file_system_of(destination)[1])


def _move_objects(source: str, destination: str) -> None:
    if not is_folder(source):
        link_or_copy(source, destination)
        remove_file(source)
        return
    for name, _ in files_below(source):
        link_or_copy(join(source, name), join(destination, name))
    remove_folder(source)


def link_or_copy(source: str, destination: str) -> None:
    """A hard link on a local disk, else a copy; what is at the destination is replaced."""
    if is_local(source) and is_local(destination):
        make_folder(parent_of(destination))
        remove_file(destination)
        try:
            os.link(local_path(source), local_path(destination))
        except FileNotFoundError:
            raise
        except OSError:  # another disk, or one without links
            shutil.copyfile(local_path(source), local_path(destination))
        return
    if {scheme_of(source), scheme_of(destination)} <= S3:
        system, inner = file_system_of(source)
        with errors_of_path(source):
            if system.get_file_info(inner).size <= _COPIED_BY_S3:
                system.copy_file(inner, file_system_of(destination)[1])
                return
    from ingest.files.writing import open_output  # noqa: PLC0415 - writing moves files, and copying writes them

    with ForwardFile(normalised(source)) as reader, open_output(destination) as writer:
        while chunk := reader.read(_COPY_CHUNK):
            writer.write(chunk)
