"""CSV that a spreadsheet can open and the csv module reads back."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.exports.comma_separated import END, cell, csv_lines, harmless, quoted
from pipelines.exports.formats import FORMATS
from schemas.tables import CALLS, FINDINGS, MESSAGES, WRITTEN
from tests.every import each
from tests.exports.run_folder import write
from tests.exports.strategies import WIRE_TEXT, rows

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.model import Table

RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d")
SHOWN = re.compile(r"\\u([0-9a-f]{4})")


def read_back(lines: list[str]) -> list[list[str]]:
    return list(csv.reader(io.StringIO("".join(line + END for line in lines), newline=""), strict=True))


def undone(text: str) -> str:
    return text[1:] if re.match("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]", text) else text


@given(st.lists(st.lists(WIRE_TEXT, min_size=2, max_size=2), max_size=4))
def test_text_comes_back_through_the_csv_module(table: list[list[str]]) -> None:
    found = read_back([",".join(map(cell, row)) for row in table])
    assert len(found) == len(table)
    for row, cells in zip(table, found, strict=True):
        for text, one in zip(row, cells, strict=True):
            assert SHOWN.sub(lambda match: chr(int(match[1], 16)), undone(one)) == SHOWN.sub(
                lambda match: chr(int(match[1], 16)), text
            )


@given(WIRE_TEXT)
def test_no_text_is_a_formula(text: str) -> None:
    assert not harmless(text).startswith(RUN_BY_SPREADSHEETS)
    harmless(text).encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+49", "'+49"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("'=1", "''=1"),
        ("a=1", "a=1"),
        ("'a", "'a"),
        ("\x00\x1b[2J", "\\u0000\\u001b[2J"),
    ],
)
def test_formulas_get_an_apostrophe(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert undone(harmless(text)) == text or "\\u" in shown


def test_numbers_are_left_alone() -> None:
    assert [cell(value) for value in (-5, 1.5, True, None, "", "-5")] == ["-5", "1.5", "true", "", '""', "'-5"]
    assert cell(["=1", 2]) == '"[""=1"",2]"'
    assert quoted('a "b"') == '"a ""b"""'


def test_members_are_columns_and_lists_are_json(sample_run: Path) -> None:
    header, first, *_ = read_back(list(csv_lines(str(sample_run), CALLS)))
    row = dict(zip(header, first, strict=True))
    assert row["id.orig_h"] == "127.0.0.1"
    assert row["ts"] == "2026-11-16T03:51:10.066178Z"
    assert row["request_frames"] == "[8]"
    assert row["encrypted"] == "false"
    assert "evidence.request_frames" in read_back(list(csv_lines(str(sample_run), FINDINGS)))[0]


def test_every_table_has_rows_as_wide_as_its_header(sample_run: Path) -> None:
    def is_as_wide(table: Table) -> None:
        lines = read_back(list(FORMATS["csv"].parts[table.name](str(sample_run), Counter())))
        assert {len(line) for line in lines} == {len(lines[0])}
        assert len(set(lines[0])) == len(lines[0])

    each(WRITTEN, attrgetter("name"), is_as_wide)


@given(st.lists(rows(MESSAGES, storable=True), max_size=3))
@settings(max_examples=30)
def test_any_messages_are_rows(tmp_path_factory: pytest.TempPathFactory, messages: list[dict[str, object]]) -> None:
    folder = tmp_path_factory.mktemp("messages")
    write(folder, MESSAGES, messages)
    assert len(read_back(list(csv_lines(str(folder), MESSAGES)))) == 1 + len(messages)
