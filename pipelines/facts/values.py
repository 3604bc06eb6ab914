"""Where calls hold what several of them have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

Values = dict[str, Any]


def descriptor(values: Mapping[str, Any] | None) -> Values | None:
    """REMOTEREADDESC of a start of qm2qm."""
    if not values:
        return None
    found: Values | None = values.get("lpRemoteReadDesc")
    if found is None:
        found = (values.get("lpRemoteReadDesc2") or {}).get("pRemoteReadDesc")
    return found


def transfer_buffer(values: Values | None) -> Values:
    """CACTransferBufferV1 of a call of qmcomm2; empty where there is none."""
    found: Values = ((values or {}).get("ptb") or {}).get("old") or {}
    return found
