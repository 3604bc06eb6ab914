"""What follows a header, as lookup tables over the field that says so."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import numpy as np

from decoders.net import numbers
from decoders.net.numbers import EtherType, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoders.net.model import Column


class Next(enum.IntEnum):
    """What to do with a packet after a header."""

    ODD = 0
    NOT_IP = 1
    NOT_TCP = 2
    ETHERNET = 3
    VLAN = 4
    IPV4 = 5
    IPV6 = 6
    TCP = 7
    UDP = 8
    GRE = 9
    ERSPAN_III = 10
    IPV4_IN_IP = 11
    IPV6_IN_IP = 12


def _table(size: int, default: Next, *entries: tuple[Iterable[int], Next]) -> Column:
    table = np.full(size, default, np.uint8)
    for keys, action in entries:
        table[list(keys)] = action
    return table


BY_TYPE: Final = _table(
    1 << 16,
    Next.NOT_IP,
    (range(numbers.MAX_LENGTH_TYPE + 1), Next.ODD),
    (numbers.VLAN_TYPES, Next.VLAN),
    ([EtherType.IPV4], Next.IPV4),
    ([EtherType.IPV6], Next.IPV6),
)
BY_GRE_PROTOCOL: Final = _table(
    1 << 16,
    Next.NOT_TCP,
    ([EtherType.IPV4], Next.IPV4),
    ([EtherType.IPV6], Next.IPV6),
    ([EtherType.TRANSPARENT_ETHERNET, EtherType.ERSPAN_I_II], Next.ETHERNET),
    ([EtherType.ERSPAN_III], Next.ERSPAN_III),
)
BY_PROTOCOL: Final = {
    version: _table(
        1 << 8,
        Next.NOT_TCP,
        (extensions, Next.ODD),
        ([Protocol.TCP], Next.TCP),
        ([Protocol.UDP], Next.UDP),
        ([Protocol.GRE], Next.GRE),
        ([Protocol.IPV4], Next.IPV4_IN_IP),
        ([Protocol.IPV6], Next.IPV6_IN_IP),
    )
    for version, extensions in numbers.EXTENSIONS.items()
}
BY_FIRST_BYTE: Final = _table(1 << 8, Next.ODD, (range(0x40, 0x50), Next.IPV4), (range(0x60, 0x70), Next.IPV6))
BY_FAMILY: Final = _table(1 << 8, Next.NOT_IP, ([numbers.AF_INET], Next.IPV4), (numbers.AF_INET6, Next.IPV6))
