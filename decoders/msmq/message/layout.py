"""Members of fixed size and texts: what headers are made of."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from decoders.limits import MAX_QUEUE_NAME_BYTES
from decoders.ndr.layout import GUID_BYTES
from decoders.ndr.texts import guid_text, wide_text

if TYPE_CHECKING:
    from decoders.msmq.message.reader import Members, Reader

GUID: Final = "guid"
_NULL: Final = b"\0\0"


class Layout:
    """Members in the order of the wire, little-endian: name and code of `struct`, or GUID. `x` has no name."""

    def __init__(self, header: str, *members: tuple[str, str]) -> None:
        self.header = header
        self._names = [name for name, _ in members if name]
        self._guids = [name for name, code in members if code == GUID]
        codes = (f"{GUID_BYTES}s" if code == GUID else code for _, code in members)
        self._struct = struct.Struct("<" + "".join(codes))
        self.size = self._struct.size

    def read(self, reader: Reader) -> Members:
        raw = reader.take(self.size, self.header)
        members: Members = dict(zip(self._names, self._struct.unpack(raw), strict=True))
        for name in self._guids:
            members[name] = guid_text(members[name], "<")
        return members


def bits(value: int, mask: int) -> int:
    """The field under the mask. In every drawing of [MS-MQMQ] the first bit is the least significant one."""
    return (value & mask) // (mask & -mask)


def read_guid(reader: Reader, what: str) -> str:
    return guid_text(reader.take(GUID_BYTES, what), "<")


def read_number(reader: Reader, size: int, what: str) -> int:
    return int.from_bytes(reader.take(size, what), "little")


def terminated(reader: Reader, raw: bytes, what: str, at: int) -> str:
    """Up to the first null character, which should be the last."""
    characters = before_null(raw)
    if len(characters) + len(_NULL) != len(raw):
        reader.report("message-text", at, f"{what} has {len(raw)} bytes, {len(characters)} in front of its end")
    return wide_text(characters, "<")


def before_null(raw: bytes) -> bytes:
    """No more than MAX_QUEUE_NAME_BYTES; what is longer is no name."""
    bound = min(len(raw) // len(_NULL) * len(_NULL), MAX_QUEUE_NAME_BYTES)
    at = raw.find(_NULL, 0, bound)
    while at % len(_NULL) and at >= 0:
        # The second half of one character and the first of the next.
        at = raw.find(_NULL, at + 1, bound)
    return raw[: bound if at < 0 else at]
