"""What stands behind a message: [MS-MQRR] 2.2.5.2 to 2.2.5.5. Windows Server 2003 has none of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.msmq.message.addresses import HostAddress
from decoders.msmq.message.layout import Layout, before_null, bits
from decoders.ndr.texts import wide_text

if TYPE_CHECKING:
    from decoders.msmq.message.reader import Members, Reader


class ExtensionFlag(enum.IntEnum):
    """Masks of ExtensionHeader.Flags; the other bits are unused."""

    DL = 0x01
    SQ = 0x02
    DI = 0x08
    EA = 0x10


@dataclass(frozen=True, slots=True)
class ExtensionHeader:
    HeaderSize: int
    RemainingHeadersSize: int
    Flags: int


@dataclass(frozen=True, slots=True)
class SubqueueHeader:
    """To be ignored where SubqueueName is empty."""

    HeaderSize: int
    AcknowledgementClass: int
    AbortCounter: int
    MoveCounter: int
    LastMoveTime: int
    """Milliseconds by the document, for which 32 bits are too few."""
    SubqueueName: str
    TargetSubqueueName: str


@dataclass(frozen=True, slots=True)
class DeadLetterHeader:
    HeaderSize: int
    DeadLetterPathName: str | None = None


@dataclass(frozen=True, slots=True)
class ExtendedAddressHeader:
    HeaderSize: int
    address: HostAddress


_EXTENSION: Final = Layout(
    "ExtensionHeader", ("HeaderSize", "I"), ("RemainingHeadersSize", "I"), ("Flags", "B"), ("", "3x")
)
_SUBQUEUE: Final = Layout(
    "SubqueueHeader",
    ("HeaderSize", "I"),
    ("AcknowledgementClass", "I"),
    ("AbortCounter", "I"),
    ("MoveCounter", "I"),
    ("LastMoveTime", "I"),
    ("SubqueueName", "64s"),
    ("TargetSubqueueName", "64s"),
)
_CLASS_BITS: Final = 0x0001_FFFE
"""Behind the one bit TM, by the drawing."""
_DEAD_LETTER: Final = Layout("DeadLetterHeader", ("HeaderSize", "I"))
_EXTENDED_ADDRESS: Final = Layout(
    "ExtendedAddressHeader",
    ("HeaderSize", "I"),
    ("AddressLength", "H"),
    ("AddressType", "H"),
    ("AddressScope", "I"),
    ("Address", "16s"),
)


def extension_follows(reader: Reader) -> bool:
    """No flag announces an ExtensionHeader, only its own size does."""
    return reader.peek(4) == _EXTENSION.size.to_bytes(4, "little")


def read_extension(reader: Reader, members: Members) -> None:
    members |= _EXTENSION.read(reader)


def read_subqueue(reader: Reader, members: Members) -> None:
    start = reader.at
    fixed = _SUBQUEUE.read(reader)
    fixed["AcknowledgementClass"] = bits(fixed["AcknowledgementClass"], _CLASS_BITS)
    for field in ("SubqueueName", "TargetSubqueueName"):
        fixed[field] = wide_text(before_null(fixed[field]), "<")
    members |= fixed
    _to_the_end(reader, _SUBQUEUE, start, fixed["HeaderSize"])


def read_dead_letter(reader: Reader, members: Members) -> None:
    start = reader.at
    members |= _DEAD_LETTER.read(reader)
    # Padding with zeros is a part of the header, so the first null character need not be the last.
    rest = _to_the_end(reader, _DEAD_LETTER, start, members["HeaderSize"])
    members["DeadLetterPathName"] = wide_text(before_null(rest), "<")


def read_extended_address(reader: Reader, members: Members) -> None:
    start = reader.at
    fixed = _EXTENDED_ADDRESS.read(reader)
    size = members["HeaderSize"] = fixed.pop("HeaderSize")
    members["address"] = HostAddress(**fixed)
    _to_the_end(reader, _EXTENDED_ADDRESS, start, size)


def _to_the_end(reader: Reader, layout: Layout, start: int, size: int) -> bytes:
    """What the header holds behind its fixed members."""
    if size < layout.size:
        reader.stop("message-length", start, f"{layout.header} has {size} bytes instead of {layout.size}")
    rest = reader.take(size - layout.size, layout.header)
    reader.align()
    return rest
