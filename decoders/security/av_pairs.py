"""What servers and clients say of themselves in NTLM: [MS-NLMP] 2.2.2.1."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from decoders.errors import Malformed, Truncated
from decoders.limits import MAX_AV_PAIRS, MAX_NTLM_NAME_BYTES

_EOL: Final = 0
_FLAGS, _TIMESTAMP, _SINGLE_HOST, _CHANNEL_BINDINGS = 6, 7, 8, 10
_TEXTS: Final = {
    1: "MsvAvNbComputerName",
    2: "MsvAvNbDomainName",
    3: "MsvAvDnsComputerName",
    4: "MsvAvDnsDomainName",
    5: "MsvAvDnsTreeName",
    9: "MsvAvTargetName",
}
_MACHINE_ID: Final = slice(16, 48)
"""Of Single_Host_Data, 2.2.2.2."""
_FILETIME: Final = struct.Struct("<Q")
_FILETIME_OF_1970: Final = 116_444_736_000_000_000
_AD_2262: Final = _FILETIME_OF_1970 + (1 << 63) // 100
MIC_PROVIDED: Final = 0x2


@dataclass(frozen=True, slots=True)
class AvPairs:
    """None: not told."""

    MsvAvNbComputerName: str | None = None
    MsvAvNbDomainName: str | None = None
    MsvAvDnsComputerName: str | None = None
    MsvAvDnsDomainName: str | None = None
    MsvAvDnsTreeName: str | None = None
    MsvAvTargetName: str | None = None
    MsvAvFlags: int | None = None
    MsvAvTimestamp: int | None = None
    """In nanoseconds since 1970."""
    MachineID: bytes | None = None
    MsvAvChannelBindings: bytes | None = None
    """Zeros mean that there are none."""


def parse_av_pairs(data: bytes) -> AvPairs:
    """Raises Truncated or Malformed. The first of a kind counts."""
    found: dict[int, bytes] = {}
    at = 0
    for _ in range(MAX_AV_PAIRS):
        if len(data) - at < 4:
            raise Truncated("the pairs end without MsvAvEOL", len(data))
        kind, length = struct.unpack_from("<HH", data, at)
        if kind == _EOL:
            return _named(found)
        if length > len(data) - at - 4:
            raise Truncated(f"AvId {kind} has {length} bytes", at)
        found.setdefault(kind, data[at + 4 : at + 4 + length])
        at += 4 + length
    raise Malformed(f"more than {MAX_AV_PAIRS} pairs", at)


def _named(found: dict[int, bytes]) -> AvPairs:
    texts = {name: _text(found[kind], name) for kind, name in _TEXTS.items() if kind in found}
    flags, host = found.get(_FLAGS, b""), found.get(_SINGLE_HOST, b"")
    return AvPairs(
        **texts,
        MsvAvFlags=int.from_bytes(flags, "little") if len(flags) == 4 else None,
        MsvAvTimestamp=_nanoseconds(found.get(_TIMESTAMP, b"")),
        MachineID=host[_MACHINE_ID] if len(host) >= _MACHINE_ID.stop else None,
        MsvAvChannelBindings=found.get(_CHANNEL_BINDINGS),
    )


def _text(value: bytes, name: str) -> str:
    if len(value) > MAX_NTLM_NAME_BYTES:
        raise Malformed(f"{name} has {len(value)} bytes")
    # Unicode whatever was agreed on: 2.2.1.2.
    return value.decode("utf-16-le", "backslashreplace")


def _nanoseconds(value: bytes) -> int | None:
    filetime = _FILETIME.unpack(value)[0] if len(value) == _FILETIME.size else 0
    return (filetime - _FILETIME_OF_1970) * 100 if 0 < filetime < _AD_2262 else None
