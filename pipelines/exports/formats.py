"""What can be exported, and under which name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from pipelines.exports.comma_separated import END, csv_lines
from pipelines.exports.documents import flat_lines, nested_lines
from pipelines.exports.jsonl import json_lines
from pipelines.exports.zeek_logs import zeek_tsv_lines
from schemas.exports import ecs, ocsf, timesketch, zeek
from schemas.tables import CALLS, WRITTEN

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Mapping

    from schemas.exports.model import Mapping as Declared
    from schemas.model import Table

Lines: TypeAlias = "Callable[[str, Counter[str]], Iterator[str]]"
"""Takes the folder of a run, and counts rows by table that have no time where the format needs one."""
LinesOfTable: TypeAlias = "Callable[[str, Table], Iterator[str]]"
LinesOfMapping: TypeAlias = "Callable[[str, Declared, Counter[str]], Iterator[str]]"
EVERYTHING: Final = ""


@dataclass(frozen=True, slots=True)
class Format:
    parts: Mapping[str, Lines]
    """By what --table names."""
    default: str
    """Part that is written where --table names none."""
    logs: tuple[str, ...] = ()
    """Parts that become files of a folder where --table names none and -o a folder."""
    end: str = "\n"


def _of_table(lines: LinesOfTable, table: Table) -> Lines:
    return lambda folder, _: lines(folder, table)


def _of_mappings(lines: LinesOfMapping, *mappings: Declared) -> Lines:
    def one_after_another(folder: str, untimed: Counter[str]) -> Iterator[str]:
        for mapping in mappings:
            yield from lines(folder, mapping, untimed)

    return one_after_another


def _tables(lines: LinesOfTable, end: str) -> Format:
    return Format({table.name: _of_table(lines, table) for table in WRITTEN}, CALLS.name, end=end)


def _logs(lines: LinesOfMapping) -> Format:
    """By Zeek's name, or by that of our table."""
    named = {stream.name: _of_mappings(lines, stream) for stream in zeek.STREAMS}
    tables = {stream.table: named[stream.name] for stream in reversed(zeek.STREAMS)}
    return Format({**tables, **named}, zeek.DCE_RPC.name, tuple(named))


def _events(lines: LinesOfMapping, mappings: tuple[Declared, ...]) -> Format:
    parts = {EVERYTHING: _of_mappings(lines, *mappings)}
    for name in dict.fromkeys(mapping.table for mapping in mappings):
        parts[name] = _of_mappings(lines, *(mapping for mapping in mappings if mapping.table == name))
    return Format(parts, EVERYTHING)


FORMATS: Final[Mapping[str, Format]] = {
    "jsonl": _tables(json_lines, "\n"),
    "csv": _tables(csv_lines, END),
    "zeek-tsv": _logs(zeek_tsv_lines),
    "zeek-json": _logs(flat_lines),
    "timesketch": _events(flat_lines, timesketch.EVENTS),
    "ecs": _events(nested_lines, ecs.DOCUMENTS),
    "ocsf": _events(nested_lines, ocsf.EVENTS),
}
