"""Every call of the sample capture with the values its two programs say they exchanged."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from decoders.msmq.towers import parse_tower
from pipelines.exports.jsonl import json_lines
from schemas.tables import WRITTEN
from tests.conftest import ROOT
from tests.pipelines.running import Row, Tables, run

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SAMPLE = ROOT / "samples" / "msmq-loopback.pcap"
EXPECTED = json.loads((ROOT / "samples" / "expected.json").read_text(encoding="utf-8"))
CONVERSATIONS = {one["name"]: one for one in EXPECTED["conversations"] if one["interface"]}


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return run(spark, [SAMPLE], tmp_path_factory.mktemp("calls") / "tables")


def agrees(said: Any, found: Any) -> bool:  # noqa: ANN401
    """`said` leaves out the arms of a union that are not on the wire."""
    if isinstance(said, dict) and said.keys() == {"bytes", "sha256"} and isinstance(found, bytes):
        return bool((said["bytes"], said["sha256"]) == (len(found), hashlib.sha256(found).hexdigest()))
    if isinstance(said, dict) and said.keys() == {"bytes", "sha256"}:
        return bool((said["bytes"], said["sha256"]) == (found["size"], found["sha256"]) and found["bytes"] is None)
    if isinstance(said, dict) and "interface_version" in said:
        tower = parse_tower(found["tower_octet_string"])
        assert tower.interface is not None
        version = f"{tower.interface.major}.{tower.interface.minor}"
        return said == {
            "interface_uuid": tower.interface.uuid,
            "interface_version": version,
            "port": tower.port,
            "host": tower.host,
        }
    if isinstance(said, dict):
        others = [value for name, value in found.items() if name not in said and name != "no_parameters"]
        return all(agrees(value, found[name]) for name, value in said.items()) and all(v is None for v in others)
    if isinstance(said, list):
        return len(said) == len(found) and all(map(agrees, said, found))
    if isinstance(found, bytes):
        return bool(said == found.hex())
    return bool(said == (int(found) if isinstance(found, Decimal) else found))


def calls_of(tables: Tables, conversation: Row) -> list[Row]:
    ends = {"orig_h": conversation["client"], "orig_p": conversation["client_port"]}
    ends |= {"resp_h": conversation["server"], "resp_p": conversation["server_port"]}
    return sorted((call for call in tables["calls"] if call["id"] == ends), key=lambda call: call["ts_ns"])


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_calls_come_out_with_the_values_that_went_in(tables: Tables, name: str) -> None:
    conversation = CONVERSATIONS[name]
    found = calls_of(tables, conversation)
    assert [(call["call_id"], call["opnum"], call["operation"]) for call in found] == [
        (said["call_id"], said["opnum"], said["operation"]) for said in conversation["calls"]
    ]
    for said, call in zip(conversation["calls"], found, strict=True):
        assert call["endpoint"] == conversation["interface"]["name"]
        assert (call["interface_uuid"], call["interface_version"], call["interface_source"]) == (
            conversation["interface"]["uuid"],
            conversation["interface"]["version"],
            "bind",
        )
        assert call["assoc_group_id"] == conversation["assoc_group"]
        fault = call["fault"]
        assert said["fault"] == (None if fault is None else f"0x{fault:08x}")
        if said["operation"] is None:
            assert (call["decode_state"], call["outcome"]) == ("opaque", "faulted")
            continue
        assert (call["decode_state"], call["outcome"]) == ("full", "answered")
        (typed,) = [
            row for row in tables[f"{call['endpoint']}_{call['operation']}"] if row["call_uid"] == call["call_uid"]
        ]
        assert agrees(said["request"], typed["request"]), said
        assert agrees(said["response"], typed["response"]), said
        if call["status"] is not None:
            assert said["result"] == f"0x{call['status']:08x}"


def test_pdus_are_those_sent(tables: Tables) -> None:
    for conversation in CONVERSATIONS.values():
        ends = conversation["client"], conversation["client_port"]
        uids = {flow["uid"] for flow in tables["flows"] if (flow["id"]["orig_h"], flow["id"]["orig_p"]) == ends}
        found: dict[str, int] = {}
        for pdu in tables["pdus"]:
            if pdu["uid"] in uids:
                found[pdu["pkt_type"]] = found.get(pdu["pkt_type"], 0) + 1
        assert found == conversation["pdus"], conversation["name"]


def test_endpoints_are_those_announced(tables: Tables) -> None:
    ports = {(row["source"], row["endpoint"], row["port"]) for row in tables["endpoints"]}
    assert {("ept_map", "qm2qm", 49664), ("ept_map", "qm2qm", 2105), ("ept_lookup", "qm2qm", 49664)} <= ports
    assert ("RemoteQMGetQMQMServerPort", "qm2qm", 49664) in ports
    assert ("RemoteQMGetQMQMServerPort", "qmcomm", 2103) in ports
    assert {row["host"] for row in tables["endpoints"]} == {"127.0.0.1"}


def test_message_bytes_are_kept_only_on_request(spark: SparkSession, tmp_path: Path) -> None:
    tables = run(spark, [SAMPLE], tmp_path / "tables", keep_payload=True)
    buffers = [
        row["response"]["lpRemoteReadDesc"]["lpBuffer"]
        for row in tables["qm2qm_RemoteQMStartReceive"]
        if row["response"]
    ]
    kept = [buffer for buffer in buffers if buffer]
    assert kept
    for buffer in kept:
        assert len(buffer["bytes"]) == buffer["size"]
        assert buffer["bytes"][4:8] == b"LIOR"


def test_rows_are_the_same_whatever_the_parts_and_the_engine(
    spark: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    for engine, parts in ((spark, 7), (None, 1), (None, 5)):
        out = tmp_path / f"{parts}"
        found = run(engine, [SAMPLE], out, split_bytes=10_000, parts=parts)
        assert {name: sorted(map(str, rows)) for name, rows in found.items()} == {
            name: sorted(map(str, rows)) for name, rows in tables.items()
        }
    for table in WRITTEN:
        one, *others = (list(json_lines(str(tmp_path / parts), table)) for parts in ("7", "1", "5"))
        assert all(other == one for other in others)
