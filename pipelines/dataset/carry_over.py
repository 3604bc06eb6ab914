"""What a run carries over to the next: conversations that may go on, and no more of them than that."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from decoders.dcerpc.header import HEADER_BYTES
from decoders.limits import FRAGMENT_TIMEOUT_NS, SILENCE_NS
from ingest.segments import contains
from pipelines.captures.key_ranges import key_ranges
from schemas.internal import CONVERSATIONS, SYNS, UNSPOKEN
from schemas.state import CARRIED_CONVERSATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from pipelines.captures.selection import Keys, Selection

LATENESS_NS: Final = 24 * 3600 * 1_000_000_000
"""Captures may come so much later than others of their time."""
UNDECIDED_NS: Final = 3600 * 1_000_000_000
UNDECIDED_BYTES: Final = 65_536
"""Conversations without a sign of DCE/RPC are carried if they showed so little, and if the captures ended so soon after
their last packet: those may be a handshake. Without a SYN they may be the middle of a PDU, and where next to nothing
was captured they matter once it is known who serves there: both are carried like others.
"""
FRAGMENTS_NS: Final = 10 * FRAGMENT_TIMEOUT_NS
"""IP fragments further than that from the ends of their capture have met all that could complete them."""
_UNSPOKEN: Final = {one.name: "min" for one in UNSPOKEN}
"""How several rows of a conversation become one."""
_SEEN: Final = pa.schema(
    [
        CONVERSATIONS.arrow.field(name)
        for name in ("file", "split", "key", "low_end", "high_end", "last_ts_ns", "payload_bytes", *_UNSPOKEN)
    ]
)
_OF_SYNS: Final = pa.schema([SYNS.arrow.field(name) for name in ("file", "split", "key")])


def newest(first_ts_ns: Iterable[int]) -> int:
    """Up to when captures have come. By their first packets: one broken time stamp must not make all the rest old."""
    return min(max(first_ts_ns, default=0), time.time_ns())


@dataclass(frozen=True)
class CarryOver:
    """Conversations that may go on after this run."""

    now_ns: int
    """The newest capture's beginning."""
    end_ns: int
    """The end of the captures of this run."""
    known: pa.Table
    """CARRIED_CONVERSATIONS of the runs before."""
    selection: Selection
    """Conversations of this run. It is asked again for each round: most of them are neither taken nor carried."""

    def seen(self, taken: Keys) -> pa.Table:
        """Those of this run that may go on: of the taken, and of the others that showed too little. Sorted by key."""
        known = np.unique(self.known.column("key").to_numpy())
        parts = [self._seen(part, known, taken) for part in key_ranges(self.selection.rows)]
        return pa.concat_tables(parts).sort_by("key")

    def stored(self, taken: Keys) -> Keys:
        """Whose segments are stored: of those taken any that may go on, of the others those that showed too little."""
        seen = self.seen(taken)
        keys = seen.column("key").to_numpy()
        stored: Keys = keys[contains(self._worth_keeping(seen, taken).column("key").to_numpy(), keys)]
        return stored

    def conversations(self, taken: Keys, hollow: Keys) -> pa.Table:
        """Rows of CARRIED_CONVERSATIONS that are worth keeping, sorted by key.

        `hollow`: those of the taken that nothing but what they do not show speaks for.
        """
        rows = self._worth_keeping(self.seen(taken), taken)
        keys = rows.column("key").to_numpy()
        before = rows.column("hollow").to_numpy(zero_copy_only=False).astype(np.bool_)
        now = np.where(contains(taken, keys), contains(hollow, keys), before)
        field = rows.schema.get_field_index("hollow")
        return rows.set_column(field, rows.schema.field(field), pa.array(now))

    def _worth_keeping(self, mine: pa.Table, taken: Keys) -> pa.Table:
        schema = CARRIED_CONVERSATIONS.arrow
        streamed = contains(taken, mine.column("key").to_numpy())
        new = mine.append_column("streamed", pa.array(streamed))
        new = new.append_column("hollow", pa.array(np.zeros(len(new), np.bool_))).select(schema.names).cast(schema)
        grouped = (
            pa.concat_tables([new, self.known])
            .group_by("key")
            .aggregate(
                [
                    ("low_end", "min"),
                    ("high_end", "min"),
                    ("last_ts_ns", "max"),
                    ("midstream", "max"),
                    ("streamed", "max"),
                    ("hollow", "max"),
                    *_UNSPOKEN.items(),
                ]
            )
        )
        names = [name.removesuffix("_min").removesuffix("_max") for name in grouped.column_names]
        merged = grouped.rename_columns(names).select(schema.names).cast(schema).sort_by("key")
        streamed = merged.column("streamed").to_numpy(zero_copy_only=False).astype(np.bool_)
        # A conversation that earlier runs could not decide on and that this run took is streamed now.
        streamed |= contains(taken, merged.column("key").to_numpy())
        merged = merged.set_column(schema.get_field_index("streamed"), schema.field("streamed"), pa.array(streamed))
        return merged.filter(pa.array(self._may_go_on(merged, streamed)))

    def _may_go_on(self, rows: pa.Table, streamed: npt.NDArray[np.bool_]) -> Any:  # noqa: ANN401
        """By the time of the last packet."""
        last = rows.column("last_ts_ns").to_numpy()
        midstream = rows.column("midstream").to_numpy(zero_copy_only=False).astype(np.bool_)
        since = self.now_ns - SILENCE_NS - LATENESS_NS
        return np.where(streamed | midstream | _unspoken(rows), last >= since, last >= self.end_ns - UNDECIDED_NS)

    def _seen(self, part: tuple[int, int], known: Keys, taken: Keys) -> pa.Table:
        """Conversations with keys in the range."""
        scan, now_ns, end_ns = self.selection.scan, self.now_ns, self.end_ns
        seen = _inside(scan.batches(CONVERSATIONS.name, _SEEN), *part, _SEEN)
        syns = _inside(scan.batches(SYNS.name, _OF_SYNS), *part, _OF_SYNS)
        grouped = seen.group_by("key").aggregate(
            [
                ("low_end", "min"),
                ("high_end", "min"),
                ("last_ts_ns", "max"),
                ("payload_bytes", "sum"),
                *_UNSPOKEN.items(),
            ]
        )
        key, low_end, high_end, last, payload = (
            grouped.column(name).to_numpy()
            for name in ("key", "low_end_min", "high_end_min", "last_ts_ns_max", "payload_bytes_sum")
        )
        midstream = ~contains(np.unique(syns.column("key").to_numpy()), key)
        found = {"key": key, "low_end": low_end, "high_end": high_end, "last_ts_ns": last, "midstream": midstream}
        silent = pa.array(payload < HEADER_BYTES)
        found |= {
            name: pc.if_else(silent, grouped.column(f"{name}_{how}"), pa.scalar(None, pa.int64()))
            for name, how in _UNSPOKEN.items()
        }
        rows = pa.table(found)
        since = np.where(midstream | _unspoken(rows), now_ns - SILENCE_NS - LATENESS_NS, end_ns - UNDECIDED_NS)
        small = (payload <= UNDECIDED_BYTES) & (last >= since)
        going_on = (last >= now_ns - SILENCE_NS - LATENESS_NS) | contains(known, key)
        return rows.filter(pa.array(small | (going_on & contains(taken, key))))


def _unspoken(rows: pa.Table) -> npt.NDArray[np.bool_]:
    """Those of which next to nothing was captured."""
    valid: npt.NDArray[np.bool_] = rows.column("low_host").is_valid().to_numpy()
    return valid


def _inside(batches: Iterable[pa.RecordBatch], low: int, high: int, schema: pa.Schema) -> pa.Table:
    parts = []
    for batch in batches:
        key = batch.column("key").to_numpy()
        parts.append(batch.filter(pa.array((key >= low) & (key < high))))
    return pa.Table.from_batches(parts, schema)
