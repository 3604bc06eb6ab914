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
_CALL: Final = ("ts", "call_uid", "uid", "operation", "seen_as", "orig_h", "resp_h")

SEEN: Final = pa.schema(
    [
        *(pa.field(name, STRING) for name in ("message_uid", "call_uid", "uid", "operation", "seen_as")),
        *(pa.field(name, STRING) for name in ("orig_h", "resp_h", "message_id")),
        pa.field("ts", TIMESTAMP),
        pa.field("ts_ns", LONG),
        pa.field("complete", BOOL),
        *(pa.field(column.name, column.type) for column in CONTENT),
    ]
)
"""A sighting, or a move of a message that was seen before."""


def merged(rows: Iterable[Row]) -> Iterator[Row]:
    for _, of_message in groupby(rows, key=itemgetter("message_uid")):
        yield _message(of_message)


def _message(rows: Iterator[Row]) -> Row:
    best: Row | None = None
    first = last = None
    count = 0
    calls: list[Row] = []
    bodies: set[str] = set()
    for row in rows:
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
    assert best is not None  # noqa: S101 - a group has a row
    return {
        "message_uid": best["message_uid"],
        "first_ts": first,
        "last_ts": last,
        "sightings": count,
        "calls": calls,
        "bodies": len(bodies),
        "complete": best["complete"],
        **{name: best[name] for name in _CONTENT},
    }
