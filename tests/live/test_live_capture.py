"""DCE/RPC of scapy and impacket over loopback, recorded by tcpdump: every call has the values that went in."""

from __future__ import annotations

import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from decoders.interfaces import INTERFACES, qm2qm
from decoders.security.accounts import Account
from tests.live.comparing import differences
from tests.live.messages import LARGE, LARGE_BODY_BYTES
from tests.live.model import Talk
from tests.live.recording import Recording, record
from tests.live.report import HOST
from tests.live.story import CONNECT, DOMAIN, INTEGRITY, MAPPER, PASSWORD, PRIVACY, TALKS, USERNAME
from tests.local import Local, Row
from tests.pipelines.running import run
from tests.tools import need

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.live.model import Talk

NTLM = 10
SPLIT_BYTES = 1 << 17
"""Both large messages lie across several splits."""
MAX_FRAGMENT = 4280
"""What both projects' servers keep to."""
OPEN = [talk for talk in TALKS if talk.auth_level != PRIVACY]
PRIVATE = [talk for talk in TALKS if talk.auth_level == PRIVACY]
GUARDED = [talk for talk in TALKS if talk.auth_level]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return record(tmp_path_factory.mktemp("live") / "live.pcap")


@pytest.fixture(scope="module")
def found(recording: Recording) -> Local:
    return Local(recording.path)


@pytest.fixture(scope="module")
def opened(recording: Recording) -> Local:
    """With the password."""
    return Local(recording.path, accounts=[Account(USERNAME, DOMAIN, PASSWORD)])


def of_talk(recording: Recording, rows: list[Row], name: str) -> list[Row]:
    told = recording.told[name]
    ends = {"orig_h": HOST, "orig_p": told.client_port, "resp_h": HOST, "resp_p": told.server_port}
    return sorted((row for row in rows if row["id"] == ends), key=lambda row: row["ts_ns"])


def pdus_of(recording: Recording, found: Local, name: str) -> list[Row]:
    (flow,) = [row for row in found.tables["flows"] if row["id"]["resp_p"] == recording.told[name].server_port]
    return sorted((row for row in found.tables["pdus"] if row["uid"] == flow["uid"]), key=lambda row: row["ts_ns"])


def typed(found: Local, call: Row) -> Row:
    (row,) = [
        row for row in found.tables[f"{call['endpoint']}_{call['operation']}"] if row["call_uid"] == call["call_uid"]
    ]
    return row


@pytest.mark.parametrize("talk", OPEN, ids=lambda talk: talk.name)
def test_calls_have_the_values_that_went_in(recording: Recording, found: Local, talk: Talk) -> None:
    told = recording.told[talk.name]
    calls = of_talk(recording, found.tables["calls"], talk.name)
    assert [call["operation"] for call in calls] == [call.operation for call in talk.calls]
    assert [call["request_bytes"] for call in calls] == told.requests
    assert [call["response_bytes"] for call in calls] == told.responses
    for said, call in zip(talk.calls, calls, strict=True):
        assert (call["endpoint"], call["interface_source"]) == (said.interface.name, "bind")
        assert (call["transfer_syntax"], call["encrypted"]) == (talk.syntax, False)
        assert call["decode_state"] == "full"
        row = typed(found, call)
        assert differences(said.request, row["request"], said.operation) == []
        if said.fault is None:
            assert call["outcome"] == "answered"
            assert call["status"] == (said.response["return_value"] if said.declared.status else None)
            assert differences(said.response, row["response"], said.operation) == []
        else:
            assert (call["outcome"], call["fault"], call["did_not_execute"]) == ("faulted", said.fault, True)
            assert (call["status"], row["response"]) == (None, None)


def test_nothing_is_in_doubt(found: Local) -> None:
    # The variants are of every kind, under whatever property comes next; the odd message is one that was cut.
    assert {issue["code"] for issue in found.tables["issues"]} <= {"property-malformed", "message-cut"}
    assert found.imbalances() == []
    assert len(found.tables["calls"]) == sum(len(talk.calls) for talk in TALKS) + len([MAPPER])
    assert {row["fate"] for row in found.tables["pdus"]} == {"call", "negotiation", "control"}


