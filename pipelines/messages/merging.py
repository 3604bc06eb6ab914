"""Sightings, sorted by message and time, to rows of `messages`: one pass, no Spark."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from schemas.model import BOOL, LONG, STRING, TIMESTAMP
from schemas.tables.messages import CONTENT, MAX_CALLS_TOLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Row = dict[str, Any]
ORDER: Final = ("message_uid", "ts_ns", "call_uid")
"""How sightings are sorted."""
MAX_BODIES: Final = 1_000
"""Different ones that are told apart."""
_CONTENT: Final = ("message_id", *(column.name for column in CONTENT))
_TOLD: Final = ("opened_for_username", "queue_name", "naming_doubt", "outcome")
_CALL: Final = ("ts", "call_uid", "uid", "operation", "seen_as", "orig_h", "resp_h", "username", "domain", *_TOLD)

SEEN: Final = pa.schema(
    [
        *(pa.field(name, STRING) for name in ("message_uid", "call_uid", "uid", "operation", "seen_as")),
        *(pa.field(name, STRING) for name in ("orig_h", "resp_h", "message_id")),
        *(pa.field(name, STRING) for name in ("username", "domain", *_TOLD)),
        pa.field("ts", TIMESTAMP),
        pa.field("ts_ns", LONG),
        pa.field("complete", BOOL),
        *(pa.field(column.name, column.type) for column in CONTENT),
    ]
)
"""A sighting, a move of a message that was seen before, or, without `seen_as`, what sessions make of a sighting."""


def merged(rows: Iterable[Row]) -> Iterator[Row]:
    for _, of_message in groupby(rows, key=itemgetter("message_uid")):
        row = _message(of_message)
        if row is not None:
            yield row


def _message(rows: Iterator[Row]) -> Row | None:
    best: Row | None = None
    told: dict[str, Row] = {}
    first = last = None
    count = 0
    calls: list[Row] = []
    bodies: set[str] = set()
    for row in rows:
        if row["seen_as"] is None:
            if len(told) < MAX_CALLS_TOLD:
                told[row["call_uid"]] = {name: row[name] for name in _TOLD}
            continue
        count += 1
        if best is None or (row["complete"] and not best["complete"]):
            best = row
        if len(calls) < MAX_CALLS_TOLD:
            calls.append({name: row[name] for name in _CALL})
        if row["body_sha256"] is not None and len(bodies) < MAX_BODIES:
            bodies.add(row["body_sha256"])
        if row["ts"] is not None:
            first = row["ts"] if first is None else min(first, row["ts"])
            last = row["ts"] if last is None else max(last, row["ts"])
    if best is None:
        return None
    for call in calls:
        call |= told.get(call["call_uid"], {})
    return {
        "message_uid": best["message_uid"],
        "first_ts": first,
        "last_ts": last,
        "sightings": count,
        "calls": calls,
        "queue_names": sorted({call["queue_name"] for call in calls if call["queue_name"]}),
        "bodies": len(bodies),
        "complete": best["complete"],
        **{name: best[name] for name in _CONTENT},
    }
