"""Keytab files, as MIT's and Heimdal's Kerberos and Windows' ktpass write them: version 5.2, big-endian.

Each entry has its length in front; a negative one is room that a deleted entry left.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from decoders.errors import Malformed, NotThisFormat, Truncated
from decoders.limits import MAX_KERBEROS_NAMES, MAX_KEYTAB_ENTRIES
from decoders.security.accounts import ServiceKey

if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION: Final = b"\x05\x02"
_SIZE, _COUNT, _KVNO = struct.Struct(">i"), struct.Struct(">H"), struct.Struct(">I")
_FIXED: Final = struct.Struct(">IIBH")
"""Type of the name, time, the version's low 8 bits, and the key's encryption type."""


def read_keytab(data: bytes) -> tuple[ServiceKey, ...]:
    """Raises NotThisFormat, Truncated or Malformed; what they say holds nothing of a key."""
    if data[:2] != _VERSION:
        raise NotThisFormat("is no keytab of version 5.2")
    return tuple(map(_entry, _records(data)))


def _records(data: bytes) -> Iterator[_Record]:
    at, found = len(_VERSION), 0
    while at < len(data):
        if len(data) - at < _SIZE.size:
            raise Truncated("ends inside the length of an entry", at)
        (size,) = _SIZE.unpack_from(data, at)
        at += _SIZE.size
        if size == 0:
            # MIT's library takes it for the end; files are padded with it.
            return
        if abs(size) > len(data) - at:
            raise Truncated(f"an entry has {len(data) - at} bytes of {abs(size)}", at)
        if size > 0:
            found += 1
            if found > MAX_KEYTAB_ENTRIES:
                raise Malformed(f"has more than {MAX_KEYTAB_ENTRIES} entries", at)
            yield _Record(data, at, at + size, found)
        at += abs(size)


class _Record:
    """One entry, read from its beginning on."""

    def __init__(self, data: bytes, at: int, end: int, number: int) -> None:
        self._data, self.at, self._end, self.number = data, at, end, number

    def take(self, size: int) -> bytes:
        if size > self.left:
            raise Truncated(f"entry {self.number} ends inside a field", self.at)
        self.at += size
        return self._data[self.at - size : self.at]

    def counted(self) -> bytes:
        return self.take(self.count())

    def count(self) -> int:
        (value,) = _COUNT.unpack(self.take(_COUNT.size))
        return int(value)

    @property
    def left(self) -> int:
        return self._end - self.at


def _entry(record: _Record) -> ServiceKey:
    count = record.count()
    if not 0 < count <= MAX_KERBEROS_NAMES:
        raise Malformed(f"entry {record.number} has a name of {count} parts", record.at)
    realm, *parts = (record.counted().decode("utf-8", "backslashreplace") for _ in range(count + 1))
    _, _, kvno, etype = _FIXED.unpack(record.take(_FIXED.size))
    key = record.counted()
    if record.left >= _KVNO.size:
        # Later versions have all 32 bits behind the key; zeros are no version, but room.
        kvno = _KVNO.unpack(record.take(_KVNO.size))[0] or kvno
    return ServiceKey("/".join(parts), realm, kvno, etype, key)
