"""MultiQueueFormatHeader: [MS-MQMQ] 2.2.20.1 to 2.2.20.3, with the names of 2.2.18.1.4.

A public queue's GUID begins at a multiple of four like the others': 2.2.18.1.7.1 does not say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.limits import MAX_MULTI_QUEUE_BYTES, MAX_MULTI_QUEUE_NAMES, MAX_QUEUE_NAME_BYTES
from decoders.msmq.message.layout import Layout, before_null, read_guid, read_number
from decoders.msmq.message.queue_names import private_name
from decoders.ndr.texts import wide_text

if TYPE_CHECKING:
    from decoders.msmq.message.reader import Members, Reader

_HEADERS: Final = (("Destination", 0x0064), ("Administration", 0x00C8), ("Response", 0x012C))
_SIGNATURE_ID: Final = 0x015E
_PRIVATE, _DIRECT = 2, 3
_KINDS: Final = {1: "PUBLIC", _PRIVATE: "PRIVATE", _DIRECT: "DIRECT", 6: "DL"}
_NULL: Final = b"\0\0"


@dataclass(frozen=True, slots=True)
class MultiQueueFormatHeader:
    """Format names; what was not reached is None."""

    Destination: tuple[str, ...]
    Administration: tuple[str, ...] | None = None
    Response: tuple[str, ...] | None = None
    Signature: bytes | None = None


_ADDRESS: Final = Layout("MQFAddressHeader", ("HeaderSize", "I"), ("HeaderID", "H"), ("", "2x"), ("ElementCount", "I"))
_SIGNATURE: Final = Layout("MQFSignatureHeader", ("ID", "H"), ("", "2x"), ("Size", "I"))


def read(reader: Reader, members: Members) -> None:
    for field, identifier in _HEADERS:
        members[field] = _read_names(reader, field, identifier)
    at = reader.at
    fixed = _SIGNATURE.read(reader)
    if fixed["ID"] != _SIGNATURE_ID:
        reader.stop("message-header-id", at, f"Signature has 0x{fixed['ID']:04X} instead of 0x{_SIGNATURE_ID:04X}")
    members["Signature"] = reader.take(fixed["Size"], "MQFSignatureHeader.Signature")
    reader.align()


def _read_names(reader: Reader, field: str, identifier: int) -> tuple[str, ...]:
    start, packet_end = reader.at, reader.end
    fixed = _ADDRESS.read(reader)
    size, count = fixed["HeaderSize"], fixed["ElementCount"]
    if fixed["HeaderID"] != identifier:
        reader.stop("message-header-id", start, f"{field} has 0x{fixed['HeaderID']:04X} instead of 0x{identifier:04X}")
    if not _ADDRESS.size <= size <= packet_end - start:
        reader.stop(
            "message-length", start, f"{field} has {size} bytes, of which {packet_end - start} are in the packet"
        )
    reader.end = start + size
    names: list[str] = []
    while len(names) < count:
        if len(names) == MAX_MULTI_QUEUE_NAMES or reader.at - start > MAX_MULTI_QUEUE_BYTES:
            reader.report("message-too-many", start, f"{count} names, of which {len(names)} were read")
            break
        names.append(_read_name(reader, field))
    else:
        _check_size(reader, field, start, size)
    reader.at, reader.end = start + size, packet_end
    reader.align()
    return tuple(names)


def _check_size(reader: Reader, field: str, start: int, size: int) -> None:
    reader.align()
    if reader.at != reader.end:
        reader.report("message-size", start, f"{field} has {size} bytes, its names end at {reader.at - start}")


def _read_name(reader: Reader, field: str) -> str:
    at = reader.at
    kind = read_number(reader, 2, field)
    if kind not in _KINDS:
        reader.stop("message-queue-kind", at, f"{field} with a name of kind {kind}")
    if kind == _DIRECT:
        return f"DIRECT={_direct(reader, field)}"
    reader.align()
    guid = read_guid(reader, field)
    if kind == _PRIVATE:
        return private_name(guid, read_number(reader, 4, field))
    return f"{_KINDS[kind]}={guid}"


def _direct(reader: Reader, field: str) -> str:
    at = reader.at
    characters = before_null(reader.peek(min(MAX_QUEUE_NAME_BYTES, reader.end - at)))
    if reader.take(len(characters) + len(_NULL), f"{field} with a direct name")[-len(_NULL) :] != _NULL:
        reader.stop("message-length", at, f"{field} has a direct name without its end")
    return wide_text(characters, "<")
