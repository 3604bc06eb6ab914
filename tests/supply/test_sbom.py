"""The bill of materials: the same bytes each time, whole, and as CycloneDX's own schema wants it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft7Validator
from referencing import Registry, Resource

from scripts.pins import ROOT, pins
from scripts.sbom import bill_of_materials

Json = dict[str, Any]


@pytest.fixture(scope="module")
def bom() -> Json:
    return bill_of_materials()


def schema(name: str) -> Json:
    place = resources.files("cyclonedx.schema") / "_res" / name
    loaded: Json = json.loads(place.read_text("utf-8"))
    return loaded


def test_it_is_made_the_same_again(bom: Json) -> None:
    assert json.dumps(bill_of_materials()) == json.dumps(bom)


def test_the_schema_of_cyclonedx_accepts_it(bom: Json) -> None:
    whole = schema("bom-1.6.SNAPSHOT.schema.json")
    others = ("spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json")
    registry = Registry().with_resources([(one["$id"], Resource.from_contents(one)) for one in map(schema, others)])
    validator = Draft7Validator(whole, registry=registry)
    assert [error.message for error in validator.iter_errors(bom)] == []
    assert list(validator.iter_errors(bom | {"bomFormat": "other"})) != []


def test_every_pinned_package_is_in_it(bom: Json) -> None:
    told = {one["name"]: one["version"] for one in bom["components"]}
    assert told == pins(ROOT / "constraints.txt")


def test_what_a_run_needs_is_told_from_what_only_tests_need(bom: Json) -> None:
    scopes = {one["name"]: one["scope"] for one in bom["components"]}
    assert {scopes[name] for name in ("pyspark", "dpkt", "py4j", "pyarrow")} == {"required"}
    assert {scopes[name] for name in ("scapy", "pytest", "cyclonedx-python-lib")} == {"excluded"}


def test_the_java_archives_of_spark_are_in_it(bom: Json) -> None:
    (spark,) = (one for one in bom["components"] if one["name"] == "pyspark")
    purls = {one["purl"] for one in spark["components"]}
    assert f"pkg:maven/org.apache.spark/spark-core_2.13@{spark['version']}" in purls
    assert all(one["hashes"][0]["alg"] == "SHA-256" for one in spark["components"])


def test_references_lead_somewhere_and_no_two_are_the_same(bom: Json) -> None:
    parts = [bom["metadata"]["component"], *bom["components"]]
    refs = [one["bom-ref"] for part in parts for one in (part, *part.get("components", ()))]
    assert len(refs) == len(set(refs))
    assert {one for entry in bom["dependencies"] for one in (entry["ref"], *entry["dependsOn"])} <= set(refs)
