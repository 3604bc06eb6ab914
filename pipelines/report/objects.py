"""COM objects: who made which object of which class where, what was called on it, and how it ended."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.classes import MSMQ_CLASSES, REMOTE_EXECUTION_CLASSES
from pipelines.report.keeping import FirstRows
from pipelines.report.limits import MAX_ROWS, MEMBERS_HELD, MEMBERS_TOLD, NAMES_TOLD
from pipelines.report.packing import clipped, fitted
from pipelines.report.words import account, some

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.report.packing import Section
    from pipelines.store.tables import Tables

Row = dict[str, Any]
_PLAIN: Final = (
    *("object_uid", "parent_object_uid", "class", "clsid", "client", "calls_made", "references_given"),
    *("references_returned", "end", "doubt"),
)
_READ: Final = (
    *(*_PLAIN, "oid", "ts", "last_ts", "exporter.host", "exporter.port", "runs_as", "interfaces", "username"),
    "domain",
)
COLUMNS: Final = (*_PLAIN, "first", "last", "server", "port", "runs_as", "user", "interfaces", "members", "others")
_TELLING: Final = frozenset((*MSMQ_CLASSES.values(), *REMOTE_EXECUTION_CLASSES.values()))


def objects_section(tables: Tables) -> Section:
    first: FirstRows[Row] = FirstRows(MAX_ROWS["objects"], _rank)
    first.add_all(tables.rows("com_objects", _READ))
    chosen = first.rows()
    members = _members(tables, {row["object_uid"] for row in chosen})

    def cut(here: int, there_are: int) -> str:
        return (
            f"{some(here, there_are, 'objects')}: those of MSMQ's classes and of classes that run commands first, then "
            "those called most often. All are in the table com_objects."
        )

    rows = [_shown(row, members.get(row["object_uid"], Counter())) for row in chosen]
    return fitted("objects", COLUMNS, rows, first.seen, cut, lambda row: (row["first"] or 0, row["object_uid"]))


def _rank(row: Row) -> tuple[Any, ...]:
    return row["class"] not in _TELLING, row["oid"] is None, -row["calls_made"], row["ts"] or 0, row["object_uid"]


def _members(tables: Tables, chosen: set[str]) -> Mapping[str, Counter[tuple[str, str]]]:
    """Calls by interface and member, of each object; beyond some kinds they count as others."""
    found: dict[str, Counter[tuple[str, str]]] = {}
    for row in tables.rows_of("com_calls", ("object_uid", "interface", "member"), "object_uid", chosen):
        kinds = found.setdefault(row["object_uid"], Counter())
        kind = clipped(row["interface"]) or "", clipped(row["member"]) or ""
        if kind in kinds or len(kinds) < MEMBERS_HELD:
            kinds[kind] += 1
    return found


def _shown(row: Row, members: Counter[tuple[str, str]]) -> Row:
    told = sorted(members.items(), key=lambda one: (-one[1], one[0]))[:MEMBERS_TOLD]
    return {
        **{name: row[name] for name in _PLAIN},
        "first": row["ts"],
        "last": row["last_ts"],
        "server": row["exporter.host"],
        "port": row["exporter.port"],
        "runs_as": clipped(row["runs_as"]),
        "user": clipped(account(row["username"], row["domain"])),
        "interfaces": [one["interface"] or one["iid"] for one in (row["interfaces"] or [])[:NAMES_TOLD]],
        "members": [[*kind, count] for kind, count in told],
        "others": row["calls_made"] - sum(count for _, count in told),
    }
