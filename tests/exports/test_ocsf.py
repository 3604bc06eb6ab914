"""Events against OCSF's own definitions of the classes."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from ocsf_json_schema import OcsfJsonSchemaEmbedded, get_ocsf_schema
from pyarrow import parquet

from pipelines.exports.formats import FORMATS
from pipelines.exports.mapped import event_maker, nested
from pipelines.exports.text import json_text
from schemas.exports import ocsf, ocsf_parts
from schemas.exports.model import TABLES_BY_NAME
from tests.exports.run_folder import decided_findings
from tests.exports.strategies import rows

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.exports.model import Mapping

RELEASES = ("1.4.0", "1.5.0", "1.6.0", "1.7.0", "1.8.0")
each_mapping = pytest.mark.parametrize("mapping", ocsf.EVENTS, ids=lambda mapping: mapping.name)


@cache
def validator(release: str, class_uid: int) -> Draft202012Validator:
    definitions = OcsfJsonSchemaEmbedded(get_ocsf_schema(release))
    return Draft202012Validator(definitions.get_class_schema(definitions.lookup_class_name_from_uid(class_uid)))


def errors(event: dict[str, Any], release: str = ocsf_parts.VERSION) -> list[str]:
    found = validator(release, event["class_uid"]).iter_errors(event)
    return [f"{list(error.path)}: {error.message}" for error in found]


def events(folder: Path, table: str = "") -> list[dict[str, Any]]:
    return [json.loads(line) for line in FORMATS["ocsf"].parts[table](str(folder), Counter())]


@pytest.mark.parametrize("release", RELEASES)
def test_sample_is_valid(sample_run: Path, release: str) -> None:
    found = events(sample_run)
    acts = (len(parquet.read_table(sample_run / "tables" / table)) for table in ("sessions", "reads", "admin_actions"))
    assert Counter(event["class_uid"] for event in found) == {
        4001: 55,
        2004: decided_findings(sample_run),
        6003: sum(acts),
    }
    assert [error for event in found for error in errors(event, release)] == []


@each_mapping
@given(st.data())
@settings(max_examples=50)
def test_any_row_with_a_time_is_valid(mapping: Mapping, data: st.DataObject) -> None:
    row = data.draw(rows(TABLES_BY_NAME[mapping.table]).filter(lambda row: row[mapping.timed_by] is not None))
    assert errors(json.loads(json_text(nested(event_maker(mapping)(row))))) == []


def test_definitions_refuse_what_is_wrong(sample_run: Path) -> None:
    event = events(sample_run, "calls")[0]
    assert errors(event) == []
    assert errors(event | {"activity_id": 7000})
    assert errors(event | {"colour": "red"})
    assert errors({name: value for name, value in event.items() if name != "severity_id"})


def test_numbers_agree_with_each_other(sample_run: Path) -> None:
    for event in events(sample_run):
        assert event["type_uid"] == event["class_uid"] * 100 + event["activity_id"]
        assert event["category_uid"] == event["class_uid"] // 1000
        assert event["metadata"]["version"] == ocsf_parts.VERSION


def test_findings_have_ids_techniques_and_evidence(sample_run: Path) -> None:
    findings = events(sample_run, "findings")
    assert len({event["finding_info"]["uid"] for event in findings}) == len(findings)
    purge = next(event for event in findings if event["finding_info"]["analytic"]["uid"] == "detect-purge")
    assert purge["finding_info"]["attacks"] == [{"technique": {"uid": "T1485"}}]
    assert purge["severity_id"] == 4
    assert purge["evidences"][0]["dst_endpoint"] == {"ip": "127.0.0.1", "port": 2105}
    assert purge["evidences"][0]["data"]["request_frames"] == [194]
    assert ocsf.attacks(["T1021.003"]) == [{"technique": {"uid": "T1021"}, "sub_technique": {"uid": "T1021.003"}}]


def test_connections_by_their_end(sample_run: Path) -> None:
    found = Counter((event["unmapped"]["conn_state"], event["activity_id"]) for event in events(sample_run, "flows"))
    assert found == {("SF", 2): 8, ("S1", 1): 1}


def test_reads_sessions_and_acts_name_queue_account_and_person(incident_run: Path) -> None:
    found = [event for event in events(incident_run) if event["class_uid"] == 6003]
    of_jdoe = [event for event in found if any(one["value"] == "jdoe" for one in event.get("observables", ()))]
    assert Counter(event["activity_id"] for event in of_jdoe) == {99: 1, 2: 4, 4: 1}
    (purge,) = (event for event in of_jdoe if event["activity_id"] == 4)
    assert purge["actor"]["user"] == {"name": "LAPTOP66$", "domain": "CORP"}
    assert purge["resources"] == [{"name": r"DIRECT=OS:hq\private$\orders", "type": "queue"}]
    assert [error for event in found for error in errors(event)] == []
    (alert,) = (
        one for one in events(incident_run, "findings") if one["finding_info"]["analytic"]["uid"] == "detect-purge"
    )
    assert (alert["resources"], alert["observables"]) == (purge["resources"], purge["observables"])
