"""The forms in which facts were stored before: JSON, first as lists without names. They are read for ever and never
written. What columns of the row say, the data did not.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from pipelines.facts import first_form
from pipelines.facts.model import END

if TYPE_CHECKING:
    from schemas.internal_rows import FactRow

Fields = dict[str, Any]
FIRST_BYTES: Final = b"[{"
"""No msgpack of ours begins like that."""
_FORM: Final = 2
_END: Final = 1 << 64
"""It was, in nanoseconds, where END is now."""


def named_fields(row: FactRow) -> Fields:
    """All of the fact, by name."""
    stored = json.loads(row["data"])
    if isinstance(stored, list):
        stored = first_form.named(row["kind"], stored)
    elif stored["form"] == _FORM:
        del stored["form"]
    stored |= {"began": [row["ts_ns"], row["file"], row["frame"]], "uid": row["uid"]}
    if row["kind"] == "blind":
        stored |= {"client": row["client"], "server": row["server"]}
    else:
        orig_p, resp_p = stored.pop("ports")
        stored["ends"] = [row["client"], orig_p, row["server"], resp_p]
    if row["kind"] == "call":
        stored["place"] = row["place"]
    if "endings" in stored:
        stored["endings"] = [[one["side"], one["how"], _moment(one["at"])] for one in stored["endings"]]
    if "until" in stored:
        stored["until"] = _moment(stored["until"])
    fields: Fields = stored
    return fields


def _moment(numbers: list[int]) -> list[int]:
    ts_ns, *rest = numbers
    return [END.ts_ns if ts_ns == _END else ts_ns, *rest]
