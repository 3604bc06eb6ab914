"""Conversation keys in bulk: the same 64 bits for both directions of a TCP 4-tuple."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from decoders.net.addresses import to_pair

if TYPE_CHECKING:
    from decoders.net.model import Column, Headers

# Multipliers of the splitmix64 finaliser, which spreads every input bit over all output bits.
_M1: Final = np.uint64(0xBF58476D1CE4E5B9)
_M2: Final = np.uint64(0x94D049BB133111EB)
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


def from_low_side(headers: Headers, rows: Column) -> Column:
    """Was the packet sent by the endpoint with the smaller (address, port)?"""
    source_high, destination_high = headers.src_high[rows], headers.dst_high[rows]
    source_low, destination_low = headers.src_low[rows], headers.dst_low[rows]
    ports = headers.sport[rows] <= headers.dport[rows]
    low = (source_low < destination_low) | ((source_low == destination_low) & ports)
    result: Column = (source_high < destination_high) | ((source_high == destination_high) & low)
    return result


def endpoint_keys(headers: Headers, rows: Column) -> tuple[Column, Column]:
    """Source and destination, a uint64 a row each."""
    source = _endpoint(headers.src_high[rows], headers.src_low[rows], headers.sport[rows])
    destination = _endpoint(headers.dst_high[rows], headers.dst_low[rows], headers.dport[rows])
    return source, destination


def host_keys(headers: Headers, rows: Column) -> tuple[Column, Column]:
    """Of source and destination without their ports, signed as columns of the scan hold them."""
    source = _host(headers.src_high[rows], headers.src_low[rows])
    destination = _host(headers.dst_high[rows], headers.dst_low[rows])
    return source.view(np.int64), destination.view(np.int64)


def host_key(address: bytes) -> int:
    """The same of one address."""
    high, low = (np.array([half], np.uint64) for half in to_pair(address))
    return int(_host(high, low).view(np.int64)[0])


def endpoint_key(address: bytes, port: int) -> int:
    """The same of one endpoint, signed as columns of the scan hold it."""
    high, low = (np.array([half], np.uint64) for half in to_pair(address))
    return int(_endpoint(high, low, np.array([port])).view(np.int64)[0])


def conversation_keys(headers: Headers, rows: Column, ends: tuple[Column, Column] | None = None) -> Column:
    """An int64 a row. Two conversations that share a key are told apart again where segments are put in order."""
    source, destination = ends or endpoint_keys(headers, rows)
    # Sum and exclusive or are symmetric, so no sorting of the two endpoints is needed.
    both = _mixed(source + destination) ^ (source ^ destination) * _GOLDEN
    return (_mixed(both) + headers.ip_version[rows].astype(np.uint64)).view(np.int64)


def _endpoint(high: Column, low: Column, port: Column) -> Column:
    return _mixed(_host(high, low) + port.astype(np.uint64) * _GOLDEN)


def _host(high: Column, low: Column) -> Column:
    return _mixed(high * _GOLDEN ^ low)


def _mixed(value: Column) -> Column:
    value = (value ^ value >> np.uint64(30)) * _M1
    value = (value ^ value >> np.uint64(27)) * _M2
    result: Column = value ^ value >> np.uint64(31)
    return result
