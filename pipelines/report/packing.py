"""Rows to what the page embeds: column by column, repeated texts once, and no more than a section's bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pipelines.report.limits import BUDGETS, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Row = dict[str, Any]
_ESCAPES: Final = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"})
"""So that no text can end the element that holds it, or a line of it."""


@dataclass(frozen=True)
class Section:
    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    """As they are shown."""
    total: int
    """With those that are not here."""
    cut: str = ""
    """Says what is left out and where it is; empty where nothing is."""
    note: str = ""
    """What else must be known to read the rows."""

    @property
    def packed(self) -> Row:
        columns = {name: _column([row[name] for row in self.rows]) for name in self.columns}
        said = " ".join(filter(None, (self.note, self.cut)))
        return {"rows": len(self.rows), "total": self.total, "said": said, "columns": columns}

    @cached_property
    def embedded(self) -> bytes:
        """As it stands in the page; asked for its size first."""
        return embedded(self.packed)


def fitted(
    name: str,
    columns: Sequence[str],
    best_first: Sequence[Row],
    total: int,
    cut: Callable[[int, int], str],
    order: Callable[[Row], Any],
    *,
    together: str | None = None,
    note: str = "",
) -> Section:
    """As many rows as the section's bytes allow, in the order in which they are shown.

    `cut` makes the sentence from how many are here and how many there are. Neighbours that are the same in
    `together` are here all, or none.
    """
    rows = best_first
    while True:
        sentence = cut(len(rows), total) if len(rows) < total else ""
        section = Section(name, tuple(columns), tuple(sorted(rows, key=order)), total, sentence, note)
        size = len(section.embedded)
        if size <= BUDGETS[name] or not rows:
            return section
        # Some less than by proportion: texts that repeat do not shrink with the rows.
        end = min(len(rows) - 1, len(rows) * BUDGETS[name] * 49 // (size * 50))
        while together and end and rows[end - 1][together] == rows[end][together]:
            end -= 1
        rows = rows[:end]


def embedded(value: object) -> bytes:
    """JSON that may stand in an element of a page, whatever the texts in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    # Half a surrogate pair becomes JSON's own escape for it.
    return text.translate(_ESCAPES).encode("utf-8", "backslashreplace")


def clipped(text: str | None, most: int = TEXT) -> str | None:
    if text is None or len(text) <= most:
        return text
    return f"{text[:most]}\N{HORIZONTAL ELLIPSIS} ({len(text):,} characters)"


def _column(values: list[Any]) -> Any:  # noqa: ANN401 - a list, or one of codes
    """Texts that repeat become numbers: `of` has them once, `at` says which; null is -1."""
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) + values.count(None) < len(values):
        return values
    of = list(dict.fromkeys(texts))
    if len(of) * 2 > len(values):
        return values
    place = {text: number for number, text in enumerate(of)}
    return {"of": of, "at": [-1 if value is None else place[value] for value in values]}
