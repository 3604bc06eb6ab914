"""Where a run writes its tables, its state and what passes between its jobs; and how rows are sorted there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pipelines.store.output_folder import EXCHANGE
from schemas.dates import dated_by
from schemas.internal import LISTED
from schemas.tables import (
    ADMIN_ACTIONS,
    CALLS,
    CAPTURES,
    ENDPOINTS,
    FINDINGS,
    FLOWS,
    ISSUES,
    MESSAGES,
    MOVES,
    PDUS,
    PRINCIPALS,
    READS,
    REJECTIONS,
    SENDS,
    SESSIONS,
    SIGHTINGS,
    TRANSACTIONS,
    TYPED,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.model import Table

SORT_KEYS: Final = {
    CAPTURES.name: ("path",),
    FLOWS.name: ("first_ts_ns", "uid"),
    PDUS.name: ("ts_ns", "uid", "is_orig", "stream_offset"),
    PRINCIPALS.name: ("ts_ns", "uid", "auth_context_id"),
    CALLS.name: ("ts_ns", "call_uid"),
    ENDPOINTS.name: (
        *("ts_ns", "call_uid", "interface_uuid", "protocol", "host", "port"),
        *("named_pipe", "object_uuid", "annotation", "transfer_syntax"),
    ),
    ISSUES.name: ("path", "frame", "offset", "code", "uid", "call_uid", "detail"),
    SESSIONS.name: ("ts_ns", "session_uid"),
    READS.name: ("ts_ns", "read_uid"),
    SENDS.name: ("ts_ns", "call_uid"),
    MOVES.name: ("ts_ns", "call_uid"),
    REJECTIONS.name: ("ts_ns", "call_uid"),
    TRANSACTIONS.name: ("ts_ns", "transaction_uid"),
    ADMIN_ACTIONS.name: ("ts_ns", "call_uid"),
    SIGHTINGS.name: ("ts_ns", "call_uid"),
    MESSAGES.name: ("first_ts", "message_uid"),
    FINDINGS.name: ("ts_ns", "rule_id", "verdict", "reason", "uid", "call_uid", "session_uid"),
    **{table.name: ("ts_ns", "call_uid") for table in TYPED.values()},
    LISTED.name: ("number", "value"),
}
"""How rows are sorted within a file."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one table goes."""

    root: str
    """Folder below which paths are told."""
    below: str
    """Folder of the table, relative to the root."""
    table: str
    dated_by: str | None = None
    """Column that gives the date partition; None: no partitions."""
    capture_dates: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""
    """Of file names: runs that add to one folder must not meet."""
    since: str = ""
    """Rows of earlier dates are not written: they were pruned."""

    def path(self, part: str, folder: str = "") -> str:
        return "/".join(filter(None, (self.below, folder, f"{self.prefix}part-{part}.parquet")))


@dataclass(frozen=True, slots=True)
class Places:
    root: str
    dated: bool = False
    """In folders by date."""
    prefix: str = ""
    capture_dates: Mapping[str, str] = field(default_factory=dict)
    since: str = ""
    """Nothing of earlier dates is kept."""

    def table(self, table: Table) -> Place:
        by = dated_by(table) if self.dated else None
        return Place(self.root, f"tables/{table.name}", table.name, by, self.capture_dates, self.prefix, self.since)

    def undated(self, table: Table) -> Place:
        return Place(self.root, f"tables/{table.name}", table.name, prefix=self.prefix)

    def state(self, table: Table) -> Place:
        return Place(self.root, f"state/{table.name}", table.name, prefix=self.prefix)

    def exchange(self, table: Table) -> Place:
        return Place(self.root, f"{EXCHANGE}/{table.name}", table.name)