@pytest.mark.parametrize("talk", [talk for talk in TALKS if talk.name.startswith("large")], ids=lambda talk: talk.name)
def test_a_large_message_is_right_to_the_byte(recording: Recording, talk: Talk) -> None:
    kept = Local(recording.path, keep_payload=True)
    (read,) = [
        call
        for call in of_talk(recording, kept.tables["calls"], talk.name)
        if call["operation"] == "RemoteQMStartReceive2"
    ]
    fragments = [row for row in kept.tables["pdus"] if row["call_uid"] == read["call_uid"] and not row["is_orig"]]
    assert len(fragments) == read["response_fragments"] > LARGE_BODY_BYTES // MAX_FRAGMENT
    assert max(row["frag_len"] for row in fragments) <= MAX_FRAGMENT
    buffer = typed(kept, read)["response"]["lpRemoteReadDesc2"]["pRemoteReadDesc"]["lpBuffer"]
    assert buffer["bytes"] == LARGE
    assert buffer["size"] == len(LARGE) > LARGE_BODY_BYTES


def test_message_bytes_are_not_kept_unasked(found: Local) -> None:
    rows = found.tables["qm2qm_RemoteQMStartReceive2"]
    assert {row["response"]["lpRemoteReadDesc2"]["pRemoteReadDesc"]["lpBuffer"]["bytes"] for row in rows} == {None}


def test_fragmented_requests_are_put_together(recording: Recording, found: Local) -> None:
    (talk,) = [talk for talk in TALKS if talk.request_fragment]
    for call in of_talk(recording, found.tables["calls"], talk.name):
        assert call["request_fragments"] == -(-call["request_bytes"] // (talk.request_fragment or 1)) > 1


@pytest.mark.parametrize("talk", [talk for talk in TALKS if talk.alters], ids=lambda talk: talk.name)
def test_a_connection_may_change_its_interface(recording: Recording, found: Local, talk: Talk) -> None:
    kinds = Counter(row["pkt_type"] for row in pdus_of(recording, found, talk.name))
    assert (kinds["bind"], kinds["alter_context"], kinds["alter_context_resp"]) == (1, talk.alters, talk.alters)
    calls = of_talk(recording, found.tables["calls"], talk.name)
    assert len({call["ctx_id"] for call in calls}) == len({call["endpoint"] for call in calls}) > 1


@pytest.mark.parametrize("talk", [talk for talk in TALKS if talk.client == "scapy"], ids=lambda talk: talk.name)
def test_calls_are_of_the_group_that_the_client_joined(recording: Recording, found: Local, talk: Talk) -> None:
    calls = of_talk(recording, found.tables["calls"], talk.name)
    assert {call["assoc_group_id"] for call in calls} == {recording.told[talk.name].assoc_group}


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk.name)
def test_pdus_say_their_byte_order(recording: Recording, found: Local, talk: Talk) -> None:
    assert {row["little_endian"] for row in pdus_of(recording, found, talk.name)} == {talk.byte_order == "<"}


@pytest.mark.parametrize("talk", GUARDED, ids=lambda talk: talk.name)
def test_ntlm_says_who_called(recording: Recording, found: Local, talk: Talk) -> None:
    pdus = pdus_of(recording, found, talk.name)
    assert [row["pkt_type"] for row in pdus[:3]] == ["bind", "bind_ack", "auth3"]
    trailers = pdus[:3] if talk.auth_level == CONNECT else pdus
    assert {(row["auth_type"], row["auth_level"]) for row in trailers} == {(NTLM, talk.auth_level)}
    calls = of_talk(recording, found.tables["calls"], talk.name)
    assert len(calls) == len(talk.calls)
    for call in calls:
        assert (call["auth_type"], call["auth_level"]) == (NTLM, talk.auth_level)
        assert (call["username"], call["domain"]) == (USERNAME, DOMAIN)


def test_the_story_leaves_nothing_out() -> None:
    assert {talk.auth_level for talk in TALKS} == {None, CONNECT, INTEGRITY, PRIVACY}
    every = {operation.name for operation in qm2qm.INTERFACE.operations}
    complete = [talk for talk in TALKS if {call.operation for call in talk.calls} >= every]
    assert {(talk.syntax, talk.byte_order) for talk in complete} == {("ndr", "<"), ("ndr", ">"), ("ndr64", "<")}
    assert {"R_QMMgmtGetInfo", "R_QMMgmtAction"} < {call.operation for talk in TALKS for call in talk.calls}
    spoken = {call.interface.name for talk in TALKS for call in talk.calls}
    assert spoken == {"qm2qm", "qmmgmt", "RemoteRead", "qmcomm", "qmcomm2"}


