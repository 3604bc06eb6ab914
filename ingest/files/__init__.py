"""The one way to files: listing, ranged reads, hashes, writing, and putting a finished folder in its place.

Every name takes a local path, a file: URL, or the URL of a file system that driver and workers reach: hdfs: or s3a:.
Failures are OSErrors that name the path.
"""

from __future__ import annotations

from ingest.files.folders import (
    entries,
    exists,
    files_below,
    is_folder,
    link_or_copy,
    make_folder,
    move,
    remove_file,
    remove_folder,
)
from ingest.files.inputs import NoSuchInput, expand
from ingest.files.locking import lock
from ingest.files.names import is_local, join, name_of, normalised, parent_of
from ingest.files.private import PRIVATE, refuse_exchangeable, temporary_folder
from ingest.files.reading import ForwardFile, PlainFile, open_input, read_bytes, sha256, size_of, stamp_of
from ingest.files.swap import place_folder, recover_swap, swap_folders
from ingest.files.writing import open_output, write_bytes

__all__ = [
    "PRIVATE",
    "ForwardFile",
    "NoSuchInput",
    "PlainFile",
    "entries",
    "exists",
    "expand",
    "files_below",
    "is_folder",
    "is_local",
    "join",
    "link_or_copy",
    "lock",
    "make_folder",
    "move",
    "name_of",
    "normalised",
    "open_input",
    "open_output",
    "parent_of",
    "place_folder",
    "read_bytes",
    "recover_swap",
    "refuse_exchangeable",
    "remove_file",
    "remove_folder",
    "sha256",
    "size_of",
    "stamp_of",
    "swap_folders",
    "temporary_folder",
    "write_bytes",
]
