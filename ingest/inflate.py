"""gzip and zstd as a forward-only byte source: what can be inflated is delivered, then the damage is named."""

from __future__ import annotations

import contextlib
import zlib
from typing import TYPE_CHECKING, Final, Literal

import pyarrow as pa

from ingest.files import ForwardFile

if TYPE_CHECKING:
    from collections.abc import Iterator

Compression = Literal["none", "gzip", "zstd"]
MAGICS: Final[dict[bytes, Compression]] = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    # RFC 8878 3.1.2: skippable frames, which pzstd and seekable zstd put first.
    **{bytes([low]) + b"\x2a\x4d\x18": "zstd" for low in range(0x50, 0x60)},
}
_CHUNK: Final = 1024 * 1024
_GZIP_CHUNK: Final = 4096
"""Given to zlib at once: what a member leaves over is copied, and a member may be twenty bytes."""
DAMAGED: Final = "compressed-data-damaged"
TOO_FAR: Final = "inflates-too-far"


class InflatedFile:
    """Reads must not go back before the last offset asked for."""

    def __init__(self, path: str, compression: Compression, most: int | None = None) -> None:
        """`most`: bytes that are read of what is inside; None: all of them."""
        self.path = path
        self.damage: str | None = None
        """Why reading ended early, `damage_code` for short."""
        self.damage_code = DAMAGED
        self._most = most
        self._parts = _INFLATE[compression](path)
        self._held = bytearray()
        self._start = 0

    def read(self, offset: int, length: int) -> bytes:
        while self._start + len(self._held) < offset + length:
            try:
                part = next(self._parts)
            except StopIteration:
                break
            except (zlib.error, OSError, EOFError, pa.ArrowInvalid) as error:
                # Only the file system's own errors have a number.
                unread = error.strerror if isinstance(error, OSError) and error.errno else None
                self.damage = f"reading stopped: {unread}" if unread else f"the compressed data is damaged: {error}"
                self._parts = iter(())
                break
            self._held += part
            self._keep_to_bounds()
            self._drop_before(offset)
        self._drop_before(offset)
        first = offset - self._start
        return bytes(self._held[first : first + length]) if first < len(self._held) else b""

    def _keep_to_bounds(self) -> None:
        beyond = 0 if self._most is None else self.size() - self._most
        if beyond > 0:
            del self._held[len(self._held) - beyond :]
            self.damage, self.damage_code = f"it inflates to more than the {self._most} bytes that are read", TOO_FAR
            self._parts = iter(())

    def _drop_before(self, offset: int) -> None:
        useless = min(offset - self._start, len(self._held))
        if useless > 0:
            del self._held[:useless]
            self._start += useless

    def size(self) -> int:
        """Of what was inflated up to now: all of it once a read came back short."""
        return self._start + len(self._held)

    def close(self) -> None:
        self._parts = iter(())


def inflated_size(path: str, compression: Compression, most: int) -> int:
    """Bytes in the file; of one with more than `most`, so many of them as show that. No more are held than a chunk."""
    file = InflatedFile(path, compression)
    try:
        while file.size() <= most and file.read(file.size(), _CHUNK):
            pass
        return file.size()
    finally:
        file.close()


def _gunzip(path: str) -> Iterator[bytes]:
    """All members of the file. zlib itself, since the gzip module drops what it inflated before an error."""
    source = ForwardFile(path)
    inflater = zlib.decompressobj(wbits=31)
    started = False
    try:
        while chunk := source.read(_GZIP_CHUNK):
            while chunk:
                if inflater.eof:
                    chunk = chunk.lstrip(b"\0")  # tapes and some rotators pad with zeros between members
                    if not chunk:
                        break
                    inflater, started = zlib.decompressobj(wbits=31), False
                before = inflater.copy()
                try:
                    part = inflater.decompress(chunk, _CHUNK)
                except zlib.error:
                    yield from _up_to_the_error(before, chunk)
                    raise
                started = True
                if part:
                    yield part
                chunk = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
        if started and not inflater.eof:
            yield inflater.flush()
            raise EOFError("the file ends before the end of its gzip stream")
    finally:
        source.close()


def _up_to_the_error(inflater: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    """What a failing call had inflated already; zlib drops it, so its input is fed again, byte by byte."""
    try:
        for octet in chunk:
            yield inflater.decompress(bytes((octet,)))
    except zlib.error:
        return


def _unzstd(path: str) -> Iterator[bytes]:
    delivered = 0
    try:
        with _zstd_stream(path) as stream:
            while part := stream.read(_CHUNK):
                yield part
                delivered += len(part)
    except OSError as error:
        if error.errno:
            raise
        # Arrow drops what a failing read had inflated already: read on from there once more, byte by byte.
        with _zstd_stream(path) as stream:
            while delivered:
                delivered -= len(stream.read(min(_CHUNK, delivered)))
            while octet := stream.read(1):
                yield octet


@contextlib.contextmanager
def _zstd_stream(path: str) -> Iterator[pa.NativeFile]:
    with ForwardFile(path) as file, pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd") as stream:
        yield stream


_INFLATE = {"gzip": _gunzip, "zstd": _unzstd}
