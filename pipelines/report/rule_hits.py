"""Findings about an act are told with it: each act is one event of the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.report.findings import UNDECIDED, rank
from pipelines.report.limits import ACTS_MATCHED, EVENTS
from pipelines.report.timeline import disclosed

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.store.tables import Tables

Row = dict[str, Any]


class _Acts(NamedTuple):
    """Rows of a table that are events."""

    table: str
    calls: tuple[str, ...]
    """Columns with the calls that an event is."""
    read: tuple[str, ...] = ()
    """What `told` looks at."""
    told: Callable[[Row], bool] = lambda _: True
    most: int = ACTS_MATCHED


_ACTS: Final = (
    _Acts("admin_actions", ("call_uid",)),
    _Acts("moves", ("call_uid",)),
    _Acts("reads", ("start_call_uid", "end_call_uid"), ("outcome", "message_bytes"), disclosed, EVENTS["read"]),
    _Acts("sends", ("call_uid",)),
)


class RuleHit(NamedTuple):
    """What the rules say of an act."""

    level: str | None = None
    """Of the worst."""
    rule_id: str | None = None
    """One for each finding, the worst first, with commas between them."""


class RuleHits:
    def __init__(self, tables: Tables) -> None:
        self._acts = _calls(tables)
        rules: dict[str, list[tuple[int, str, str]]] = {}
        columns = ("call_uid", "rule_id", "level", "verdict", "count")
        for row in tables.rows("findings", columns, self.of_acts):
            rules.setdefault(row["call_uid"], []).append((-rank(row["level"]), row["rule_id"], row["level"]))
        self._rules = rules

    def of(self, *calls: str | None) -> RuleHit:
        found = sorted(one for call in dict.fromkeys(calls) for one in self._rules.get(call or "", ()))
        return RuleHit(found[0][2], ",".join(rule for _, rule, _ in found)) if found else RuleHit()

    def of_acts(self, batch: pa.Table) -> pa.ChunkedArray:
        """Which findings; one that sums up many has a line of its own."""
        alone = pc.and_(pc.equal(batch.column("count"), 1), pc.not_equal(batch.column("verdict"), UNDECIDED))
        return pc.and_(alone, pc.is_in(batch.column("call_uid"), value_set=self._acts))


def _calls(tables: Tables) -> pa.Array:
    found = {
        row[name]
        for acts in _ACTS
        if tables.count(acts.table) <= acts.most
        for row in tables.rows(acts.table, (*acts.calls, *acts.read))
        if acts.told(row)
        for name in acts.calls
    }
    return pa.array(sorted(found - {None}), pa.string())
