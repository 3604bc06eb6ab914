"""Calls that are cut, refused, broken off or made up: what their rows may say, and what not."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from decoders.ndr.model import Direction, Syntax
from pipelines.calls.endpoints import MAX_LEARNED_OF_A_SERVER, AnnouncedEndpoints
from tests.builders import msmq, rpc
from tests.builders.conversations import Ends, Talk, frames, snapped, write_pcap
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.calls.endpoints import Announcement
    from tests.builders.conversations import Packet

FAULT = 3


def local(path: Path, packets: list[Packet], ends: Ends) -> Local:
    write_pcap(path, [one for packet in packets for one in frames(ends, packet)])
    found = Local(path)
    assert found.imbalances() == []
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "capture.pcap"


def talk(port: int = 2103, interface: str = rpc.QM2QM) -> Talk:
    return msmq.bound(Talk(Ends(50_000, server_port=port)), interface)


def test_fault_after_the_beginning_of_a_response_leaves_no_status(path: Path) -> None:
    asked = msmq.stub(rpc.QM2QM, 6, Direction.IN, {"hQueue": 7})
    begun = rpc.response(bytes(4), 2)
    begun = begun[:3] + b"\x01" + begun[4:]
    broken = talk().say(rpc.request(asked, 6, 2)).answer(begun)
    broken.answer(rpc.pdu(FAULT, struct.pack("<IHBxII", 0, 0, 0, 5, 0), 2))
    (call,) = local(path, broken.packets, broken.ends).tables["calls"]
    assert (call["outcome"], call["status"], call["status_name"], call["fault"]) == ("faulted", None, None, 5)
    assert len(call["response_frames"]) == call["response_fragments"] == 2


@pytest.mark.parametrize("left", range(1, 60))
def test_cut_action_is_never_another_action(path: Path, left: int) -> None:
    machine = {"pObjectFormat": {"type": 1, "Reserved1": 0}, "lpwszAction": "DISCONNECT"}
    cut = talk(interface=msmq.QMMGMT).say(rpc.request(msmq.stub(msmq.QMMGMT, 1, Direction.IN, machine), 1, 2))
    *before, request = cut.packets
    packets = [*before, *snapped([request], min(24 + left, len(request.payload)))]
    found = local(path, packets, cut.ends)
    rows = found.tables.get("qmmgmt_R_QMMgmtAction", [])
    assert all(row["request"]["lpwszAction"] in (None, "DISCONNECT") for row in rows)
    assert "ndr-trailing-bytes" not in {issue["code"] for issue in found.tables["issues"]}


def test_single_character_is_read_as_the_idl_has_it(path: Path) -> None:
    object_only = msmq.stub(
        msmq.QMMGMT, 1, Direction.IN, {"pObjectFormat": {"type": 1, "Reserved1": 0}, "lpwszAction": ""}
    )
    literal = object_only[:8] + "P".encode("utf-16-le")
    asked = talk(interface=msmq.QMMGMT).say(rpc.request(literal, 1, 2))
    (row,) = local(path, asked.packets, asked.ends).tables["qmmgmt_R_QMMgmtAction"]
    assert (row["request"]["lpwszAction"], row["decode_state"]) == ("P", "full")


def test_bind_and_its_refusal_are_told(path: Path) -> None:
    refused = Talk(Ends(50_000)).open().say(rpc.bind(rpc.QM2QM)).answer(rpc.pdu(13, struct.pack("<HB", 8, 0)))
    bind, nak = local(path, refused.packets, refused.ends).tables["pdus"]
    assert bind["proposed"] == [
        {"ctx_id": 0, "interface_uuid": rpc.QM2QM, "interface_version": "1.0", "transfer_syntaxes": ["ndr"]}
    ]
    assert nak["reject_reason"] == "authentication_type_not_recognized"
    accepted = talk()
    *_, ack = local(path, accepted.packets, accepted.ends).tables["pdus"]
    assert ack["results"] == [{"result": "acceptance", "reason": None, "transfer_syntax": "ndr"}]


def test_malformed_tower_is_an_issue_and_no_endpoint(path: Path) -> None:
    mapper = talk(135, rpc.EPM)
    tower = {"tower_length": 4, "tower_octet_string": b"\x09\0\xff\xff"}
    request = {"obj": None, "map_tower": None, "entry_handle": None, "max_towers": 4}
    answer = {"entry_handle": None, "num_towers": 1, "ITowers": [tower], "status": 0}
    msmq.call(mapper, rpc.EPM, 3, request, answer, 2)
    found = local(path, mapper.packets, mapper.ends)
    assert found.tables.get("endpoints", []) == []
    assert {issue["code"] for issue in found.tables["issues"]} == {"tower-malformed"}


def test_property_of_another_shape_is_an_issue(path: Path) -> None:
    variant = {"vt": 65, "wReserved1": 0, "wReserved2": 0, "wReserved3": 0}
    blob = variant | {"_varUnion": {"blob": {"cbSize": 3, "pBlobData": b"abc"}}}
    queue = {"m_qft": 3, "m_SuffixAndFlags": 0, "m_reserved": 0, "m_pDirectID": "OS:a\\q"}
    asked = {"pObjectFormat": {"type": 2, "pQueueFormat": queue}, "cp": 1, "aProp": [13], "apVar": [blob]}
    manage = msmq.call(talk(interface=msmq.QMMGMT), msmq.QMMGMT, 0, asked, {"apVar": [blob], "return_value": 0}, 2)
    found = local(path, manage.packets, manage.ends)
    assert [issue["code"] for issue in found.tables["issues"]] == ["property-malformed"]
    (row,) = found.tables["qmmgmt_R_QMMgmtGetInfo"]
    assert row["properties"][0]["name"] == "PROPID_MGMT_QUEUE_EOD_LAST_ACK"


def test_one_server_cannot_crowd_out_the_announcements_of_another(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announced = AnnouncedEndpoints()

    def row(server: str, port: int, ts_ns: int = 9) -> Announcement:
        return {
            "host": server,
            "port": port,
            "interface_uuid": rpc.QM2QM,
            "interface_version": None,
            "protocol": "ncacn_ip_tcp",
            "id": {"orig_h": "10.0.0.5", "orig_p": 50_000, "resp_h": server, "resp_p": 135},
            "ts_ns": ts_ns,
            "uid": "C",
            "call_uid": "R",
            "capture_id": "",
            "frame": 1,
        }

    believed = [announced.note(row("10.0.0.9", port)) for port in range(30_000, 30_000 + MAX_LEARNED_OF_A_SERVER + 5)]
    assert believed == [True] * MAX_LEARNED_OF_A_SERVER + [False] * 5
    assert announced.note(row("10.0.0.2", 49_664))
    assert announced.note(row("10.0.0.2", 49_664, ts_ns=7))
    found_at = {"host": "10.0.0.2", "port": 49_664, "interface_uuid": rpc.QM2QM, "ts_ns": 7}
    assert found_at in announced.rows()
    monkeypatch.setattr("pipelines.calls.endpoints.MAX_LEARNED_OF_A_SERVER", 1)
    flood = talk(135, rpc.EPM)
    for port in range(3):
        msmq.map_endpoint(flood, rpc.QM2QM, 40_000 + port, "0.0.0.0", 2 + port)
    found = local(path, flood.packets, flood.ends)
    assert [issue["code"] for issue in found.tables["issues"]] == ["endpoints-not-followed"]
    assert len(found.tables["endpoints"]) == 3


def test_context_that_the_server_refused_is_not_inferred(path: Path) -> None:
    refusal = struct.pack("<HHIH", 5840, 5840, 77, 5) + b"2105\0" + b"\0" + struct.pack("<B3xHH20x", 1, 2, 1)
    asked = Talk(Ends(50_000, server_port=2105)).open().say(rpc.bind(rpc.QM2QM)).answer(rpc.pdu(rpc.BIND_ACK, refusal))
    msmq.receive(asked, b"LIOR" * 9, 2)
    found = local(path, asked.packets, asked.ends)
    (call,) = found.tables["calls"]
    assert (call["endpoint"], call["decode_state"]) == (None, "opaque")
    assert [issue["code"] for issue in found.tables["issues"]] == ["rpc-context-rejected"]
    refused = found.tables["pdus"][1]["results"]
    assert refused == [
        {"result": "provider_rejection", "reason": "abstract_syntax_not_supported", "transfer_syntax": None}
    ]


@pytest.mark.parametrize("syntax", list(Syntax))
def test_bind_with_two_syntaxes_and_no_answer_is_told_apart_by_the_stubs(path: Path, syntax: Syntax) -> None:
    both = rpc.bind(rpc.QM2QM)[:-20] + rpc._syntax(rpc.NDR, 2) + rpc._syntax("71710533-beba-4937-8319-b5dbef9ccc36", 1)
    both = both[:8] + struct.pack("<H", len(both)) + both[10:30] + b"\x02" + both[31:]
    answer = {"pphContext": None, "lpRemoteReadDesc": msmq.descriptor(b"message"), "return_value": 0}
    asked = Talk(Ends(50_000, server_port=49_700)).open().say(both)
    request = msmq.stub(rpc.QM2QM, 0, Direction.IN, {"lpRemoteReadDesc": msmq.descriptor()}, syntax)
    asked.say(rpc.request(request, 0, 2)).answer(
        rpc.response(msmq.stub(rpc.QM2QM, 0, Direction.OUT, answer, syntax), 2)
    )
    (call,) = local(path, asked.packets, asked.ends).tables["calls"]
    assert (call["interface_source"], call["transfer_syntax"]) == ("bind_unanswered", str(syntax))
    assert call["decode_state"] == "full"


def trailer(call_id: int, opnum: int) -> bytes:
    """bitmask, pcontext and header2: [MS-RPCE] 2.2.2.13."""
    syntaxes = rpc._syntax(rpc.QM2QM, 1) + rpc._syntax(rpc.NDR, 2)
    header2 = struct.pack("<BBH4sIHH", 0, 0, 0, b"\x10\0\0\0", call_id, 0, opnum)
    commands = struct.pack("<HH", 2, 40) + syntaxes + struct.pack("<HH", 0x4003, 16) + header2
    return bytes.fromhex("8ae3137102f43671") + commands


@pytest.mark.parametrize("padding", [0, 4, 12])
def test_padding_before_a_verification_trailer_is_no_issue(path: Path, padding: int) -> None:
    stub = msmq.stub(rpc.QM2QM, 6, Direction.IN, {"hQueue": 7}) + bytes(padding) + trailer(2, 6)
    asked = talk().say(rpc.request(stub, 6, 2))
    found = local(path, asked.packets, asked.ends)
    assert found.tables["issues"] == []
    assert found.tables["calls"][0]["request_bytes"] == 4 + padding


def test_parameter_that_ends_like_a_trailer_is_whole(path: Path) -> None:
    message = b"LIOR" * 3 + trailer(2, 0)
    stub = msmq.stub(rpc.QM2QM, 0, Direction.IN, {"lpRemoteReadDesc": msmq.descriptor(message)})
    assert stub.endswith(message)
    asked = talk().say(rpc.request(stub, 0, 2))
    found = local(path, asked.packets, asked.ends)
    (row,) = found.tables["qm2qm_RemoteQMStartReceive"]
    assert row["request"]["lpRemoteReadDesc"]["lpBuffer"]["size"] == len(message)
    assert row["decode_state"] == "full"


@pytest.mark.parametrize("lost", [1, 80, 399])
def test_message_cut_short_has_its_captured_size_and_no_hash(path: Path, lost: int) -> None:
    message = bytes(range(200)) * 2
    cut = msmq.receive(talk(), message, 2)
    *before, answer = cut.packets
    stub_end = len(answer.payload) - 4
    packets = [*before, *snapped([answer], stub_end - lost)]
    write_pcap(path, [one for packet in packets for one in frames(cut.ends, packet)])
    (row,) = Local(path, keep_payload=True).tables["qm2qm_RemoteQMStartReceive"]
    captured = message[: len(message) - lost]
    assert row["response"]["lpRemoteReadDesc"]["lpBuffer"] == {
        "size": len(captured),
        "sha256": None,
        "packet_size": None,
        "bytes": captured,
    }
    assert (row["decode_state"], row["response"]["return_value"]) == ("partial", None)
