"""The numbers on the wire that choose the next header, as IANA and tcpdump.org/linktypes.html list them."""

from __future__ import annotations

import enum
from typing import Final


class LinkType(enum.IntEnum):
    """As written in capture files."""

    NULL = 0
    ETHERNET = 1
    RAW_BSD = 12
    RAW_OPENBSD = 14
    RAW = 101
    LOOP = 108
    LINUX_SLL = 113
    IPV4 = 228
    IPV6 = 229
    LINUX_SLL2 = 276


class EtherType(enum.IntEnum):
    IPV4 = 0x0800
    TRANSPARENT_ETHERNET = 0x6558
    IPV6 = 0x86DD
    ERSPAN_I_II = 0x88BE
    ERSPAN_III = 0x22EB


VLAN_TYPES: Final = frozenset({0x8100, 0x88A8, 0x9100})
"""802.1Q, 802.1ad, and the number QinQ switches used before 802.1ad."""

MAX_LENGTH_TYPE: Final = 1500
"""IEEE 802.3 3.2.6: up to here the field is a length, and LLC follows."""

LLC_SNAP: Final = b"\xaa\xaa\x03"
LLC_IP: Final = b"\x06\x06\x03"
"""IEEE 802.2: destination and source access point, unnumbered information."""

SLL_LLC: Final = 4
"""LINKTYPE_LINUX_SLL: the protocol type that says LLC follows."""

AF_INET: Final = 2
AF_INET6: Final = (10, 24, 28, 30)
"""Linux; NetBSD, OpenBSD and Npcap; FreeBSD; macOS."""


class Protocol(enum.IntEnum):
    """IPv4 protocol and IPv6 next header."""

    HOP_BY_HOP = 0
    IPV4 = 4
    TCP = 6
    UDP = 17
    IPV6 = 41
    ROUTING = 43
    FRAGMENT = 44
    GRE = 47
    AUTHENTICATION = 51
    DESTINATION = 60


EXTENSIONS: Final[dict[int, frozenset[int]]] = {
    4: frozenset({Protocol.AUTHENTICATION}),
    6: frozenset(
        {
            Protocol.HOP_BY_HOP,
            Protocol.ROUTING,
            Protocol.FRAGMENT,
            Protocol.AUTHENTICATION,
            Protocol.DESTINATION,
        }
    ),
}
"""By IP version: the headers that name a next header. RFC 4302 defines AH for both versions."""

VXLAN_PORT: Final = 4789
VXLAN_VALID: Final = 0x08
"""RFC 7348 5: the I flag; the other flags are ignored on receipt."""

GRE_CHECKSUM: Final = 0x8000
GRE_ROUTING: Final = 0x4000
GRE_KEY: Final = 0x2000
GRE_SEQUENCE: Final = 0x1000
GRE_VERSION: Final = 0x0007
GRE_OPTIONAL: Final = (GRE_CHECKSUM, GRE_KEY, GRE_SEQUENCE)
"""RFC 2784 2.1, RFC 2890 2: four bytes each, in this order."""

ERSPAN_II_BYTES: Final = 8
ERSPAN_III_BYTES: Final = 12
ERSPAN_III_SUBHEADER_BYTES: Final = 8
ERSPAN_III_SUBHEADER: Final = 0x0001
ERSPAN_III_FRAME_TYPE_SHIFT: Final = 10
ERSPAN_III_FRAME_TYPE_MASK: Final = 0x1F
ERSPAN_III_ETHERNET: Final = 0
ERSPAN_III_IP: Final = 2
"""draft-foschiano-erspan-03: in the last 16 bits of the type III header are the frame type (FT) and the flag O."""
