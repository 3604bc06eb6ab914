"""Putting a finished folder in the place of an older one, so that a reader finds either, never half of both."""

from __future__ import annotations

import ctypes
import errno
import os
from typing import Final

from ingest.files.folders import exists, files_below, is_folder, link_or_copy, move, remove_file, remove_folder
from ingest.files.names import is_local, join, name_of, normalised, sibling
from ingest.files.remote import S3, scheme_of

_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2
_IN_THE_WAY: Final = frozenset((errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR))
_REFUSED: Final = frozenset((errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP))


def swap_folders(staging: str, final: str) -> None:
    """Put `staging` at `final`. What was there before lies in `staging` afterwards, for the caller to remove.

    On a local disk one atomic step. Where the kernel or the disk cannot exchange, and on HDFS, a few renames that
    `recover_swap` completes or takes back. On S3 objects are copied one by one: files directly in `final`, such as a
    manifest, go first and come last, so that a folder without them is known to be unfinished; `staging` stays as it is.
    """
    staging, final = normalised(staging), normalised(final)
    if scheme_of(final) in S3:
        _replace_objects(staging, final)
        return
    recover_swap(final)
    if not exists(final):
        move(staging, final)
        return
    if is_local(final) and _exchanged(staging, final):
        return
    aside = _aside(final)
    move(final, aside)
    move(staging, final)
    move(aside, staging)


def place_folder(staging: str, final: str) -> bool:
    """Put `staging` at `final` if nothing is there; an empty folder is nothing. False: all is as it was.

    On a local disk one step of the kernel, which renames a folder over nothing but an empty one. Behind a URL it is
    looked at first, and what appears in the moment after that is replaced.
    """
    staging, final = normalised(staging), normalised(final)
    if not is_local(final):
        if files_below(final) or (exists(final) and not is_folder(final)):
            return False
        swap_folders(staging, final)
        return True
    try:
        move(staging, final)
    except OSError as error:
        if error.errno in _IN_THE_WAY:
            return False
        raise
    return True


def recover_swap(final: str) -> None:
    """After a process that died between the renames: the old folder is put back, or removed if the new one is there."""
    final = normalised(final)
    if scheme_of(final) in S3 or not is_folder(aside := _aside(final)):
        return
    if exists(final):
        remove_folder(aside)
    else:
        move(aside, final)


def _aside(final: str) -> str:
    return sibling(final, f".{name_of(final)}.replaced")


def _exchanged(one: str, other: str) -> bool:
    """Linux's renameat2, which Python does not offer. False: cannot be had here."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:  # an older libc
        return False
    paths = (os.fsencode(one), os.fsencode(other))
    if renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], ctypes.c_uint(_RENAME_EXCHANGE)) == 0:
        return True
    number = ctypes.get_errno()
    if number in _REFUSED:
        return False
    raise OSError(number, os.strerror(number), other)


def _replace_objects(staging: str, final: str) -> None:
    new = {name for name, _ in files_below(staging)}
    old = {name for name, _ in files_below(final)}
    top = {name for name in new | old if "/" not in name}
    for name in sorted(old & top):
        remove_file(join(final, name))
    for name in sorted(new - top):
        link_or_copy(join(staging, name), join(final, name))
    for name in sorted(old - new - top):
        remove_file(join(final, name))
    for name in sorted(new & top):
        link_or_copy(join(staging, name), join(final, name))
