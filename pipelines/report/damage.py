"""What the inputs lack: damaged captures, bytes that were not captured, what could not be read, and the accounting."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pipelines.report.keeping import FirstRows
from pipelines.report.limits import MAX_ROWS
from pipelines.report.packing import clipped, fitted
from pipelines.report.words import some
from schemas.tables.accounting import COUNTERS
from schemas.tables.issues import ISSUE_CODES

if TYPE_CHECKING:
    from pipelines.report.packing import Section
    from pipelines.store.tables import Tables

Row = dict[str, Any]
CAPTURES: Final = (
    *("path", "capture_id", "format", "compression", "bytes", "packets", "first_ts", "last_ts", "state"),
    "duplicate_of",
)
_FLOW: Final = (
    *("uid", "first_ts", "missed_bytes", "conflicts", "starts_midstream", "conn_state", "tcp_stream", "capture_id"),
    *("id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p"),
)
GAPS: Final = (
    *("uid", "first_ts", "missed_bytes", "conflicts", "starts_midstream", "conn_state", "tcp_stream", "capture_id"),
    *("client", "client_port", "server", "server_port"),
)
ISSUES: Final = ("code", "detail", "path", "frame", "offset", "uid", "call_uid")
ISSUES_OF_A_CODE: Final = 200


@dataclass(frozen=True, slots=True)
class Damage:
    captures: Section
    gaps: Section
    issues: Section
    first: int | None
    last: int | None
    packets: int
    bytes: int
    states: Counter[str]
    missed_bytes: int
    midstream: int
    conflicts: int
    """Connections with segments that contradict each other."""
    flows: int
    codes: Counter[str]
    accounting: dict[str, dict[str, int]]
    """Stage to counter to sum over all captures."""

    @property
    def as_json(self) -> Row:
        codes = [
            {"code": code, "count": count, "meaning": ISSUE_CODES.get(code, ("", ""))[1]}
            for code, count in sorted(self.codes.items(), key=lambda one: (-one[1], one[0]))
        ]
        stages = [
            {"stage": stage, "counter": counter, "value": value, "meaning": COUNTERS.get(stage, {}).get(counter, "")}
            for stage, counters in self.accounting.items()
            for counter, value in counters.items()
        ]
        return {"codes": codes, "accounting": stages}


def damage_of(tables: Tables) -> Damage:
    captures: FirstRows[Row] = FirstRows(MAX_ROWS["captures"], _damaged_first)
    states: Counter[str] = Counter()
    packets = size = 0
    moments: list[int] = []
    for row in tables.rows("captures", CAPTURES):
        captures.add(row | {"path": clipped(row["path"]), "duplicate_of": clipped(row["duplicate_of"])})
        states[row["state"]] += 1
        packets += row["packets"] or 0
        size += row["bytes"] or 0
        moments = _ends([*moments, row["first_ts"], row["last_ts"]])
    flows = _flows(tables)
    issues, codes = _issues(tables)
    first, last = moments or (None, None)
    return Damage(
        fitted("captures", CAPTURES, captures.rows(), captures.seen, _cut("captures"), _damaged_first),
        fitted("gaps", GAPS, flows.worst.rows(), flows.worst.seen, _cut("flows"), _largest_first),
        issues,
        first,
        last,
        packets,
        size,
        states,
        flows.missed_bytes,
        flows.midstream,
        flows.conflicts,
        flows.count,
        codes,
        _accounting(tables),
    )


@dataclass(slots=True)
class _Flows:
    worst: FirstRows[Row]
    count: int = 0
    missed_bytes: int = 0
    midstream: int = 0
    conflicts: int = 0


def _flows(tables: Tables) -> _Flows:
    found = _Flows(FirstRows(MAX_ROWS["gaps"], _largest_first))
    for row in tables.rows("flows", _FLOW):
        found.count += 1
        found.missed_bytes += row["missed_bytes"] or 0
        found.midstream += bool(row["starts_midstream"])
        found.conflicts += bool(row["conflicts"])
        if row["missed_bytes"] or row["starts_midstream"] or row["conflicts"]:
            ends = {"client": "orig_h", "client_port": "orig_p", "server": "resp_h", "server_port": "resp_p"}
            found.worst.add(row | {ours: row[f"id.{theirs}"] for ours, theirs in ends.items()})
    return found


def _issues(tables: Tables) -> tuple[Section, Counter[str]]:
    codes: Counter[str] = Counter()
    of_code: dict[str, FirstRows[Row]] = {}
    for row in tables.rows("issues", ISSUES):
        codes[row["code"]] += 1
        held = of_code.setdefault(row["code"], FirstRows(ISSUES_OF_A_CODE, _place))
        held.add(row | {"detail": clipped(row["detail"]), "path": clipped(row["path"])})
    kept = [row for code in sorted(of_code) for row in of_code[code].rows()][: MAX_ROWS["issues"]]
    return fitted("issues", ISSUES, kept, codes.total(), _cut("issues"), _place), codes


def _accounting(tables: Tables) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {stage: Counter() for stage in COUNTERS}
    for row in tables.rows("accounting", ("stage", "counter", "value")):
        found.setdefault(row["stage"], Counter())[row["counter"]] += row["value"] or 0
    order = {stage: list(counters) for stage, counters in COUNTERS.items()}
    return {
        stage: {name: counters[name] for name in _in_order(counters, order.get(stage, [])) if counters[name]}
        for stage, counters in found.items()
    }


def _in_order(counters: Counter[str], known: list[str]) -> list[str]:
    return [*known, *sorted(set(counters) - set(known))]


def _ends(moments: list[int | None]) -> list[int]:
    known = [one for one in moments if one is not None]
    return [min(known), max(known)] if known else []


def _cut(table: str) -> Any:  # noqa: ANN401 - as `fitted` takes it
    return lambda here, there_are: f"{some(here, there_are, 'lines')}, the worst first. The table {table} has all."


def _damaged_first(row: Row) -> tuple[Any, ...]:
    return row["state"] == "complete", row["first_ts"] or 0, row["path"] or "", row["capture_id"] or ""


def _largest_first(row: Row) -> tuple[Any, ...]:
    return -(row["missed_bytes"] or 0), -(row["conflicts"] or 0), row["first_ts"] or 0, row["uid"]


def _place(row: Row) -> tuple[Any, ...]:
    return row["code"], row["path"] or "", row["frame"] or 0, row["offset"] or 0, row["uid"] or "", row["detail"] or ""
