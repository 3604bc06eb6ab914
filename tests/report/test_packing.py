"""Rows to embedded JSON: nothing in it is read as markup, nothing is lost, and it stays within its bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from pipelines.report.limits import BUDGETS
from pipelines.report.packing import Section, clipped, embedded, fitted

if TYPE_CHECKING:
    import pytest

HOSTILE = "</script><script>alert(1)</script><!--&amp;\u2028\u2029\0\x1b[2J"
scalars = st.none() | st.text(max_size=12) | st.integers(-(2**53), 2**53) | st.booleans()
values = scalars | st.lists(scalars, max_size=3)


@given(st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_embedded_json_comes_back_and_holds_no_markup(value: object) -> None:
    text = embedded(value).decode()
    assert json.loads(text) == value
    assert not set(text) & set("<>&\u2028\u2029")


def test_hostile_text_cannot_end_its_element() -> None:
    text = embedded({HOSTILE: HOSTILE}).decode()
    assert "<" not in text
    assert json.loads(text) == {HOSTILE: HOSTILE}


@given(st.characters(categories=["Cs"]))
def test_half_a_surrogate_pair_is_escaped(letter: str) -> None:
    assert json.loads(embedded(letter)) == letter


@given(st.lists(st.fixed_dictionaries({"a": values, "b": st.none() | st.sampled_from(["x", "y"])})))
def test_columns_come_back_as_rows(rows: list[dict[str, Any]]) -> None:
    packed = Section("sessions", ("a", "b"), tuple(rows), len(rows)).packed
    assert unpacked(packed) == rows


def test_texts_that_repeat_are_there_once() -> None:
    rows = tuple({"host": f"10.0.0.{number % 2}"} for number in range(10))
    packed = Section("hosts", ("host",), rows, 10).packed
    assert packed["columns"]["host"] == {"of": ["10.0.0.0", "10.0.0.1"], "at": [0, 1] * 5}


def test_section_is_cut_to_its_bytes_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUDGETS, "hosts", 1_000)
    rows = [{"n": number, "text": f"{number:030d}"} for number in range(100)]
    section = fitted("hosts", ("n", "text"), rows, 250, lambda here, of: f"{here} of {of}", lambda row: -row["n"])
    assert len(embedded(section.packed)) <= 1_000
    here = len(section.rows)
    assert [row["n"] for row in section.rows] == list(range(here))[::-1], "the best stay, in the order shown"
    assert 10 < here < 100
    assert section.packed["said"] == f"{here} of 250"


def test_nothing_is_said_where_nothing_is_cut() -> None:
    section = fitted("hosts", ("n",), [{"n": 1}], 1, lambda here, of: f"{here} of {of}", lambda row: row["n"])
    assert section.packed["said"] == ""


def test_one_row_that_is_too_large_leaves_an_empty_section(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUDGETS, "hosts", 100)
    section = fitted("hosts", ("n",), [{"n": "x" * 200}], 1, lambda here, of: f"{here} of {of}", lambda row: row["n"])
    assert (section.rows, section.cut) == ((), "0 of 1")


def test_rows_that_belong_together_are_cut_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUDGETS, "calls", 900)
    rows = [{"session": number // 7, "n": f"{number:020d}"} for number in range(70)]
    section = fitted(
        "calls",
        ("session", "n"),
        rows,
        70,
        lambda here, of: f"{here} of {of}",
        lambda row: row["n"],
        together="session",
    )
    assert section.rows
    assert len(section.rows) % 7 == 0


def test_long_texts_say_how_long_they_are() -> None:
    assert clipped("x" * 300) == "x" * 300
    assert clipped("x" * 1_024) == "x" * 300 + "… (1,024 characters)"
    assert clipped(None) is None


def unpacked(packed: dict[str, Any]) -> list[dict[str, Any]]:
    """As the page does it."""
    columns = {
        name: column
        if isinstance(column, list)
        else [None if place < 0 else column["of"][place] for place in column["at"]]
        for name, column in packed["columns"].items()
    }
    return [{name: column[place] for name, column in columns.items()} for place in range(packed["rows"])]
