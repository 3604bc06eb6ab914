"""What is counted, each thing defined once: the terminal, the report and run.json tell these numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from pipelines.rules.findings import Verdict
from pipelines.rules.tally import by_level, summed, total
from schemas.tables import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.store.tables import Tables
    from schemas.tables.findings import VerdictRow

Row = dict[str, Any]
ROWS: Final = {
    "connections": "flows",
    "calls": "calls",
    "hosts": "hosts",
    "queues": "queues",
    "sessions": "sessions",
    "messages": "messages",
}
"""Things that are as many as a table has rows."""
READ_AS: Final = {"acked": "removed", "peeked": "peeked", "nacked": "put_back", "rundown": "cut_off"}
"""Reads that brought a message, by `reads.outcome`. One with a doubt counts as `in_doubt` and as nothing else."""
IN_DOUBT: Final = "in_doubt"
PURGE: Final = "purge"


@dataclass(frozen=True, slots=True)
class ActOutcomes:
    """Acts of one action, by `admin_actions.outcome`."""

    succeeded: int = 0
    refused: int = 0
    unknown: int = 0
    """Of unknown result: sealed, or the answer was not captured."""

    @property
    def asked(self) -> int:
        return self.succeeded + self.refused + self.unknown


@dataclass(frozen=True, slots=True)
class Counts:
    rows: dict[str, int]
    """By the names of ROWS."""
    reads: dict[str, int]
    changes: dict[str, ActOutcomes]
    """Acts that do more than ask, by action; purges among them."""
    inquiries: int
    """Acts that only ask, whatever came of them."""
    findings: dict[str, int]
    """Violations and detections, by level. A row of `findings` stands for `count` of them."""
    undecided: int
    """Verdicts that could not be given: no findings."""

    @property
    def purges(self) -> ActOutcomes:
        return self.changes.get(PURGE, ActOutcomes())

    @property
    def as_json(self) -> Row:
        """For run.json."""
        return {
            **self.rows,
            "reads": self.reads,
            "changes": {action: asdict(acts) for action, acts in self.changes.items()},
            "inquiries": self.inquiries,
            "findings": self.findings,
            "undecided": self.undecided,
        }


def counts_of(tables: Tables) -> Counts:
    reads: Counter[str] = Counter()
    for row, count in _grouped(tables, "reads", ("outcome", "doubt")):
        if row["outcome"] in READ_AS:
            reads[IN_DOUBT if row["doubt"] else READ_AS[row["outcome"]]] += count
    acts: Counter[tuple[str, str]] = Counter()
    inquiries = 0
    for row, count in _grouped(tables, "admin_actions", ("action", "outcome", "is_query")):
        inquiries += count * bool(row["is_query"])
        if not row["is_query"]:
            acts[row["action"], row["outcome"]] += count
    changes = {
        action: ActOutcomes(*(acts[action, outcome] for outcome in ("success", "failure", "unknown")))
        for action in sorted({action for action, _ in acts})
    }
    verdicts: list[VerdictRow] = [
        row for batch in tables.batches("verdicts", VERDICTS.names) for row in batch.to_pylist()
    ]
    tally = summed(verdicts)
    return Counts(
        {name: tables.count(table) for name, table in ROWS.items()},
        {name: reads[name] for name in (*READ_AS.values(), IN_DOUBT)},
        changes,
        inquiries,
        by_level(tally),
        total(tally, Verdict.NOT_DECIDABLE),
    )


def _grouped(tables: Tables, name: str, columns: Sequence[str]) -> list[tuple[Row, int]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for batch in tables.batches(name, columns):
        for row in batch.group_by(list(columns)).aggregate([([], "count_all")]).to_pylist():
            found[tuple(row[name] for name in columns)] += row["count_all"]
    return [(dict(zip(columns, key, strict=True)), count) for key, count in found.items()]
