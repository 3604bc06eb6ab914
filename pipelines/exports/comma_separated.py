"""A table as RFC 4180 has it, for spreadsheets: members of structures are columns, lists are JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from pipelines.exports.rows import ordered, reach
from pipelines.exports.text import escaped, json_text, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.model import Table

END: Final = "\r\n"
_FORMULA: Final = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""What a spreadsheet may run, with however many apostrophes before it, so that one can be taken off again."""
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""RFC 4180 has no place for them."""
_QUOTED: Final = re.compile('[",\r\n]')


def csv_lines(folder: str, table: Table) -> Iterator[str]:
    """Header and rows, without their ends of line."""
    paths = [path for field in table.arrow for path in _leaves(field)]
    yield ",".join(quoted(".".join(path)) for path in paths)
    for row in ordered(folder, table, table.names):
        yield ",".join(cell(reach(row, path)) for path in paths)


def cell(value: object) -> str:
    """Null is nothing, empty text is a pair of quotes."""
    if value is None:
        return ""
    if isinstance(value, str):
        return quoted(harmless(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return quoted(json_text(value))
    text = plain(value)
    return quoted(harmless(text)) if isinstance(text, str) else str(text)


def harmless(text: str) -> str:
    """Not a formula, and nothing that ends a line or a file by accident."""
    shown = _CONTROL.sub(escaped, text)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if not text or _QUOTED.search(text) else text


def _leaves(field: pa.Field, outer: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    path = (*outer, field.name)
    if pa.types.is_struct(field.type):
        for member in field.type:
            yield from _leaves(member, path)
    else:
        yield path
