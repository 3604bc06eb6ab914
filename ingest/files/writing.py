"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from ingest.files.folders import make_folder, move, remove_file
from ingest.files.names import is_local, local_path, name_of, parent_of, sibling
from ingest.files.remote import S3, errors_of_path, file_system_of, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer


def write_bytes(path: str, data: bytes) -> None:
    """A reader sees the old or the new. On HDFS, for a moment, neither: it cannot rename over a file."""
    if scheme_of(path) in S3:  # an object appears with its last byte
        with open_output(path) as file:
            file.write(data)
        return
    half = sibling(path, f".{name_of(path)}.{secrets.token_hex(4)}.half")
    with open_output(half) as file:
        file.write(data)
        if is_local(path):
            file.flush()
            os.fsync(file.fileno())
    try:
        move(half, path)
    except BaseException:
        remove_file(half)
        raise


@contextlib.contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """A new file, its folders made; it is removed again if the block is left by an error."""
    make_folder(parent_of(path))
    try:
        with Path(local_path(path)).open("wb") if is_local(path) else _RemoteOutput(path) as file:
            yield cast("BinaryIO", file)
    except BaseException:
        with contextlib.suppress(OSError):
            remove_file(path)
        raise


class _RemoteOutput(io.RawIOBase):
    """pyarrow's stream with errors that name the file; pyarrow takes it like any other Python file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._stream: Any = None
        system, inner = file_system_of(path)
        with errors_of_path(path):
            self._stream = system.open_output_stream(inner)

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        with errors_of_path(self._path):
            self._stream.write(data)
        return memoryview(data).nbytes

    def tell(self) -> int:
        return int(self._stream.tell())

    def close(self) -> None:
        if self._stream is not None and not self._stream.closed:
            with errors_of_path(self._path):
                self._stream.close()
        super().close()
