"""What the runs before left for this one."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pipelines.captures.inventory import KnownCapture
from pipelines.judging.summaries import Summaries
from pipelines.store.reading import read_table
from pipelines.store.renumbering import Renumbering
from schemas.internal import ANNOUNCED, VERSIONS
from schemas.state import CARRIED_CAPTURES, CARRIED_CONVERSATIONS, HOST_NOTES, QUEUE_NOTES, TALLIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ingest.choice import Endpoint
    from pipelines.captures.inventory import CaptureOrder
    from pipelines.captures.selection import Keys
    from pipelines.store.files import StoredFile
    from schemas.internal_rows import AnnouncedRow, VersionRow
    from schemas.model import Table
    from schemas.state import CarriedCaptureRow


@dataclass(frozen=True)
class CarriedState:
    """The state of a dataset, with captures numbered as they were added until `placed` says otherwise."""

    files: Mapping[str, list[StoredFile]]
    """By state table."""
    ordinals: Renumbering = field(default_factory=lambda: Renumbering({}))

    def placed(self, order: CaptureOrder) -> CarriedState:
        """The same with the ordinals of a run."""
        return CarriedState(self.files, Renumbering({n: file for file, n in enumerate(order.numbers)}))

    @cached_property
    def known(self) -> list[KnownCapture]:
        rows: list[CarriedCaptureRow] = self.table(CARRIED_CAPTURES).to_pylist()
        return [
            KnownCapture(row["file"], row["capture_id"], row["path"], row["first_ts_ns"], row["untidy"], row["date"])
            for row in sorted(rows, key=lambda row: row["file"])
        ]

    @cached_property
    def learned(self) -> dict[Endpoint, dict[str, int]]:
        found: dict[Endpoint, dict[str, int]] = {}
        rows: list[AnnouncedRow] = self.table(ANNOUNCED).to_pylist()
        for row in rows:
            family = socket.AF_INET6 if ":" in row["host"] else socket.AF_INET
            end = socket.inet_pton(family, row["host"]), row["port"]
            found.setdefault(end, {})[row["interface_uuid"]] = row["ts_ns"]
        return found

    @cached_property
    def versions(self) -> list[VersionRow]:
        rows: list[VersionRow] = self.table(VERSIONS).to_pylist()
        return rows

    @cached_property
    def summaries(self) -> Summaries:
        return Summaries(*(self.table(table).to_pylist() for table in (TALLIES, HOST_NOTES, QUEUE_NOTES)))

    @cached_property
    def _conversations(self) -> pa.Table:
        table = self.table(CARRIED_CONVERSATIONS)
        return table.sort_by("key")

    @property
    def streamed(self) -> Keys:
        """Of the conversations that were put in order."""
        return self._keys(streamed=True)

    @property
    def undecided(self) -> Keys:
        """Of those that showed too little."""
        return self._keys(streamed=False)

    @property
    def hollow(self) -> Keys:
        """Of those that were put in order for nothing but what they do not show."""
        table = self._conversations
        keys: Keys = table.filter(table.column("hollow")).column("key").to_numpy()
        return keys

    def _keys(self, *, streamed: bool) -> Keys:
        table = self._conversations
        found = table.column("streamed").to_numpy(zero_copy_only=False).astype(np.bool_) == streamed
        keys: Keys = table.column("key").to_numpy()[found]
        return keys

    def reaching(self, ends: list[int]) -> Keys:
        """Of the conversations with one of these endpoints."""
        table, wanted = self._conversations, np.array(ends, np.int64)
        low, high = (np.isin(table.column(name).to_numpy(), wanted) for name in ("low_end", "high_end"))
        keys: Keys = table.column("key").to_numpy()[low | high]
        return keys

    def table(self, table: Table) -> pa.Table:
        """For what is little, or some bytes a conversation."""
        rows = read_table(self.files.get(table.name, ()), table.arrow)
        if table is CARRIED_CAPTURES or self.ordinals.changes_nothing:
            return rows
        return pa.Table.from_batches([self.ordinals.batch(batch, table) for batch in rows.to_batches()], table.arrow)
