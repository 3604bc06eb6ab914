"""mqtrail schema: tables and columns with their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.cli.exit_codes import ExitCode, Stop

if TYPE_CHECKING:
    import argparse


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("schema", help="tables and columns with their meaning")
    parser.add_argument("table", nargs="?", metavar="TABLE", help="one table; without it, the list of tables")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from schemas.reference import codes_of, table_text  # noqa: PLC0415 - all tables, which other commands do not need
    from schemas.tables import TABLES  # noqa: PLC0415

    tables = {table.name: table for table in TABLES}
    if options.table is None:
        width = max(map(len, tables))
        print("\n".join(f"{table.name:<{width}}  {table.doc}" for table in TABLES))
        return ExitCode.DONE
    if options.table not in tables:
        raise Stop(ExitCode.USAGE, f"there is no table {options.table}; there are {', '.join(tables)}")
    print(table_text(tables[options.table]), end="")
    print(codes_of(tables[options.table]), end="")
    return ExitCode.DONE
