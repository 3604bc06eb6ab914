"""What the runs before left for this one."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.dataset.renumbering import Renumbering
from pipelines.inventory import Known
from pipelines.stored import read_frame, read_here
from schemas.internal import ANNOUNCED, VERSIONS
from schemas.state import CARRIED_CAPTURES, CARRIED_CONVERSATIONS, TALLIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from ingest.choice import Endpoint
    from pipelines.inventory import Order
    from pipelines.stages.select import Keys
    from pipelines.stored import Stored
    from schemas.model import Table

Row = dict[str, Any]


@dataclass(frozen=True)
class Carried:
    """The state of a dataset, with captures numbered as they were added until `placed` says otherwise."""

    spark: SparkSession | None
    """None: nothing will be asked for as a frame."""
    files: Mapping[str, list[Stored]]
    """By state table."""
    ordinals: Renumbering = field(default_factory=lambda: Renumbering({}))

    def placed(self, order: Order) -> Carried:
        """The same with the ordinals of a run."""
        return Carried(self.spark, self.files, Renumbering({n: file for file, n in enumerate(order.numbers)}))

    @cached_property
    def known(self) -> list[Known]:
        rows = self.rows(CARRIED_CAPTURES)
        return [
            Known(*(row[name] for name in ("file", "capture_id", "path", "first_ts_ns", "untidy", "date")))
            for row in sorted(rows, key=lambda row: row["file"])
        ]

    @cached_property
    def learned(self) -> dict[Endpoint, dict[str, int]]:
        found: dict[Endpoint, dict[str, int]] = {}
        for row in self.rows(ANNOUNCED):
            family = socket.AF_INET6 if ":" in row["host"] else socket.AF_INET
            end = socket.inet_pton(family, row["host"]), row["port"]
            found.setdefault(end, {})[row["interface_uuid"]] = row["ts_ns"]
        return found

    @cached_property
    def versions(self) -> list[Row]:
        return self.rows(VERSIONS)

    @cached_property
    def tallies(self) -> list[Row]:
        return self.rows(TALLIES)

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

    def rows(self, table: Table) -> list[Row]:
        found: list[Row] = self.table(table).to_pylist()
        return found

    def table(self, table: Table) -> pa.Table:
        """Here: for what is little, or eight bytes a conversation."""
        return read_here(self.files.get(table.name, ()), table.arrow, self._change(table))

    def frame(self, table: Table) -> DataFrame:
        assert self.spark is not None  # noqa: S101 - narrows the type for mypy
        return read_frame(self.spark, self.files.get(table.name, ()), table.arrow, self._change(table))

    def bytes(self, table: Table) -> int:
        return sum(file.written.bytes for file in self.files.get(table.name, ()))

    def _change(self, table: Table) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
        ordinals = self.ordinals
        if table is CARRIED_CAPTURES or ordinals.changes_nothing:
            return lambda batch: batch
        return lambda batch: ordinals.batch(batch, table)
