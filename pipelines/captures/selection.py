"""From the scan to the conversations worth putting in order, with a count of everything that is not."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from decoders.dcerpc.header import HEADER_BYTES
from decoders.net.model import PacketOutcome
from ingest.segments import contains
from pipelines.captures.frames import FramePlaces
from pipelines.captures.stream_numbers import stream_numbers
from schemas.internal import CONVERSATIONS, SYNS, UNSPOKEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from pipelines.captures.scan import ReadSplit, Scan
    from pipelines.captures.stream_numbers import StreamNumbers

Keys: TypeAlias = "npt.NDArray[np.int64]"
"""Sorted. Eight bytes a conversation are what the driver holds, and every worker that reads again."""
_OF_UNSPOKEN: Final = pa.schema([CONVERSATIONS.arrow.field(name) for name in ("key", *(one.name for one in UNSPOKEN))])
_PASSED_ON: Final = (PacketOutcome.TCP.counter, PacketOutcome.IP_FRAGMENT.counter)


class Selection:
    """The scan's results over all captures, and which splits hold packets of which conversations."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        counts: Counter[tuple[int, str]] = Counter()
        for one in scan.splits:
            counts.update({(one.split.file, name): value for name, value in one.counts.items()})
        for part in scan.met:
            counts.update({place: n for place, n in part.counts.items() if place[0] not in scan.ignored})
        self.set_aside = Counter({place: n for place, n in counts.items() if place[1] not in _PASSED_ON})
        """(file, counter) -> packets. Conversations that nobody asked for are among them until they are taken."""
        for (file, counter), packets in counts.items():
            if counter == PacketOutcome.TCP.counter:
                self.set_aside[file, "no_rpc_seen"] += packets

    @property
    def void_issues(self) -> set[tuple[int, int | None, str]]:
        """(file, frame, code) of what earlier runs told of fragments, and is not true any more."""
        return {one for part in self.scan.met for one in part.void}

    def promising(self) -> Keys:
        """Of the conversations that may speak DCE/RPC as far as the scan can tell."""
        return self._keys(("may_be_rpc", "well_known_port"), lambda may, known: may | known)

    def among(self, keys: Keys) -> Keys:
        """Those of the keys that the scan met."""
        return self._keys((), lambda: slice(None), keys)

    def reaching(self, ends: Sequence[int]) -> Keys:
        """Of the conversations with one of these endpoints, given by ingest.conversations.endpoint_key."""
        wanted = np.array(sorted(ends), np.int64)
        return self._keys(("low_end", "high_end"), lambda low, high: contains(wanted, low) | contains(wanted, high))

    def hollow(self, hosts: Sequence[int], earlier: Iterable[pa.RecordBatch] = ()) -> Keys:
        """Of the conversations with one of these hosts that showed next to nothing.

        `hosts`: given by ingest.conversations.host_key. `earlier`: what earlier runs know of such conversations.
        """
        wanted = np.array(sorted(hosts), np.int64)
        keys: list[Keys] = [np.empty(0, np.int64)]
        schema = pa.schema([*_OF_UNSPOKEN, *(CONVERSATIONS.arrow.field(name) for name in ("file", "split"))])
        for batch in (*earlier, *self.scan.batches(CONVERSATIONS.name, schema)):
            rows = batch.filter(batch.column("low_host").is_valid())
            low, high = (rows.column(name).to_numpy() for name in ("low_host", "high_host"))
            rows = rows.filter(pa.array(contains(wanted, low) | contains(wanted, high)))
            keys.append(rows.column("key").to_numpy())
        found = np.unique(np.concatenate(keys))
        return self._without_payload(found) if len(found) else found

    def _without_payload(self, keys: Keys) -> Keys:
        """In another split there may be some."""
        size = np.zeros(len(keys), np.int64)
        for key, payload in self._columns("key", "payload_bytes"):
            known = contains(keys, key)
            np.add.at(size, np.searchsorted(keys, key[known]), payload[known])
        return keys[size < HEADER_BYTES]

    def take(self, keys: Keys, fresh: Keys) -> tuple[set[tuple[int, int]], int]:
        """Splits that hold packets of these conversations, and bytes of payload; the fresh ones count as taken now."""
        needed: set[tuple[int, int]] = set()
        size = 0
        for columns in self._columns("file", "split", "key", "packets", "payload_bytes"):
            file, split, key, packets, payload = columns
            found = contains(keys, key)
            size += int(payload[found].sum())
            needed.update(set(zip(file[found].tolist(), split[found].tolist(), strict=True)))
            new = found & contains(fresh, key)
            for one in np.unique(file[new]).tolist():
                self.set_aside[one, "no_rpc_seen"] -= int(packets[new & (file == one)].sum())
        return needed, size

    def stream_numbers(self, keys: Keys) -> StreamNumbers:
        return stream_numbers(self.placed, self.rows, keys)

    def placed(self, table: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Frames count from 1 within the capture. `schema` has `file` and `split`."""
        return (self.frames.placed(batch) for batch in self.scan.batches(table, schema))

    @cached_property
    def frames(self) -> FramePlaces:
        return FramePlaces.of(self.scan.splits)

    @cached_property
    def rows(self) -> int:
        """Of conversations and SYNs."""
        files = (*self.scan.files.get(CONVERSATIONS.name, ()), *self.scan.files.get(SYNS.name, ()))
        return sum(one.stored.written.rows for one in files)

    @cached_property
    def most_at_a_time(self) -> int:
        """Splits whose times overlap."""
        times = [(one.first_ts_ns, one.last_ts_ns) for one in self.scan.splits]
        spans = [(first, last) for first, last in times if first is not None and last is not None]
        # One that begins when another ends shares that moment with it.
        steps = sorted([(first, 0, 1) for first, _ in spans] + [(last, 1, -1) for _, last in spans])
        return max(accumulate(step for *_, step in steps), default=0)

    def splits(self, places: set[tuple[int, int]]) -> list[ReadSplit]:
        return [one for one in self.scan.splits if (one.split.file, one.split.index) in places]

    def _keys(self, names: tuple[str, ...], which: Any, among: Keys | None = None) -> Keys:  # noqa: ANN401
        parts = [np.empty(0, np.int64)]
        for key, *columns in self._columns("key", *names):
            found = key[which(*columns)]
            parts.append(np.unique(found if among is None else found[contains(among, found)]))
        keys: Keys = np.unique(np.concatenate(parts))
        return keys

    def _columns(self, *names: str) -> Iterator[list[Any]]:
        schema = pa.schema([CONVERSATIONS.arrow.field(name) for name in dict.fromkeys((*names, "file", "split"))])
        for batch in self.scan.batches(CONVERSATIONS.name, schema):
            yield [batch.column(name).to_numpy(zero_copy_only=False) for name in names]