@pytest.mark.parametrize("talk", PRIVATE, ids=lambda talk: talk.name)
def test_sealed_stubs_are_opaque(recording: Recording, found: Local, talk: Talk) -> None:
    calls = of_talk(recording, found.tables["calls"], talk.name)
    assert [call["operation"] for call in calls] == [call.operation for call in talk.calls]
    uids = {call["call_uid"] for call in calls}
    for call in calls:
        assert (call["encrypted"], call["decode_state"], call["outcome"]) == (True, "opaque", "answered")
        assert call["status"] is None
        assert not uids & {row["call_uid"] for row in found.tables[f"{call['endpoint']}_{call['operation']}"]}


@pytest.mark.parametrize("talk", PRIVATE, ids=lambda talk: talk.name)
def test_sealed_stubs_are_read_with_the_password(recording: Recording, opened: Local, talk: Talk) -> None:
    told = recording.told[talk.name]
    calls = of_talk(recording, opened.tables["calls"], talk.name)
    assert [call["request_bytes"] for call in calls] == told.requests
    assert [call["response_bytes"] for call in calls] == told.responses
    for said, call in zip(talk.calls, calls, strict=True):
        assert (call["encrypted"], call["unsealed"], call["decode_state"]) == (True, True, "full")
        row = typed(opened, call)
        assert differences(said.request, row["request"], said.operation) == []
        assert differences(said.response, row["response"], said.operation) == []


@pytest.mark.parametrize("talk", GUARDED, ids=lambda talk: talk.name)
def test_signatures_fit(recording: Recording, opened: Local, talk: Talk) -> None:
    calls = of_talk(recording, opened.tables["calls"], talk.name)
    assert {call["verified"] for call in calls} == {None if talk.auth_level == CONNECT else True}
    (who,) = of_talk(recording, opened.tables["principals"], talk.name)
    assert (who["username"], who["ntlm_version"], who["outcome"]) == (USERNAME, "v2", "accepted")
    assert who["secret"] == "right"
    assert not [issue for issue in opened.tables["issues"] if issue["code"].startswith(("rpc-", "secret-"))]


def test_the_endpoint_mapper_says_the_port(recording: Recording, found: Local) -> None:
    (call,) = of_talk(recording, found.tables["calls"], MAPPER)
    (tower,) = typed(found, call)["towers"]
    (understood,) = recording.told[MAPPER].endpoints
    assert [tower["host"], tower["port"]] == understood == [HOST, recording.told[TALKS[0].name].server_port]
    assert (tower["endpoint"], tower["protocol"]) == (TALKS[0].calls[0].interface.name, "ncacn_ip_tcp")


def test_tshark_counts_the_same_pdus(recording: Recording, found: Local) -> None:
    fields = [argument for name in ("tcp.srcport", "tcp.dstport", "dcerpc.pkt_type") for argument in ("-e", name)]
    # Heuristics first: a port that the system chose may belong to some other protocol in tshark's tables.
    options = ["-n", "-o", "tcp.try_heuristic_first:TRUE", "-Y", "dcerpc", "-T", "fields"]
    command = [need("tshark"), *options, *fields, "-r", str(recording.path)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    theirs: Counter[tuple[int, int]] = Counter()
    servers = {told.server_port for told in recording.told.values()}
    for line in lines:
        source, destination, kinds = line.split("\t")
        server = int(source) if int(source) in servers else int(destination)
        theirs.update((server, int(kind)) for kind in kinds.split(","))
    server_of = {flow["uid"]: flow["id"]["resp_p"] for flow in found.tables["flows"]}
    assert theirs == Counter((server_of[row["uid"]], row["pkt_type_number"]) for row in found.tables["pdus"])


def test_the_whole_analysis_finds_the_same(
    recording: Recording, found: Local, spark: SparkSession, tmp_path: Path
) -> None:
    tables = run(spark, [recording.path], tmp_path / "tables", split_bytes=SPLIT_BYTES)
    first = recording.told[TALKS[0].name]
    announced = {(row["source"], row["endpoint"], row["host"], row["port"]) for row in tables["endpoints"]}
    assert ("ept_map", TALKS[0].calls[0].interface.name, HOST, first.server_port) in announced
    typed_tables = tuple(f"{interface.name}_" for interface in INTERFACES.values())
    for name in ("pdus", "calls", *(name for name in found.tables if name.startswith(typed_tables))):
        assert by_time(tables[name]) == by_time(found.tables[name]), name


def by_time(rows: list[Row]) -> list[Row]:
    """Without the capture's id, for which a run has a hash and Local the file's name."""
    return sorted(
        ({key: value for key, value in row.items() if key != "capture_id"} for row in rows),
        key=lambda row: (row["ts_ns"], row["uid"], str(row.get("stream_offset"))),
    )
