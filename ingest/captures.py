"""Telling what a file is by its content, and opening it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from decoders.errors import DecodeError
from ingest.bounds import BOUNDS, Bounds
from ingest.containers import pcap, pcapng
from ingest.files import PlainFile, is_local
from ingest.inflate import MAGICS as COMPRESSION_MAGICS
from ingest.inflate import Compression, InflatedFile, inflated_size

if TYPE_CHECKING:
    from ingest.containers.model import Container, Position

HEAD_BYTES: Final = 1024 * 1024
CONTAINERS: Final[dict[str, Container]] = {"pcap": pcap.Pcap(), "pcapng": pcapng.Pcapng()}


class ByteSource(Protocol):
    def read(self, offset: int, length: int) -> bytes: ...
    def size(self) -> int: ...
    def close(self) -> None: ...


class UnreadableCapture(Exception):
    """Nothing can be had from the file. `code` is the issue's code, the text a sentence for its reader."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail

    def __reduce__(self) -> tuple[type[UnreadableCapture], tuple[str, str]]:
        return UnreadableCapture, (self.code, self.detail)


@dataclass(frozen=True, slots=True)
class Capture:
    """An input file that can be read."""

    path: str
    size: int
    compression: Compression
    format: str
    opening: Position
    first_ts_ns: int
    """Time of the first packet, as far as it is near the beginning; else 0."""
    bounds: Bounds = BOUNDS
    """Of what is read where it is compressed."""

    def source(self) -> ByteSource:
        if self.compression == "none":
            return PlainFile(self.path)
        return InflatedFile(self.path, self.compression, self.bounds.allowed(self.size))

    def bytes_inside(self, most: int) -> int:
        """Without compression; beyond `most` it is not looked how many more."""
        return self.size if self.compression == "none" else inflated_size(self.path, self.compression, most)

    @property
    def container(self) -> Container:
        return CONTAINERS[self.format]


def open_capture(path: str, bounds: Bounds = BOUNDS) -> Capture:
    """Raises UnreadableCapture."""
    plain = PlainFile(path)
    try:
        size, head = plain.size(), plain.read(0, HEAD_BYTES)
    except PermissionError as error:
        why = "no permission to read the file; run as a user who may" if is_local(path) else str(error.strerror)
        raise UnreadableCapture("no-permission", why) from None
    except OSError as error:
        raise UnreadableCapture("not-readable", f"the file cannot be read: {error.strerror}") from None
    finally:
        plain.close()
    compression = _compression(head)
    if compression != "none":
        head = _inflated_head(path, compression)
        if _compression(head) != "none":
            raise UnreadableCapture("compressed-twice", "compressed more than once; decompress it one time by hand")
    name = _format(head)
    try:
        opening = CONTAINERS[name].opening(head)
    except DecodeError as error:
        raise UnreadableCapture("file-header-damaged", f"the {name} file header is damaged: {error.detail}") from None
    first = CONTAINERS[name].walk(head[opening.offset :], opening, HEAD_BYTES, at_end=False).records
    return Capture(path, size, compression, name, opening, int(first[0].ts_ns[0]) if first else 0, bounds)


def _compression(head: bytes) -> Compression:
    return next((name for magic, name in COMPRESSION_MAGICS.items() if head.startswith(magic)), "none")


def _inflated_head(path: str, compression: Compression) -> bytes:
    source = InflatedFile(path, compression)
    head = source.read(0, HEAD_BYTES)
    source.close()
    if not head and source.damage:
        raise UnreadableCapture("compressed-data-damaged", source.damage)
    return head


def _format(head: bytes) -> str:
    if head[:4] in pcap.MAGICS:
        return "pcap"
    if head[:4] == pcapng.MAGIC:
        return "pcapng"
    if not head:
        raise UnreadableCapture("empty-file", "the file is empty")
    for recognises, code, sentence in _REFUSED:
        if recognises(head):
            raise UnreadableCapture(code, sentence)
    raise UnreadableCapture("not-a-capture", f"not a pcap or pcapng file (it begins with {head[:4].hex(' ')})")


def _is_etl(head: bytes) -> bool:
    """An ETW buffer header of 72 bytes, then the trace's own header event: version 2, marker 0xC0."""
    if len(head) < 0x4C:
        return False
    buffer_size, version = struct.unpack_from("<I", head)[0], struct.unpack_from("<H", head, 0x48)[0]
    return 1024 <= buffer_size <= 1 << 24 and buffer_size % 512 == 0 and version == 2 and head[0x4B] == 0xC0


_REFUSED = (
    (
        lambda head: head[:4] in (b"GMBU", b"RTSS"),
        "netmon-capture",
        "a Microsoft Network Monitor capture; convert it: editcap -F pcapng FILE.cap FILE.pcapng",
    ),
    (_is_etl, "etl-trace", "a Windows event trace (ETL); convert it: etl2pcapng FILE.etl FILE.pcapng"),
    (
        lambda head: head.startswith(b"snoop\0\0\0"),
        "snoop-capture",
        "a Solaris snoop capture; convert it: editcap -F pcapng FILE.snoop FILE.pcapng",
    ),
)
