"""Properties of a queue that are tables in themselves, taken apart. Each answers a value, or None and the reason."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.limits import MAX_PROPERTY_ROWS
from decoders.msmq.variants import inner_variants, variant_value, vt_name, vt_number
from decoders.status import status_name

if TYPE_CHECKING:
    from collections.abc import Mapping

_SEQUENCE_INFO: Final = struct.Struct("<qII")


@dataclass(frozen=True, slots=True)
class SequenceInfo:
    """[MS-MQMQ] 2.2.5.1: SeqID, SeqNo, PrevNo."""

    sequence_id: int
    sequence_number: int
    previous_number: int


@dataclass(frozen=True, slots=True)
class EodSource:
    """[MS-MQMQ] 2.3.12.24: what one sender's transactional messages to the queue have come to."""

    format_name: str | None
    sender_id: str | None
    sequence_id: int
    sequence_number: int
    last_access_time: int
    """Unix seconds."""
    message_reject_count: int


@dataclass(frozen=True, slots=True)
class ConnectionRecord:
    """[MS-MQMQ] 2.3.12.25: one state of an outgoing queue's connection."""

    status: int
    status_name: str | None
    time: int
    """Unix seconds."""
    error: int
    """Not zero: an error. As an HRESULT it may have a name, which the document does not promise."""
    error_name: str | None
    addresses: tuple[str, ...]


CONNECTION_STATUS: Final = {
    0x00000000: "in progress",
    0x00000001: "establishment packet received",
    0x00000002: "established",
    0x80000000: "failed: unknown reason",
    0x80000001: "failed: ping",
    0x80000002: "failed: create socket",
    0x80000003: "failed: bind socket",
    0x80000004: "failed: connect socket",
    0x80000005: "failed: TCP is not enabled",
    0x80000006: "failed: send",
    0x80000007: "failed: send before ready",
    0x80000008: "failed: DNS",
    0x80000009: "failed: server certificate",
    0x8000000A: "failed: connection limit",
    0x8000000B: "failed: refused by peer",
    0x8000000C: "failed: no directory server",
    0x8000000D: "failed: low memory",
}

_EOD_COLUMNS: Final = (
    "VT_VECTOR|VT_LPWSTR",
    "VT_VECTOR|VT_CLSID",
    "VT_VECTOR|VT_UI8",
    "VT_VECTOR|VT_UI4",
    "VT_VECTOR|VT_I4",
    "VT_VECTOR|VT_UI4",
)
_HISTORY_COLUMNS: Final = ("VT_VECTOR|VT_UI4", "VT_VECTOR|VT_I4", "VT_VECTOR|VT_I4")


def sequence_info(blob: bytes | None) -> tuple[SequenceInfo | None, str]:
    if blob is None or len(blob) != _SEQUENCE_INFO.size:
        return None, f"{0 if blob is None else len(blob)} bytes are no SEQUENCE_INFO of {_SEQUENCE_INFO.size}"
    return SequenceInfo(*_SEQUENCE_INFO.unpack(blob)), ""


def eod_source_info(variant: Mapping[str, object]) -> tuple[list[EodSource] | None, str]:
    columns, reason = _columns(variant, len(_EOD_COLUMNS))
    if reason:
        return None, reason
    typed, reason = _typed(columns, _EOD_COLUMNS)
    if reason:
        return None, reason
    rows = []
    for name, sender, sequence, number, time, rejected in zip(*typed, strict=True):
        match (name, sender, sequence, number, time, rejected):
            case (str() | None, str() | None, int(), int(), int(), int()):
                rows.append(EodSource(name, sender, sequence, number, time, rejected))
            case _:
                return None, f"entry {len(rows)} is incomplete"
    return rows, ""


def connection_history(variant: Mapping[str, object]) -> tuple[list[ConnectionRecord] | None, str]:
    columns, reason = _columns(variant, len(_HISTORY_COLUMNS) + 1)
    if reason:
        return None, reason
    typed, reason = _typed(columns[:3], _HISTORY_COLUMNS)
    if reason:
        return None, reason
    lists = variant_value(columns[3])
    if not isinstance(lists, list) or len(lists) != len(typed[0]):
        return None, "there is not one list of addresses an entry"
    rows = []
    for status, time, error, addresses in zip(*typed, lists, strict=True):
        match (status, time, error):
            case (int(), int(), int()):
                name = status_name(error & 0xFFFF_FFFF) if error else None
                label = CONNECTION_STATUS.get(status)
                rows.append(ConnectionRecord(status, label, time, error, name, _addresses(addresses)))
            case _:
                return None, f"entry {len(rows)} is incomplete"
    return rows, ""


def _addresses(entry: object) -> tuple[str, ...]:
    """The document's `VT_LPWSTR | VT_VECTOR | VT_VECTOR` is a vector of variants with vectors in them.

    A plain vector of texts, one address an entry, is taken as well.
    """
    value = variant_value(entry) if isinstance(entry, dict) else entry
    listed = value if isinstance(value, list) else [value]
    return tuple(address for address in listed if isinstance(address, str))


def _columns(variant: Mapping[str, object], expected: int) -> tuple[list[object], str]:
    rows = inner_variants(variant)
    if rows is None:
        vt = variant.get("vt")
        found = vt_name(vt) if isinstance(vt, int) else "nothing"
        return [], f"{found} instead of VT_VECTOR|VT_VARIANT"
    if len(rows) != expected:
        return [], f"{len(rows)} items instead of {expected}"
    return rows, ""


def _typed(columns: list[object], names: tuple[str, ...]) -> tuple[list[list[object]], str]:
    """The vectors inside the items, all of one length."""
    found: list[list[object]] = []
    for at, (column, name) in enumerate(zip(columns, names, strict=True)):
        vt = column.get("vt") if isinstance(column, dict) else None
        if vt != vt_number(name):
            return [], f"item {at} is {vt_name(vt) if isinstance(vt, int) else 'missing'} instead of {name}"
        value = variant_value(column)
        if not isinstance(value, list):
            return [], f"item {at} was not reached"
        found.append(value)
    lengths = {len(values) for values in found}
    if len(lengths) > 1:
        return [], f"the items differ in length: {', '.join(str(len(values)) for values in found)}"
    if max(lengths) > MAX_PROPERTY_ROWS:
        return [], f"{max(lengths)} entries are more than {MAX_PROPERTY_ROWS}"
    return found, ""
