"""The reference of all tables, as text and as Markdown."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from schemas.model import ddl_type
from schemas.tables import ACCOUNTING, ISSUES, TABLES
from schemas.tables.accounting import COUNTERS
from schemas.tables.issues import ISSUE_CODES

if TYPE_CHECKING:
    from schemas.model import Table


def table_text(table: Table) -> str:
    """For a terminal."""
    lines = [f"{table.name}: {table.doc}", ""]
    for column in table.columns:
        lines.append(f"  {column.name}  {_plain(ddl_type(column.type))}")
        lines += textwrap.wrap(column.doc, 110, initial_indent="      ", subsequent_indent="      ")
    return "\n".join(lines) + "\n"


def codes_of(table: Table) -> str:
    """What stands in a table's columns of names: issue codes, counters."""
    return "".join(f"\n  {name}  ({where})\n      {meaning}\n" for name, where, meaning in _names(table))


def _names(table: Table) -> list[tuple[str, str, str]]:
    if table is ISSUES:
        return [(code, f"offset in the {where}", meaning) for code, (where, meaning) in ISSUE_CODES.items()]
    if table is ACCOUNTING:
        return [(name, stage, meaning) for stage, names in COUNTERS.items() for name, meaning in names.items()]
    return []


def markdown() -> str:
    """The page docs/reference/tables.md."""
    parts = ["# Tables", "", "Made from the declarations in `schemas/tables`; refresh with `make docs`.", ""]
    for table in TABLES:
        parts += [f"## {table.name}", "", table.doc, "", "| column | type | meaning |", "|---|---|---|"]
        parts += [f"| `{c.name}` | {_plain(ddl_type(c.type))} | {_cell(c.doc)} |" for c in table.columns]
        parts.append("")
        if names := _names(table):
            parts += ["| name | | meaning |", "|---|---|---|"]
            parts += [f"| `{name}` | {where} | {_cell(meaning)} |" for name, where, meaning in names]
            parts.append("")
    return "\n".join(parts)


def _plain(ddl: str) -> str:
    return ddl.replace("`", "").lower()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
