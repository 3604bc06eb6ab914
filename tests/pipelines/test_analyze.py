from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
import zstandard

from ingest.choice import Scope
from ingest.splits import SPLIT_BYTES
from tests.builders.containers import Packet, pcap
from tests.builders.conversations import write_pcap
from tests.pipelines import world
from tests.pipelines.running import Row, Tables, counters, run

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

FILE_COLUMNS = {"capture_id", "capture_ids", "first_frame", "tcp_stream"}
"""What a flow says about the files it stands in."""


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("world") / "all.pcap"
    write_pcap(path, world.world())
    return path


@pytest.fixture(scope="module")
def tables(spark: SparkSession, one_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return run(spark, [one_file], tmp_path_factory.mktemp("one") / "tables")


def by_port(tables: Tables, port: int) -> list[Row]:
    return [flow for flow in tables["flows"] if port in (flow["id"]["orig_p"], flow["id"]["resp_p"])]


def streams(tables: Tables) -> list[Row]:
    rows = [{name: value for name, value in flow.items() if name not in FILE_COLUMNS} for flow in tables["flows"]]
    return sorted(rows, key=lambda flow: flow["uid"])


def test_keeps_what_binds_to_msmq_on_any_port_and_nothing_else(tables: Tables) -> None:
    assert {flow["id"]["orig_p"] for flow in tables["flows"]} == world.KEPT


@pytest.mark.parametrize(
    ("port", "chosen_by", "decided_by"),
    [
        (world.PLAIN, "interface", "syn"),
        (world.SNEAKY, "interface", "syn"),
        (world.WELL_KNOWN, "port", "port"),
        (world.FRAGMENTED, "interface", "syn"),
        (world.SIXTH, "interface", "syn"),
        (world.ALTERED, "interface", "syn"),
    ],
)
def test_says_why_it_kept_a_connection_and_who_the_client_is(
    tables: Tables, port: int, chosen_by: str, decided_by: str
) -> None:
    (flow,) = by_port(tables, port)
    assert (flow["chosen_by"], flow["orig_decided_by"]) == (chosen_by, decided_by)
    assert flow["id"]["orig_p"] == port


def test_bind_in_single_bytes_out_of_order_and_repeated_gives_the_same_stream_as_a_plain_one(tables: Tables) -> None:
    (plain,), (sneaky,) = by_port(tables, world.PLAIN), by_port(tables, world.SNEAKY)
    for column in ("orig_bytes", "resp_bytes", "missed_bytes", "pdus_recognised", "interfaces", "conn_state"):
        assert sneaky[column] == plain[column], column
    assert sneaky["duplicate_bytes"] > 0 == plain["duplicate_bytes"]


def test_interface_added_by_a_late_alter_context_is_found(tables: Tables) -> None:
    (flow,) = by_port(tables, world.ALTERED)
    assert len(flow["interfaces"]) == 2


def test_reused_four_tuple_is_two_flows(tables: Tables) -> None:
    first, second = sorted(by_port(tables, world.REUSED), key=lambda flow: flow["first_ts"])
    assert (first["conn_state"], second["conn_state"]) == ("SF", "RSTO")
    assert first["uid"] != second["uid"]
    assert first["tcp_stream"] < second["tcp_stream"]


def test_missing_packet_is_a_gap_with_its_size_and_frame(tables: Tables) -> None:
    (flow,) = by_port(tables, world.LOSSY)
    of_stream = [issue for issue in tables["issues"] if issue["uid"] == flow["uid"] and issue["code"][:4] == "tcp-"]
    (issue,) = of_stream
    assert issue["code"] == "tcp-gap"
    assert f"{flow['missed_bytes']} bytes" in issue["detail"]
    assert flow["missed_bytes"] > 0
    assert "g" in flow["history"].lower()


def test_every_packet_is_accounted_for(tables: Tables) -> None:
    found = counters(tables, "packets")
    assert set(found) == {
        "in", "kept", "set_aside_not_ip", "set_aside_not_tcp", "set_aside_no_rpc_seen", "set_aside_other_interface",
        "set_aside_fragment_merged",
    }  # fmt: skip
    assert found["in"] == tables["captures"][0]["packets"] == len(world.world())
    assert found["kept"] == sum(flow["orig_pkts"] + flow["resp_pkts"] for flow in tables["flows"])


def test_every_payload_byte_is_accounted_for(tables: Tables) -> None:
    found = counters(tables, "payload_bytes")
    assert found["delivered"] == sum(f["orig_bytes"] + f["resp_bytes"] - f["missed_bytes"] for f in tables["flows"])
    assert found["duplicate"] == sum(flow["duplicate_bytes"] for flow in tables["flows"])


@pytest.mark.parametrize("split_bytes", [999, 20_000])
def test_any_number_of_splits_gives_the_same_tables(
    one_file: Path, tables: Tables, tmp_path: Path, split_bytes: int
) -> None:
    assert run(None, [one_file], tmp_path / "tables", split_bytes=split_bytes) == tables


def test_rotated_captures_give_the_same_streams_as_one_file(tables: Tables, tmp_path: Path) -> None:
    """The names sort against the order of time, the cuts fall inside conversations and between fragments."""
    frames = world.world()
    whole = tmp_path / "whole.pcap"
    write_pcap(whole, frames)
    data, parts = whole.read_bytes(), 4
    bounds = [24]
    for frame in frames:
        bounds.append(bounds[-1] + 16 + len(frame.captured))
    folder = tmp_path / "rotated"
    folder.mkdir()
    for part in range(parts):
        first, last = len(frames) * part // parts, len(frames) * (part + 1) // parts
        (folder / f"{9 - part}.pcap").write_bytes(data[:24] + data[bounds[first] : bounds[last]])
    rotated = run(None, [folder], tmp_path / "tables")
    assert streams(rotated) == streams(tables)
    assert counters(rotated, "packets") == counters(tables, "packets")
    assert counters(rotated, "payload_bytes") == counters(tables, "payload_bytes")
    assert any(len(flow["capture_ids"]) > 1 for flow in rotated["flows"])


def test_compressed_captures_and_second_copies_change_nothing(one_file: Path, tables: Tables, tmp_path: Path) -> None:
    data = one_file.read_bytes()
    for folder, content in (("gzip", gzip.compress(data)), ("zstd", zstandard.compress(data))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "capture.bin").write_bytes(content)
        found = run(None, [tmp_path / folder], tmp_path / f"tables-{folder}")
        assert streams(found) == streams(tables)
        assert found["captures"][0]["compression"] == folder
    (tmp_path / "copy.pcap").write_bytes(data)
    twice = run(None, [one_file, tmp_path / "copy.pcap"], tmp_path / "tables-twice")
    assert twice["flows"] == tables["flows"]
    assert [row["duplicate_of"] for row in twice["captures"]] == [None, twice["captures"][0]["path"]]
    assert [issue["code"] for issue in twice["issues"] if issue["uid"] is None] == ["duplicate-capture"]


def test_two_taps_see_every_byte_twice_and_the_streams_stay_the_same(
    one_file: Path, tables: Tables, tmp_path: Path
) -> None:
    second = tmp_path / "second-tap.pcap"
    write_pcap(second, [*world.world(), world.world()[0]])
    found = run(None, [one_file, second], tmp_path / "tables")
    sizes = {flow["uid"]: (flow["orig_bytes"], flow["resp_bytes"]) for flow in tables["flows"]}
    assert {flow["uid"]: (flow["orig_bytes"], flow["resp_bytes"]) for flow in found["flows"]} == sizes
    assert counters(found, "payload_bytes")["delivered"] == counters(tables, "payload_bytes")["delivered"]


def test_scope_rpc_keeps_other_interfaces_too(one_file: Path, tmp_path: Path) -> None:
    found = run(None, [one_file], tmp_path / "tables", scope=Scope.RPC)
    assert {flow["id"]["orig_p"] for flow in found["flows"]} == world.KEPT | {world.OTHER_RPC}
    (flow,) = by_port(found, world.OTHER_RPC)
    assert flow["chosen_by"] == "scope"


@pytest.mark.parametrize("split_bytes", [200, SPLIT_BYTES], ids=["in many splits", "in one"])
def test_flood_of_issues_is_cut_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, split_bytes: int) -> None:
    for place in ("ingest.scan", "pipelines.run.issues"):
        monkeypatch.setattr(f"{place}.MAX_ISSUES_OF_A_KIND", 10)
    zeros = tmp_path / "zeros.pcap"
    zeros.write_bytes(pcap([Packet(b"", ts=0)] * 50))
    found = run(None, [zeros], tmp_path / "tables", split_bytes=split_bytes)
    assert [issue["frame"] for issue in found["issues"]] == [None, *range(1, 11)]
    assert found["issues"][0]["detail"] == "40 more of this kind are not listed"
    assert counters(found, "packets") == {"in": 50, "set_aside_header_cut": 50}
