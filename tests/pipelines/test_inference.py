"""Connections whose bind was not captured: an interface is inferred by shape or not at all."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from decoders.interfaces import qmcomm, remoteread
from ingest.choice import Choice, Scope
from tests.builders import msmq, rpc
from tests.builders.conversations import Ends, Talk, frames, write_pcap
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path

MESSAGE = b"LIOR" * 40
SERVER = b"\x0a\0\0\2"
Row = dict[str, Any]


def calls(path: Path, talk: Talk, choice: Choice | None = None) -> list[Row]:
    write_pcap(path, [one for packet in talk.packets for one in frames(talk.ends, packet)])
    local = Local(path, choice=choice)
    assert local.imbalances() == []
    return sorted(local.tables["calls"], key=lambda call: int(call["ts_ns"]))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "capture.pcap"


def joined(port: int = 2105) -> Talk:
    return Talk(Ends(50_000, server_port=port)).join()


def test_port_and_shape_together_name_the_interface_of_earlier_calls_too(path: Path) -> None:
    talk = msmq.purge(msmq.receive(msmq.purge(joined(), 1), MESSAGE, 2), 3)
    found = calls(path, talk)
    assert [call["operation"] for call in found] == ["RemoteQMPurgeQueue", "RemoteQMStartReceive", "RemoteQMPurgeQueue"]
    assert {call["interface_source"] for call in found} == {"port"}
    assert {(call["endpoint"], call["transfer_syntax"]) for call in found} == {("qm2qm", "ndr")}


def test_four_bytes_are_no_purge(path: Path) -> None:
    found = calls(path, msmq.purge(msmq.purge(joined(), 1), 2))
    assert [(call["opnum"], call["endpoint"], call["decode_state"]) for call in found] == [(6, None, "opaque")] * 2


def test_stub_that_fits_no_candidate_keeps_the_whole_context_unknown(path: Path) -> None:
    talk = joined().say(rpc.request(b"\x01" * 7, 3, 1)).answer(rpc.response(b"\x02" * 5, 1))
    found = calls(path, msmq.receive(talk, MESSAGE, 2))
    assert [call["endpoint"] for call in found] == [None, None]


def test_null_pointers_are_no_shape(path: Path) -> None:
    talk = joined().say(rpc.request(b"\0\0\0\0ABCDEFGHIJKL", 9, 1)).say(rpc.request(bytes(44), 0, 2))
    found = calls(path, msmq.purge(talk, 3))
    assert {(call["endpoint"], call["decode_state"]) for call in found} == {(None, "opaque")}


def test_later_contradiction_takes_the_interface_away(path: Path) -> None:
    talk = msmq.purge(msmq.receive(joined(), MESSAGE, 1), 2)
    assert [call["endpoint"] for call in calls(path, talk)] == ["qm2qm", "qm2qm"]
    talk.say(rpc.request(bytes(4), 6, 3)).answer(rpc.response(bytes(40), 3))
    assert [call["endpoint"] for call in calls(path, talk)] == [None, None, None]


def test_operation_that_the_server_refuses_contradicts_nothing(path: Path) -> None:
    talk = msmq.receive(joined(), MESSAGE, 1).say(rpc.request(b"?", 11, 2))
    talk.answer(rpc.pdu(3, struct.pack("<IHBxII", 0, 0, 0, 0x1C010002, 0), 2))
    assert [(call["endpoint"], call["fault_name"]) for call in calls(path, talk)] == [
        ("qm2qm", None),
        ("qm2qm", "nca_op_rng_error"),
    ]


def test_calls_that_wait_for_a_decision_are_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.calls.batches.MAX_UNDECIDED_BYTES", 40)
    talk = joined()
    for call in range(1, 9):
        msmq.purge(talk, call)
    for call in range(9, 12):
        msmq.receive(talk, MESSAGE, call)
    found = calls(path, talk)
    # Pushed out before anything had told what they are.
    assert [call["endpoint"] for call in found] == [None] * 3 + ["qm2qm"] * 8


def test_interfaces_of_one_port_are_told_apart_by_shape(path: Path) -> None:
    queue = {"m_qft": 3, "m_SuffixAndFlags": 0, "m_reserved": 0, "m_pDirectID": "OS:srv\\q"}
    remote = dict.fromkeys(("dwAccess", "dwShareMode", "fNonRoutingServer", "Major", "Minor", "BuildNumber"), 0)
    opened = remote | {"pQueueFormat": queue, "pClientId": msmq.HANDLE, "fWorkgroup": 0}
    talk = msmq.call(joined(2103), remoteread.INTERFACE.uuid, 2, opened, {"pphContext": msmq.HANDLE})
    (call,) = calls(path, talk)
    assert (call["endpoint"], call["operation"], call["interface_source"]) == ("RemoteRead", "R_OpenQueue", "port")
    deleted = {"pObjectFormat": {"ObjType": 1, "pQueueFormat": queue}}
    talk = msmq.call(joined(2103), qmcomm.INTERFACE.uuid, 9, deleted, {"return_value": 0})
    (call,) = calls(path, talk)
    assert (call["endpoint"], call["operation"], call["status"]) == ("qmcomm", "R_QMDeleteObject", 0)


def test_typed_rows_say_that_they_are_inferred(path: Path) -> None:
    write_pcap(
        path, [one for packet in msmq.receive(joined(), MESSAGE).packets for one in frames(joined().ends, packet)]
    )
    (row,) = Local(path).tables["qm2qm_RemoteQMStartReceive"]
    assert (row["interface_source"], row["outcome"]) == ("port", "answered")


def test_announced_endpoint_gives_candidates_where_the_port_says_nothing(path: Path) -> None:
    talk = msmq.receive(joined(49_664), MESSAGE)
    assert [call["endpoint"] for call in calls(path, talk, Choice(Scope.RPC))] == [None]
    learned = {(SERVER, 49_664): {rpc.QM2QM: 0}}
    (call,) = calls(path, talk, Choice(learned=learned))
    assert (call["endpoint"], call["interface_source"]) == ("qm2qm", "endpoint_mapper")
    other = {(SERVER, 49_664): {msmq.QMMGMT: 0}}
    assert [call["endpoint"] for call in calls(path, talk, Choice(learned=other))] == [None]


def test_endpoint_mapper_is_inferred_by_its_port(path: Path) -> None:
    talk = msmq.map_endpoint(joined(135), rpc.QM2QM, 49_700, "10.0.0.2")
    (call,) = calls(path, talk)
    assert (call["endpoint"], call["operation"], call["interface_source"]) == ("epm", "ept_map", "port")


def test_bind_without_its_answer_is_told_as_such(path: Path) -> None:
    talk = Talk(Ends(50_000, server_port=49_700)).open().say(rpc.bind(rpc.QM2QM))
    (call,) = calls(path, msmq.receive(talk, MESSAGE, 2))
    assert (call["endpoint"], call["interface_source"], call["decode_state"]) == ("qm2qm", "bind_unanswered", "full")


def test_another_major_version_is_another_interface(path: Path) -> None:
    bind = rpc.bind(rpc.QM2QM).replace(b"\x01\0\0\0" + rpc._syntax(rpc.NDR, 2), b"\x02\0\0\0" + rpc._syntax(rpc.NDR, 2))
    talk = Talk(Ends(50_000)).open().say(bind).answer(rpc.bind_ack())
    (call,) = calls(path, msmq.receive(talk, MESSAGE, 2))
    assert (call["interface_version"], call["operation"], call["decode_state"]) == (
        "2.0",
        None,
        "opaque",
    )
