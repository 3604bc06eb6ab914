"""Zeek's logs with a header and tabs between the fields."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any, Final

from pipelines.exports.mapped import flat_events
from pipelines.exports.rows import batches
from schemas.tables import CAPTURES

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from schemas.exports.model import Mapping

SEPARATOR, SET_SEPARATOR, EMPTY, UNSET = "\t", ",", "(empty)", "-"
_BEGINNING: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_ESCAPED: Final = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ESCAPED_IN_SETS: Final = re.compile("[\\\\,\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def zeek_tsv_lines(folder: str, stream: Mapping, untimed: Counter[str]) -> Iterator[str]:
    """#open and #close are the times of the first and the last packet captured, so that a second export is the same."""
    opened, closed = _times(folder)
    kinds = [field.kind for field in stream.fields]
    yield f"#separator \\x{ord(SEPARATOR):02x}"
    for name, value in (
        *(("set_separator", SET_SEPARATOR), ("empty_field", EMPTY), ("unset_field", UNSET)),
        *(("path", stream.name), ("open", opened)),
        ("fields", SEPARATOR.join(field.target for field in stream.fields)),
        ("types", SEPARATOR.join(kinds)),
    ):
        yield f"#{name}{SEPARATOR}{value}"
    for values in flat_events(folder, stream, untimed):
        line = SEPARATOR.join(cell(value, kind) for (_, value), kind in zip(values, kinds, strict=True))
        # A line that begins with # is a header's.
        yield f"\\x23{line[1:]}" if line.startswith("#") else line
    yield f"#close{SEPARATOR}{closed}"


def cell(value: Any, kind: str, escaped: re.Pattern[str] = _ESCAPED) -> str:  # noqa: ANN401 - values of any column
    if value is None:
        return UNSET
    if isinstance(value, list):
        inner = kind.partition("[")[2].removesuffix("]")
        return SET_SEPARATOR.join(cell(one, inner, _ESCAPED_IN_SETS) for one in value) or EMPTY
    if kind == "bool":
        return "T" if value else "F"
    if kind in ("time", "interval"):
        return f"{value:.6f}"
    text = str(value)
    if text in (UNSET, EMPTY):
        return f"\\x{ord(text[0]):02x}{text[1:]}"
    return escaped.sub(_escape, text) or EMPTY


def _escape(found: re.Match[str]) -> str:
    if found[0] == "\\":
        return "\\\\"
    return "".join(f"\\x{byte:02x}" for byte in found[0].encode("utf-8", "surrogatepass"))


def _times(folder: str) -> tuple[str, str]:
    times = [
        time
        for batch in batches(folder, CAPTURES, ("first_ts", "last_ts"))
        for row in batch.to_pylist()
        for time in row.values()
        if time is not None
    ]
    ends = (min(times), max(times)) if times else (_BEGINNING, _BEGINNING)
    first, last = (f"{time.astimezone(dt.UTC):%Y-%m-%d-%H-%M-%S}" for time in ends)
    return first, last
