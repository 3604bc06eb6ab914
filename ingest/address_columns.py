"""Address columns as Arrow arrays: each distinct address is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from decoders.net.addresses import distinct, to_text

if TYPE_CHECKING:
    from decoders.net.model import Column


def address_bytes(high: Column, low: Column, ip_version: Column) -> pa.Array:
    codes, values = distinct(high, low, ip_version)
    return pa.array(values, pa.binary()).take(pa.array(codes))


def address_text(high: Column, low: Column, ip_version: Column) -> pa.Array:
    codes, values = distinct(high, low, ip_version)
    return pa.array([to_text(value) for value in values], pa.string()).take(pa.array(codes))
