"""Community ID version 1 with seed 0 (corelight/community-id-spec): one name for a conversation in every tool."""

from __future__ import annotations

import base64
import hashlib

from decoders.net.numbers import Protocol


def community_id(src: bytes, dst: bytes, sport: int, dport: int, protocol: int = Protocol.TCP) -> str:
    """The same for both directions. Addresses of 4 or 16 bytes; for protocols with ports."""
    (low, low_port), (high, high_port) = sorted(((src, sport), (dst, dport)))
    ports = low_port.to_bytes(2, "big") + high_port.to_bytes(2, "big")
    # Seed, addresses, protocol and one byte of padding, ports.
    digest = hashlib.sha1(bytes(2) + low + high + bytes([protocol, 0]) + ports, usedforsecurity=False).digest()
    return "1:" + base64.b64encode(digest).decode()
