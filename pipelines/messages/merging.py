"""Sightings, sorted by message and time, to rows of `messages`: one pass, no Spark."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, cast

from schemas.tables.message_rows import MessageContent, SeenCall
from schemas.tables.messages import MAX_CALLS_TOLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schemas.tables.message_rows import MessageRow, SeenRow

ORDER: Final = ("message_uid", "ts_ns", "call_uid")
"""How sightings are sorted."""
MAX_BODIES: Final = 1_000
"""Different ones that are told apart."""
_CONTENT: Final = tuple(MessageContent.__annotations__)
_CALL: Final = tuple(SeenCall.__annotations__)
_content_of, _call_of = itemgetter(*_CONTENT), itemgetter(*_CALL)


def merged(rows: Iterable[SeenRow]) -> Iterator[MessageRow]:
    for _, of_message in groupby(rows, key=itemgetter("message_uid")):
        row = _message(of_message)
        if row is not None:
            yield row


def _message(rows: Iterator[SeenRow]) -> MessageRow | None:
    best: SeenRow | None = None
    told: dict[str, SeenRow] = {}
    first = last = None
    count = 0
    calls: list[SeenCall] = []
    bodies: set[str] = set()
    for row in rows:
        if row["seen_as"] is None:
            if len(told) < MAX_CALLS_TOLD:
                told[row["call_uid"]] = row
            continue
        count += 1
        if best is None or (row["complete"] and not best["complete"]):
            best = row
        if len(calls) < MAX_CALLS_TOLD:
            calls.append(cast("SeenCall", dict(zip(_CALL, _call_of(row), strict=True))))
        if row["body_sha256"] is not None and len(bodies) < MAX_BODIES:
            bodies.add(row["body_sha256"])
        if row["ts"] is not None:
            first = row["ts"] if first is None else min(first, row["ts"])
            last = row["ts"] if last is None else max(last, row["ts"])
    if best is None:
        return None
    for call in calls:
        if (known := told.get(call["call_uid"])) is not None:
            call["opened_for_username"], call["queue_name"] = known["opened_for_username"], known["queue_name"]
            call["naming_doubt"], call["outcome"] = known["naming_doubt"], known["outcome"]
    content = cast("MessageContent", dict(zip(_CONTENT, _content_of(best), strict=True)))
    return {
        "message_uid": best["message_uid"],
        "message_id": best["message_id"],
        "first_ts": first,
        "last_ts": last,
        "sightings": count,
        "calls": calls,
        "queue_names": sorted({call["queue_name"] for call in calls if call["queue_name"]}),
        "bodies": len(bodies),
        "complete": best["complete"],
        **content,
    }
