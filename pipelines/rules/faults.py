"""Whose error a fault is: the method's, or that of the RPC runtime."""

from __future__ import annotations

from typing import Final

_OF_METHODS: Final = frozenset((0xC00E, 0x800E, 0x400E, 0x8000, 0x8004))
"""Upper halves of codes that only a method can have raised: MSMQ's, and those of COM objects (E_FAIL and the like).
nca_*, Win32, security and NT status codes are raised by the RPC runtime as well."""


def raised_by_method(fault: int) -> bool:
    return fault >> 16 in _OF_METHODS
