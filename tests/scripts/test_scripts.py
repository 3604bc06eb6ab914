"""Scripts played, and what the decoders make of them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from ingest.choice import Choice, Scope
from tests.local import Local
from tests.scripts.calls import is_callback
from tests.scripts.defaults import RECIPES
from tests.scripts.messages import message
from tests.scripts.player import capture
from tests.scripts.tape import START_US
from tests.scripts.words import handle

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
QUEUE = r'queue="OS:hq\private$\orders"'
EVERY_PROPERTY = f"aProp=[{', '.join(map(str, range(1, 28)))}]"


def played(folder: Path, script: str, *, issues: tuple[str, ...] = ()) -> Local:
    found = Local(capture(folder, script), choice=Choice(Scope.RPC))
    assert found.imbalances() == []
    assert tuple(issue["code"] for issue in found.tables["issues"]) == issues
    return found


def only(folder: Path, call: str, *, interface: str = "qm2qm", issues: tuple[str, ...] = ()) -> Row:
    """The typed row of one call."""
    found = played(folder, f"connect interface {interface}\n{call}", issues=issues)
    (row,) = found.tables[f"{interface}_{call.split(maxsplit=1)[0]}"]
    return row


@pytest.mark.parametrize("syntax", ["ndr", "ndr64"])
def test_every_operation_plays_with_defaults(tmp_path: Path, syntax: str) -> None:
    interfaces = dict.fromkeys(interface for interface, _ in RECIPES.values())
    lines = [f"connect {name} interface {name} syntax {syntax}" for name in interfaces]
    lines += [operation for operation in RECIPES if not is_callback(operation)]
    lines += [
        "ask waiting S_DSGetProps",
        *(f"callback waiting {operation}" for operation in RECIPES if is_callback(operation)),
    ]
    found = played(tmp_path, "\n".join((*lines, "answer waiting")))
    calls = found.tables["calls"]
    assert {call["operation"] for call in calls} == set(RECIPES)
    assert {call["operation"] for call in calls if call["is_callback"]} == set(filter(is_callback, RECIPES))
    assert {(call["decode_state"], call["outcome"]) for call in calls} == {("full", "answered")}
    for call in calls:
        assert call["interface_source"] == ("outer_call" if call["is_callback"] else "bind")
        secured = (5, "alice", "CORP") if call["endpoint"] != "epm" else (None, None, None)
        assert (call["auth_level"], call["username"], call["domain"]) == secured
        assert call["transfer_syntax"] == syntax
        assert call["status"] in (0, None)


@pytest.mark.parametrize(
    ("call", "request_has", "response_has"),
    [
        (
            "RemoteQMOpenQueue dwMQS=99 hQueue=9 -> phContext=S1",
            {"dwMQS": 99, "hQueue": 9, "pQueue": 9, "dwpContext": 9},
            {"phContext": handle("S1"), "return_value": 0},
        ),
        ("RemoteQMOpenQueue -> status=MQ_ERROR_ACCESS_DENIED", {}, {"phContext": None, "return_value": 0xC00E0025}),
        ("RemoteQMEndReceive dwAck=3", {"pphContext": handle("R"), "dwAck": 3}, {"pphContext": None}),
        ("RemoteQMGetQMQMServerPort -> status=0", {"dwPortType": 1}, {"return_value": 0}),
        ("RemoteQmGetVersion -> pMajor=5", {}, {"pMajor": 5, "pMinor": 1, "pBuildNumber": 7601}),
        ("RemoteQMCancelReceive pQueue=8", {"hQueue": 7, "pQueue": 8, "dwRequestID": 1}, {"return_value": 0}),
    ],
)
def test_values_come_back(tmp_path: Path, call: str, request_has: Row, response_has: Row) -> None:
    issues = ("ndr-range",) if "dwMQS" in call or "dwAck" in call else ()
    row = only(tmp_path, call, issues=issues)
    assert request_has.items() <= row["request"].items()
    assert response_has.items() <= row["response"].items()


def _bytes(row: Row, parameter: str = "lpRemoteReadDesc") -> Row:
    read: Row = row["response"][parameter]
    return read


def test_start_of_a_receive_and_a_peek(tmp_path: Path) -> None:
    script = """connect
    RemoteQMStartReceive hRemoteQueue=9 ulTimeout=INFINITE -> message=300/4
    RemoteQMStartReceive ulAction=PEEK_CURRENT dwRequestID=3
    RemoteQMStartReceive -> status=MQ_ERROR_IO_TIMEOUT after 2s"""
    received, peeked, failed = played(tmp_path, script).tables["qm2qm_RemoteQMStartReceive"]
    found = _bytes(received)
    assert received["response"]["pphContext"] == handle("R")
    assert (found["hRemoteQueue"], found["dwQueue"], found["ulTimeout"]) == (9, 9, 0xFFFF_FFFF)
    packet = message(300, 4)
    assert found["lpBuffer"]["sha256"] in (hashlib.sha256(packet).hexdigest(), hashlib.sha256(packet).digest())
    assert (found["dwSize"], found["Reserved"]) == (len(packet), 1)
    assert found["dwArriveTime"] == START_US // 1_000_000 - 60
    assert peeked["response"]["pphContext"] is None
    assert [row["request"]["lpRemoteReadDesc"]["dwRequestID"] for row in (received, peeked, failed)] == [1, 3, 2]
    assert failed["response"]["return_value"] == 0xC00E001B
    assert (_bytes(failed)["lpBuffer"], _bytes(failed)["dwSize"], failed["response"]["pphContext"]) == (None, 0, None)


@pytest.mark.parametrize(
    ("call", "sequential"),
    [
        ("RemoteQMStartReceive2", 0x1401),
        ("RemoteQMStartReceiveByLookupId LookupId=0xFF00000000000777", 0x777),
        ("RemoteQMStartReceiveByLookupId ulAction=LOOKUP_PEEK_NEXT", 0x1402),
        ("RemoteQMStartReceiveByLookupId ulAction=LOOKUP_RECEIVE_PREV", 0x1400),
        ("RemoteQMStartReceive2 -> SequentialId=5", 5),
        ("RemoteQMStartReceive2 -> status=MQ_ERROR", 0),
    ],
)
def test_sequential_ids(tmp_path: Path, call: str, sequential: int) -> None:
    assert _bytes(only(tmp_path, call), "lpRemoteReadDesc2")["SequentialId"] == sequential


def test_messages_as_wanted(tmp_path: Path) -> None:
    assert message(50, 1) == message(50, 1) != message(50, 2)
    no_message = only(tmp_path, "RemoteQMStartReceive -> buffer=00112233", issues=("message-cut",))
    assert _bytes(no_message)["lpBuffer"]["size"] == 4
    assert _bytes(only(tmp_path, "RemoteQMStartReceive -> message=null"))["lpBuffer"] is None
    script = "connect\nRemoteQMStartReceive -> message=50/1 packet_size=77"
    found = Local(capture(tmp_path, script), keep_payload=True).tables["qm2qm_RemoteQMStartReceive"]
    content = _bytes(found[0])["lpBuffer"]["bytes"]
    assert int.from_bytes(content[8:12], "little") == 77
    assert content[12:] == message(50, 1)[12:]


def test_null_descriptor_and_raw_stub(tmp_path: Path) -> None:
    row = only(tmp_path, "RemoteQMStartReceive2 descriptor=null -> status=STATUS_INVALID_PARAMETER")
    assert row["request"]["lpRemoteReadDesc2"]["pRemoteReadDesc"] is None
    assert _bytes(row, "lpRemoteReadDesc2")["pRemoteReadDesc"] is None
    row = only(tmp_path, "RemoteQMPurgeQueue stub=0800000009 -> stub=01000000", issues=("ndr-trailing-bytes",))
    assert (row["request"]["hQueue"], row["response"]["return_value"]) == (8, 1)


def test_every_property_is_answered_with_its_type(tmp_path: Path) -> None:
    for what in (f"{QUEUE} {EVERY_PROPERTY}", "aProp=[1, 2, 3, 4, 5, 6]"):
        row = only(tmp_path, f"R_QMMgmtGetInfo {what}", interface="qmmgmt")
        assert row["request"]["cp"] == len(row["properties"]) == len(row["response"]["apVar"])
        assert None not in [one["name"] for one in row["properties"]]


def test_properties_that_do_not_fit(tmp_path: Path) -> None:
    call = 'R_QMMgmtGetInfo aProp=[4, PROPID_MGMT_MSMQ_TYPE, 99] -> apVar=["CONNECTED", null, 17] vt=[31, VT_NULL, 19]'
    row = only(tmp_path, call, interface="qmmgmt")
    assert [one["vt"] for one in row["response"]["apVar"]] == [31, 1, 19]
    issues = ("ndr-count-differs", "ndr-count-differs", "ndr-unknown-tag")
    row = only(tmp_path, "R_QMMgmtGetInfo cp=5 vt=[31] -> vt=[9]", interface="qmmgmt", issues=issues)
    assert row["request"]["cp"] == 5
    assert row["response"]["apVar"][0]["vt"] == 9


@pytest.mark.parametrize(
    "name",
    [
        r"DIRECT=OS:hq\private$\orders;JOURNAL",
        "PUBLIC=11111111-2222-3333-4444-555555555555;JOURNAL",
        r"PRIVATE=11111111-2222-3333-4444-555555555555\0000000f",
        "MACHINE=11111111-2222-3333-4444-555555555555;DEADXACT",
        "MULTICAST=234.1.1.1:80",
        "DL=11111111-2222-3333-4444-555555555555@corp.example",
    ],
)
def test_queues_by_format_name(tmp_path: Path, name: str) -> None:
    row = only(tmp_path, f'R_QMMgmtAction queue="{name}"', interface="qmmgmt")
    assert (row["format_name"], row["request"]["lpwszAction"]) == (name, "PAUSE")


def test_endpoint_mapper(tmp_path: Path) -> None:
    script = """connect interface epm to 10.0.0.77
    ept_map for=qmmgmt -> port=2104
    ept_map -> status=ept_s_not_registered
    ept_lookup -> entries=[qm2qm:2107, 12345778-1234-abcd-ef00-0123456789ac:445]"""
    found = played(tmp_path, script)
    assert {(row["endpoint"], row["host"], row["port"]) for row in found.tables["endpoints"]} == {
        ("qmmgmt", "10.0.0.77", 2104),
        ("qm2qm", "10.0.0.77", 2107),
        (None, "10.0.0.77", 445),
    }
    assert [call["status_name"] for call in found.tables["calls"]][1] == "ept_s_not_registered"


def test_opaque_operations(tmp_path: Path) -> None:
    uuid = "12345678-1234-abcd-ef00-0123456789ac"
    script = f"connect\nopnum number=11 -> fault=0x1C010002\nconnect x port 2105 interface {uuid}\nopnum number=3"
    found = played(tmp_path, script).tables["calls"]
    assert [(call["opnum"], call["fault_name"], call["interface_uuid"] == uuid) for call in found] == [
        (11, "nca_op_rng_error", False),
        (3, None, True),
    ]
