"""The reference of all tables, as text and as Markdown."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from decoders.registry import REGISTRY
from schemas.tables import ACCOUNTING, FINDINGS, ISSUES, READS, SESSIONS, TABLES, TRANSACTIONS, TYPED, VERDICTS
from schemas.tables.accounting import COUNTERS
from schemas.tables.findings import VERDICTS_MEAN
from schemas.tables.issues import ISSUE_CODES
from schemas.tables.reads import READ_OUTCOMES
from schemas.tables.sessions import NAMING_DOUBTS_MEAN
from schemas.tables.transactions import TRANSACTION_OUTCOMES_MEAN
from schemas.type_trees import members, short

if TYPE_CHECKING:
    from schemas.model import Column, Table

_TYPED_NAMES = {table.name for table in TYPED.values()}


def table_text(table: Table) -> str:
    """For a terminal."""
    lines = [f"{table.name}: {table.doc}", f"  {_key(table)}", ""]
    for column in table.columns:
        lines.append(f"  {column.name}  {_kind(column)}")
        lines += textwrap.wrap(column.doc, 110, initial_indent="      ", subsequent_indent="      ")
        lines += [f"        {'  ' * depth}{name}  {kind}" for depth, name, kind in members(column.type)]
    return "\n".join(lines) + "\n"


def codes_of(table: Table) -> str:
    """What stands in a table's columns of names: issue codes, counters, outcomes, verdicts."""
    return "".join(f"\n  {name}  ({where})\n      {meaning}\n" for name, where, meaning in _names(table))


def _names(table: Table) -> list[tuple[str, str, str]]:
    if table is ISSUES:
        return [(code, f"offset in the {where}", meaning) for code, (where, meaning) in ISSUE_CODES.items()]
    if table is ACCOUNTING:
        return [(name, stage, meaning) for stage, names in COUNTERS.items() for name, meaning in names.items()]
    if table is READS:
        return [(name, "outcome", meaning) for name, meaning in READ_OUTCOMES.items()]
    if table is SESSIONS:
        return [(name, "naming_doubt", meaning) for name, meaning in NAMING_DOUBTS_MEAN.items()]
    if table is TRANSACTIONS:
        return [(name, "outcome", meaning) for name, meaning in TRANSACTION_OUTCOMES_MEAN.items()]
    if table in (FINDINGS, VERDICTS):
        return [(name, "verdict", meaning) for name, meaning in VERDICTS_MEAN.items()]
    return []


def markdown() -> str:
    """The page docs/reference/tables.md."""
    parts = ["# Tables", "", "Made from the declarations in `schemas/tables`; refresh with `make docs`.", ""]
    for table in TABLES:
        if table.name in _TYPED_NAMES:
            continue
        parts += [
            f"## {table.name}",
            "",
            table.doc,
            "",
            _key(table, "`"),
            "",
            "| column | type | meaning |",
            "|---|---|---|",
        ]
        parts += columns_markdown(table)
        parts.append("")
        if names := _names(table):
            parts += ["| name | | meaning |", "|---|---|---|"]
            parts += [f"| `{name}` | {where} | {cell(meaning)} |" for name, where, meaning in names]
            parts.append("")
    parts += ["## One table an operation", "", "Their columns stand on the page of their interface.", ""]
    parts += ["| table | one row is |", "|---|---|"]
    for (interface, _, _), table in TYPED.items():
        page = f"interfaces/{REGISTRY[interface].name}.md"
        parts.append(f"| [`{table.name}`]({page}) | {cell(table.doc)} |")
    return "\n".join([*parts, ""])


def columns_markdown(table: Table, left_out: frozenset[str] = frozenset()) -> list[str]:
    lines = []
    for column in table.columns:
        if column.name in left_out:
            continue
        lines.append(f"| `{column.name}` | {_kind(column)} | {cell(column.doc)} |")
        lines += [f"| {'&emsp;' * (depth + 1)}`{name}` | {kind} | |" for depth, name, kind in members(column.type)]
    return lines


def _key(table: Table, quote: str = "") -> str:
    names = ", ".join(f"{quote}{name}{quote}" for name in table.key)
    return f"Key: {names}." if names else f"No key: {table.no_key[0].lower()}{table.no_key[1:]}"


def _kind(column: Column) -> str:
    return f"{short(column.type)}, not null" if column.required else short(column.type)


def cell(text: str) -> str:
    return text.replace("|", "\\|")
