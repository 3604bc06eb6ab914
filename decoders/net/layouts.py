"""The fixed part of each header as numpy reads it; fields that nothing asks for are run together."""

from __future__ import annotations

from typing import Final

import numpy as np

ETHERNET: Final = np.dtype([("addresses", "V12"), ("kind", ">u2")])
VLAN: Final = np.dtype([("tag", "V2"), ("kind", ">u2")])
SLL: Final = np.dtype([("link", "V14"), ("kind", ">u2")])
SLL2: Final = np.dtype([("kind", ">u2"), ("link", "V18")])
LOOPBACK: Final = np.dtype([("family", ">u4")])
IPV4: Final = np.dtype(
    [
        ("version_ihl", "u1"),
        ("tos", "u1"),
        ("total", ">u2"),
        ("identification", ">u2"),
        ("fragment", ">u2"),
        ("ttl", "u1"),
        ("protocol", "u1"),
        ("checksum", ">u2"),
        ("src", ">u4"),
        ("dst", ">u4"),
    ]
)
IPV6: Final = np.dtype(
    [
        ("version_class", "u1"),
        ("flow", "V3"),
        ("length", ">u2"),
        ("protocol", "u1"),
        ("hops", "u1"),
        ("src_high", ">u8"),
        ("src_low", ">u8"),
        ("dst_high", ">u8"),
        ("dst_low", ">u8"),
    ]
)
TCP: Final = np.dtype(
    [
        ("sport", ">u2"),
        ("dport", ">u2"),
        ("seq", ">u4"),
        ("ack", ">u4"),
        ("offset", "u1"),
        ("flags", "u1"),
        ("window", ">u2"),
        ("checksum_urgent", "V4"),
    ]
)
UDP: Final = np.dtype([("sport", ">u2"), ("dport", ">u2"), ("length_checksum", "V4")])
VXLAN: Final = np.dtype([("flags", "u1"), ("rest", "V7")])
GRE: Final = np.dtype([("flags", ">u2"), ("protocol", ">u2")])
ERSPAN3: Final = np.dtype([("session", "V10"), ("last", ">u2")])
