"""The declarations against the tables, against each other and against any row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.cli import export
from pipelines.exports.formats import FORMATS
from pipelines.exports.mapped import event_maker, nested
from pipelines.exports.text import json_text
from schemas.exports import ecs, ocsf, timesketch, zeek
from schemas.exports.model import TABLES_BY_NAME
from schemas.exports.pages import refreshed
from tests.conftest import ROOT
from tests.exports.strategies import rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from schemas.exports.model import Mapping

MAPPINGS = (*zeek.STREAMS, *timesketch.EVENTS, *ecs.DOCUMENTS, *ocsf.EVENTS)
each_mapping = pytest.mark.parametrize("mapping", MAPPINGS, ids=lambda mapping: f"{mapping.name}-{mapping.table}")


@each_mapping
def test_every_source_is_a_column(mapping: Mapping) -> None:
    tables = {lookup.called: lookup.table for lookup in mapping.lookups}
    every = {lookup.called for lookup in mapping.lookups if lookup.every}
    for lookup in (*mapping.lookups, *mapping.unless):
        assert set(mapping.columns_of(lookup)) <= set(TABLES_BY_NAME[lookup.table].names)
    for source in mapping.sources - every:
        first, *inner = source.split(".")
        kind: Any = TABLES_BY_NAME[tables.get(first, mapping.table)].struct
        for name in inner if first in tables else (first, *inner):
            assert pa.types.is_struct(kind), source
            assert kind.get_field_index(name) >= 0, source
            kind = kind.field(name).type


@each_mapping
def test_names_do_not_meet(mapping: Mapping) -> None:
    targets = [field.target for field in mapping.fields]
    assert len(set(targets)) == len(targets)
    if mapping not in (*zeek.STREAMS, *timesketch.EVENTS):
        assert not [one for one in targets if any(other.startswith(f"{one}.") for other in targets)]


@each_mapping
def test_what_is_made_of_a_value_is_said(mapping: Mapping) -> None:
    functions: list[Callable[..., object]] = [field.convert for field in mapping.fields if field.convert]
    functions += [mapping.only.holds] if mapping.only else []
    for function in functions:
        assert (function.__doc__ or "").partition("\n")[0].endswith((".", "...")), function
    for field in mapping.fields:
        assert not (field.sources and field.always is not None), field.target


@each_mapping
@given(st.data())
@settings(max_examples=20)
def test_any_row_is_one_line_of_json(mapping: Mapping, data: st.DataObject) -> None:
    row = data.draw(rows(TABLES_BY_NAME[mapping.table]))
    for lookup in mapping.lookups:
        found = rows(TABLES_BY_NAME[lookup.table])
        row[lookup.called] = data.draw(st.none() | (st.lists(found, min_size=1, max_size=2) if lookup.every else found))
    told = event_maker(mapping)(row)
    for line in (json_text(dict(told)), json_text(nested(told))):
        assert len(line.splitlines()) == 1
        line.encode()
        json.loads(line)
    assert json.loads(json_text(dict(told))) == dict(told)


def test_page_is_fresh() -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    assert page == refreshed(page), "run make docs"


def test_command_offers_every_format() -> None:
    assert tuple(FORMATS) == export.FORMATS
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    assert {name for name in FORMATS if f"`{name}`" not in page} == set()
