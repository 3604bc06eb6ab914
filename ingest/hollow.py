"""Conversations of which next to no payload was captured: by how much their numbers moved all the same.

Each side has a least and a most: of the numbers that its packets bear, and of those that the other acknowledges. Where
they lie apart by more than SYN, FIN and probes account for, bytes passed that are not in the capture. This is a
superset: numbers that begin again at 0, or belong to two connections of the same ends, lie apart as well. The exact
decision falls where segments are put in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from decoders.dcerpc.header import HEADER_BYTES
from decoders.tcp.model import ACK, SYN
from ingest.stream_bases import NEVER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.net.model import Column, Headers

PDU_BYTES: Final = HEADER_BYTES
"""With fewer bytes captured nothing can tell what was spoken, and with fewer missing no PDU is."""
NOWHERE: Final = -1
"""No most is known, as NEVER is no least."""
REDUCTIONS: Final = {
    "low_least": np.minimum,
    "low_most": np.maximum,
    "high_least": np.minimum,
    "high_most": np.maximum,
}
UNKNOWN: Final = {"low_least": NEVER, "low_most": NOWHERE, "high_least": NEVER, "high_most": NOWHERE}


def numbers_seen(headers: Headers, rows: Column, from_low: Column) -> dict[str, Column]:
    """What each packet says of the numbers of both sides."""
    flags, ack = headers.flags[rows], headers.ack[rows].astype(np.int64)
    # A SYN takes a number of its own.
    first = headers.seq[rows].astype(np.int64) + ((flags & SYN) != 0)
    last = first + headers.payload_wire_len[rows]
    acknowledges = (flags & ACK) != 0
    least, most = np.where(acknowledges, ack, NEVER), np.where(acknowledges, ack, NOWHERE)
    return {
        "low_least": np.where(from_low, first, least),
        "low_most": np.where(from_low, last, most),
        "high_least": np.where(from_low, least, first),
        "high_most": np.where(from_low, most, last),
    }


def moved(columns: Mapping[str, Column]) -> Column:
    """Whether a side of the conversation sent what may have been a PDU, as far as its numbers tell."""
    low, high = (columns[f"{side}_most"] - columns[f"{side}_least"] >= PDU_BYTES for side in ("low", "high"))
    result: Column = low | high
    return result


def moved_keys(keys: Column, columns: Mapping[str, Column]) -> Column:
    """Sorted keys of the conversations that moved. One may have several rows: of splits, of files, of earlier runs."""
    if not len(keys):
        return keys
    order = np.argsort(keys)
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    seen = {name: reduction.reduceat(columns[name][order], starts) for name, reduction in REDUCTIONS.items()}
    result: Column = keys[starts][moved(seen)]
    return result
