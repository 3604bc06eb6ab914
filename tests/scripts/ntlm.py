"""NTLM's messages as they are sent raw over RPC: [MS-NLMP] 2.2.1, 2.2.2.9."""

from __future__ import annotations

import random
import struct
from typing import Final

_SIGNATURE: Final = b"NTLMSSP\0"
_FLAGS: Final = 0xE288_8235
"""What Windows 7 agrees on; names in Unicode."""
_VERSION: Final = bytes.fromhex("0601b11d0000000f")


def negotiate() -> bytes:
    return _SIGNATURE + struct.pack("<II", 1, _FLAGS) + bytes(16) + _VERSION


def challenge(domain: str, seed: str) -> bytes:
    name = domain.encode("utf-16-le")
    information = struct.pack("<HH", 2, len(name)) + name + bytes(4)
    at = 56
    fields = struct.pack("<HHI", len(name), len(name), at), struct.pack("<I", _FLAGS), _random(seed, 8), bytes(8)
    target = struct.pack("<HHI", len(information), len(information), at + len(name))
    return _SIGNATURE + struct.pack("<I", 2) + b"".join(fields) + target + _VERSION + name + information


def authenticate(user: str, domain: str, workstation: str, seed: str) -> bytes:
    """Without a user nobody in particular: no NtChallengeResponse."""
    texts = (text.encode("utf-16-le") for text in (domain, user, workstation))
    proof = _random(seed, 24) if user else b""
    fields, payload = b"", b""
    for value in (bytes(24) if user else b"\0", proof, *texts, _random(seed, 16)):
        fields += struct.pack("<HHI", len(value), len(value), 88 + len(payload))
        payload += value
    mic = bytes(16)
    return _SIGNATURE + struct.pack("<I", 3) + fields + struct.pack("<I", _FLAGS) + _VERSION + mic + payload


def signature(number: int, seed: str) -> bytes:
    """16 bytes: version, checksum, sequence number."""
    return struct.pack("<I8sI", 1, _random(f"{seed} {number}", 8), number)


def _random(seed: str, size: int) -> bytes:
    return random.Random(seed).randbytes(size)
