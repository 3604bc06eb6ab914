"""The DAGs as Airflow sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.airflow.conftest import Airflow

NIGHTLY = {
    "sense": ["choose"],
    "choose": ["collect", "verify"],
    "verify": ["claim"],
    "claim": ["collect", "publish", "release"],
    "collect": ["analyze"],
    "analyze": ["quality_gate"],
    "quality_gate": ["publish"],
    "publish": ["notify", "release"],
    "notify": [],
    "release": [],
}
BACKFILL = {
    "choose": ["collect", "verify"],
    "verify": ["claim"],
    "claim": ["collect", "release"],
    "collect": ["load", "notify"],
    "load": ["notify", "release"],
    "notify": [],
    "release": [],
}


@pytest.fixture(scope="module")
def loaded(airflow: Airflow) -> dict[str, Any]:
    return airflow.ask(do="load")


def test_dags_load_without_error(loaded: dict[str, Any]) -> None:
    assert loaded["import_errors"] == {}
    assert {name: dag["tasks"] for name, dag in loaded["dags"].items()} == {
        "mqtrail_nightly": NIGHTLY,
        "mqtrail_backfill": BACKFILL,
    }


@pytest.mark.parametrize("name", ["mqtrail_nightly", "mqtrail_backfill"])
def test_dags_keep_the_rules_of_the_house(name: str, loaded: dict[str, Any]) -> None:
    dag = loaded["dags"][name]
    assert dag["tags"] == ["mqtrail"]
    assert dag["doc_md"].startswith(f"\n### {name}\n")
    assert dag["catchup"] is False
    assert dag["max_active_runs"] == 1, "leases count on it"
    assert all(dag["callbacks"].values())
    assert all(schema for schema in dag["params"].values()), "every param says what it takes"


def test_publishing_updates_the_asset(loaded: dict[str, Any]) -> None:
    outlets = {
        name: {task: assets for task, assets in dag["outlets"].items() if assets}
        for name, dag in loaded["dags"].items()
    }
    assert outlets == {
        "mqtrail_nightly": {"publish": ["mqtrail_dataset"]},
        "mqtrail_backfill": {"load": ["mqtrail_dataset"]},
    }


def test_days_are_dates(loaded: dict[str, Any]) -> None:
    params = loaded["dags"]["mqtrail_backfill"]["params"]
    assert params["start"] == params["end"] == {"type": "string", "format": "date"}
