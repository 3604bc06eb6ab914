"""Notes of all servers to rows of `queues`: names that share a key are one queue's."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from schemas.tables.queues import ACTS
from schemas.times import micros
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from schemas.state import QueueNoteRow

Row = dict[str, Any]
_WHO: Final = ("address", "username", "domain", "opened_for_username", "naming_doubt")


def queue_rows(notes: Sequence[QueueNoteRow]) -> list[Row]:
    """In order of their ids."""
    groups = _Groups()
    for note in notes:
        groups.join(note["keys"])
    of_queue: dict[str, list[QueueNoteRow]] = defaultdict(list)
    for note in notes:
        of_queue[groups.find(note["keys"][0])].append(note)
    return sorted((_row(found) for found in of_queue.values()), key=lambda row: str(row["queue_uid"]))


class _Groups:
    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def find(self, key: str) -> str:
        parents = self._parents
        parents.setdefault(key, key)
        while parents[key] != key:
            parents[key] = parents[parents[key]]
            key = parents[key]
        return key

    def join(self, keys: Iterable[str]) -> None:
        roots = sorted({self.find(key) for key in keys})
        for root in roots[1:]:
            self._parents[root] = roots[0]


def _row(notes: list[QueueNoteRow]) -> Row:
    keys = {key for note in notes for key in note["keys"]}
    counts = dict.fromkeys(ACTS, 0)
    who: dict[tuple[str, ...], list[int]] = {}
    for note in notes:
        act = note["act"]
        if act is None:
            continue
        counts[act] += note["count"]
        place = act, *(value or "" for value in _who(note))
        times = who.setdefault(place, [0, note["first_ts_ns"], note["last_ts_ns"]])
        times[:] = times[0] + note["count"], min(times[1], note["first_ts_ns"]), max(times[2], note["last_ts_ns"])
    order = list(ACTS)
    return {
        "queue_uid": derived_uid("Q", min(keys)),
        "names": sorted({name for note in notes for name in note["names"]}),
        "numbers": sorted({number for note in notes for number in note["numbers"]}),
        "hosts": sorted({note["server"] for note in notes}),
        "acts": [
            {
                "act": act,
                **{name: value or None for name, value in zip(_WHO, values, strict=True)},
                "count": count,
                "first_seen": micros(first),
                "last_seen": micros(last),
            }
            for (act, *values), (count, first, last) in sorted(
                who.items(), key=lambda one: (order.index(one[0][0]), one[0][1:])
            )
        ],
        **counts,
        "first_seen": micros(min(note["first_ts_ns"] for note in notes)),
        "last_seen": micros(max(note["last_ts_ns"] for note in notes)),
    }


def _who(note: QueueNoteRow) -> tuple[str | None, ...]:
    """As _WHO names them."""
    return note["address"], note["username"], note["domain"], note["opened_for_username"], note["naming_doubt"]
