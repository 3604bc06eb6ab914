"""Ports that servers of MSMQ tell: where the first is taken they move up by elevens."""

from __future__ import annotations

from typing import Final

_STEP: Final = 11
_TRIES: Final = 100
"""A server that finds so many ports taken has other worries; beyond it any port would be in some row of elevens."""


def may_be_told(port: int, first: int) -> bool:
    """0 says that there is none."""
    return port == 0 or port in range(first, first + _STEP * _TRIES, _STEP)
