"""Rows of a table for a terminal: the columns that tell the most, side by side."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pipelines.cli.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.model import Table

_APART: Final = "  "
_WIDEST: Final = 60
"""Of one column; the last one has the room that is left."""


@dataclass(frozen=True, slots=True)
class View:
    name: str
    """Of the table."""
    columns: str
    """What is shown: a path in the table, or `heading=path`."""
    apart: tuple[str, str] | None = None
    """Column and value of rows that are only counted."""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Heading and path."""
        return [(one.partition("=")[0], one.rpartition("=")[2]) for one in self.columns.split()]

    @property
    def table(self) -> Table:
        from schemas.tables import WRITTEN  # noqa: PLC0415 - `mqtrail --help` needs none of them

        return next(table for table in WRITTEN if table.name == self.name)


_WHO: Final = "client=id.orig_h server=id.resp_h account=username"
COLUMNS: Final = {
    "calls": View("calls", f"time=ts {_WHO} interface=endpoint operation status=status_name outcome"),
    "sessions": View("sessions", f"opened=opened_ts {_WHO} queue=queue_name state peeks receives removed=acked purges"),
    "acts": View("admin_actions", f"time=ts {_WHO} act=action queue=queue_name target outcome"),
    "findings": View(
        "findings",
        "time=ts level verdict rule=rule_id account=username queue=queue_name what=title",
        ("verdict", "not_decidable"),
    ),
}
"""Times are UTC."""


def screen_lines(folder: str, view: View, width: int | None) -> Iterator[str]:
    """`width`: of the terminal; None: lines are as long as they are."""
    from pipelines.exports.rows import ordered  # noqa: PLC0415

    heads = tuple(dict.fromkeys(path.partition(".")[0] for _, path in view.pairs))
    found = list(ordered(folder, view.table, heads))
    shown = [row for row in found if view.apart is None or row[view.apart[0]] != view.apart[1]]
    rows = [[printable(cell(_at(row, path))) for _, path in view.pairs] for row in shown]
    names = [heading for heading, _ in view.pairs]
    widths = [min(_WIDEST, max(map(len, column))) for column in zip(names, *rows, strict=True)]
    for line in (names, *rows):
        text = _APART.join(one[:room].ljust(room) for one, room in zip(line, widths, strict=True)).rstrip()
        yield text if width is None else text[:width]
    others = f"; {len(found) - len(rows)} more are {view.apart[1]} (--json)" if view.apart else ""
    yield f"{len(rows)} rows of the table {view.name}{others}"


def cell(value: Any) -> str:  # noqa: ANN401 - of any column
    if value is None:
        return "-"
    if isinstance(value, dt.datetime):
        return f"{value:%Y-%m-%d %H:%M:%S.%f}"
    return str(value)


def _at(row: dict[str, Any], path: str) -> Any:  # noqa: ANN401
    value: Any = row
    for name in path.split("."):
        value = None if value is None else value[name]
    return value
