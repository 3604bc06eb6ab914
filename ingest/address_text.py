"""Address columns as Arrow arrays: each distinct address is formatted once."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoders.net.model import Column


def address_bytes(version: Column, high: Column, low: Column) -> pa.Array:
    return _distinct(version, high, low, lambda raw: raw, pa.binary())


def address_text(version: Column, high: Column, low: Column) -> pa.Array:
    return _distinct(version, high, low, text_of, pa.string())


def text_of(raw: bytes) -> str:
    # Not the module ipaddress: it changed how it prints ::ffff:a.b.c.d between Python 3.11 and 3.13.
    return socket.inet_ntop(socket.AF_INET if len(raw) == 4 else socket.AF_INET6, raw)


def _distinct(
    version: Column, high: Column, low: Column, render: Callable[[bytes], str | bytes], kind: pa.DataType
) -> pa.Array:
    triples = np.empty(len(low), np.dtype([("version", "u1"), ("high", ">u8"), ("low", ">u8")]))
    triples["version"], triples["high"], triples["low"] = version, high, low
    # A record of 17 bytes sorts as one opaque value, which is what unique() needs.
    found, inverse = np.unique(triples.view("V17"), return_inverse=True)
    raw = (item.tobytes() for item in found)
    values = [render(item[13:17] if item[0] == 4 else item[1:]) for item in raw]
    return pa.DictionaryArray.from_arrays(pa.array(inverse.astype(np.int32)), pa.array(values, kind)).cast(kind)
