"""Tables as lines of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.exports.rows import ordered
from pipelines.exports.text import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.model import Table


def json_lines(folder: str, table: Table) -> Iterator[str]:
    """The rows of a table, in the order of its keys; rows with the same keys in the order of their text."""
    return map(json_text, ordered(folder, table, table.names))
