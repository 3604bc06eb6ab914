"""Documents for Elastic, against the fields of ECS and against another project's translation of Zeek's logs."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from parsezeeklogs import to_ecs
from parsezeeklogs._ecs_tables import ARRAY_FIELDS, ECS_VERSION, FIELD_TYPES

from pipelines.exports.formats import FORMATS
from pipelines.exports.mapped import event_maker, nested
from pipelines.exports.text import json_text
from schemas.exports import ecs, ecs_parts, zeek
from schemas.exports.model import TABLES_BY_NAME
from schemas.tables import CALLS, FLOWS
from tests.exports import ecs_fields
from tests.exports.run_folder import decided_findings
from tests.exports.strategies import rows

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.exports.model import Mapping

VALIDATOR = Draft202012Validator(ecs_fields.schema(), format_checker=Draft202012Validator.FORMAT_CHECKER)
each_mapping = pytest.mark.parametrize("mapping", ecs.DOCUMENTS, ids=lambda mapping: mapping.name)
# What the other project says of Zeek as the source, and what Zeek has no field for.
OF_ZEEK = {"event.created", "event.dataset", "event.module", "event.id", "event.category", "rule.name"}


def documents(folder: Path, table: str = "") -> list[dict[str, Any]]:
    return [json.loads(line) for line in FORMATS["ecs"].parts[table](str(folder), Counter())]


def flat(document: dict[str, Any], outer: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in document.items():
        found |= flat(value, f"{outer}{name}.") if isinstance(value, dict) else {f"{outer}{name}": value}
    return found


def errors(document: dict[str, Any]) -> list[str]:
    return [f"{list(error.path)}: {error.message}" for error in VALIDATOR.iter_errors(document)]


def test_sample_has_nothing_but_ecs_and_ours(sample_run: Path) -> None:
    found = documents(sample_run)
    assert Counter(document["event"]["dataset"] for document in found) == {
        "msmq.rpc": 46,
        "msmq.connection": 9,
        "msmq.finding": decided_findings(sample_run),
        "msmq.session": 4,
        "msmq.read": 13,
        "msmq.act": 7,
    }
    for document in found:
        assert errors(document) == []
        assert ecs_fields.fits(document["event"]["category"], document["event"]["type"])


@each_mapping
@given(st.data())
@settings(max_examples=50)
def test_any_row_with_a_time_is_valid(mapping: Mapping, data: st.DataObject) -> None:
    row = data.draw(rows(TABLES_BY_NAME[mapping.table]).filter(lambda row: row[mapping.timed_by] is not None))
    assert errors(json.loads(json_text(nested(event_maker(mapping)(row))))) == []


def test_schema_refuses_what_ecs_does_not_have() -> None:
    assert errors({"@timestamp": "yesterday", "source": {"ip": "x", "colour": "red"}})


def test_our_list_of_fields_has_the_types_of_another_projects() -> None:
    kinds = {"keyword": "string", "long": "integer", "date": "string", "ip": "string", "match_only_text": "string"}
    shared = ecs_fields.FIELDS.keys() & FIELD_TYPES.keys()
    assert len(shared) > 30
    assert ecs_parts.VERSION == ECS_VERSION
    for name in shared - {"ecs.version"}:
        kind = ecs_fields.FIELDS[name]
        assert (kind.get("type") == "array") == (name in ARRAY_FIELDS), name
        inner = kind.get("items", kind)
        assert inner.get("type", "string") == kinds[FIELD_TYPES[name]], name


@pytest.mark.parametrize(("table", "log"), [("calls", "dce_rpc"), ("flows", "conn"), ("findings", "notice")])
def test_same_values_as_another_projects_translation_of_zeeks_logs(sample_run: Path, table: str, log: str) -> None:
    logged = [json.loads(line) for line in FORMATS["zeek-json"].parts[log](str(sample_run), Counter())]
    found = documents(sample_run, table)
    assert len(found) == len(logged)
    for ours, line in zip(found, logged, strict=True):
        mine, theirs = flat(ours), flat(to_ecs(line, log))
        shared = mine.keys() & theirs.keys() - OF_ZEEK
        assert len(shared) > 10
        assert {name: mine[name] for name in shared} == {name: theirs[name] for name in shared}


def test_states_of_connections_are_categorised_as_by_another_project() -> None:
    ends = {"id.orig_h": "10.0.0.1", "id.orig_p": 1, "id.resp_h": "10.0.0.2", "id.resp_p": 2, "proto": "tcp"}
    (column,) = (column for column in FLOWS.columns if column.name == "conn_state")
    for state in column.values:
        theirs = to_ecs({"ts": 1.0, "uid": "C", "conn_state": state, **ends}, zeek.CONN.name)
        assert ecs.flow_types(state) == theirs["event"]["type"]


@pytest.mark.parametrize(
    ("outcome", "status", "fault", "endpoint", "state", "expected"),
    [
        ("answered", 0, None, "qm2qm", "full", "success"),
        ("answered", 0x400E0006, None, "qm2qm", "full", "success"),
        ("answered", 0xC00E0007, None, "qm2qm", "full", "failure"),
        ("answered", 0x16C9A0D6, None, "epm", "full", "failure"),
        ("answered", None, None, "qm2qm", "full", "success"),
        ("answered", None, None, "qm2qm", "opaque", "unknown"),
        ("faulted", None, 5, "qm2qm", "full", "failure"),
        ("unanswered", None, None, "qm2qm", "full", "unknown"),
    ],
)
def test_outcome_of_a_call(
    outcome: str, status: int | None, fault: int | None, endpoint: str, state: str, expected: str
) -> None:
    row = dict.fromkeys(CALLS.names) | {"outcome": outcome, "status": status, "fault": fault, "decode_state": state}
    told = dict(event_maker(ecs.CALL)(row | {"endpoint": endpoint}))
    assert told["event.outcome"] == expected


def test_reads_sessions_acts_and_findings_name_queue_account_and_person(incident_run: Path) -> None:
    found = documents(incident_run)
    of_jdoe = [one for one in found if one.get("msmq", {}).get("opened_for", {}).get("user", {}).get("name") == "jdoe"]
    assert Counter(one["event"]["dataset"] for one in of_jdoe) == {
        "msmq.session": 1,
        "msmq.read": 4,
        "msmq.act": 1,
        "msmq.finding": 1,
    }
    for one in of_jdoe:
        assert one["related"]["user"] == ["LAPTOP66$", "jdoe"]
        assert one["user"] == {"name": "LAPTOP66$", "domain": "CORP"}
        assert one["msmq"]["queue"]["name"] == r"DIRECT=OS:hq\private$\orders"
        assert errors(one) == []
    assert {one["event"]["kind"] for one in found if one["event"]["dataset"] != "msmq.finding"} == {"event"}
