"""Which messages are told one by one, and where each was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.report.keeping import FirstRows
from pipelines.report.limits import MAX_ROWS, SIGHTINGS_TOLD
from pipelines.report.packing import clipped, fitted
from pipelines.report.words import account, some
from pipelines.store.tables import micros

if TYPE_CHECKING:
    from pipelines.report.packing import Section
    from pipelines.store.tables import Tables

Row = dict[str, Any]
_PLAIN: Final = ("message_uid", "sightings", "bodies", "complete", "body_size", "body_sha256", "sent_ts")
_TEXTS: Final = ("message_id", "label", "message_class", "destination_queue", "sender_id", "body_type")
_READ: Final = (*_PLAIN, *_TEXTS, "first_ts", "last_ts", "calls")
COLUMNS: Final = (*_PLAIN, *_TEXTS, "first", "last", "seen")


def messages_section(tables: Tables) -> Section:
    first: FirstRows[Row] = FirstRows(MAX_ROWS["messages"], _telling)
    first.add_all(tables.rows("messages", _READ))

    def cut(here: int, there_are: int) -> str:
        return (
            f"{some(here, there_are, 'messages')}: those with several bodies under one id first, then those "
            "seen most often. All are in the table messages."
        )

    rows = [_shown(row) for row in first.rows()]
    return fitted("messages", COLUMNS, rows, first.seen, cut, lambda row: (row["first"] or 0, row["message_uid"]))


def _telling(row: Row) -> tuple[Any, ...]:
    return -((row["bodies"] or 0) > 1), -(row["sightings"] or 0), row["first_ts"] or 0, row["message_uid"]


def _shown(row: Row) -> Row:
    return {
        **{name: row[name] for name in _PLAIN},
        **{name: clipped(row[name]) for name in _TEXTS},
        "first": row["first_ts"],
        "last": row["last_ts"],
        "seen": [_sighting(one) for one in (row["calls"] or [])[:SIGHTINGS_TOLD]],
    }


def _sighting(one: Row) -> list[Any]:
    """Times inside lists come as such; columns that an older version did not write are not there at all."""
    return [
        micros(one["ts"]),
        *(one[name] for name in ("operation", "seen_as", "orig_h", "resp_h", "call_uid")),
        clipped(account(one.get("username"), one.get("domain"))),
        clipped(one.get("opened_for_username")),
        clipped(one.get("queue_name")),
        one.get("naming_doubt") if one.get("queue_name") else None,
        one.get("outcome"),
    ]
