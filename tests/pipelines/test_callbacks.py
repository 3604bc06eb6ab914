"""A server that asks back: its calls are decoded by the table of callbacks, and paired inside the client's call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from decoders.interfaces import dscomm
from decoders.ndr.model import Direction
from tests.builders import msmq, rpc
from tests.builders.conversations import Ends, Talk, frames, write_pcap
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path

UUID = dscomm.INTERFACE.uuid
CLIENT_TOKENS = (b"NTLMSSP\0\x01", b"NTLMSSP\0\x03")
SERVER_TOKEN = b"NTLMSSP\0\x02"
CONTINUE_NEEDED = 0x90312
ENTERPRISE = "11223344-5566-7788-99aa-bbccddeeff00"
VALIDATE, INIT_SEC_CTX = 22, 2
Row = dict[str, Any]


def validated(ends: Ends, *, bound: bool = True) -> Talk:
    """S_DSValidateServer, in which the server asks S_InitSecCtx twice, under the same call id."""
    talk = msmq.bound(Talk(ends), UUID) if bound else Talk(ends).join()
    asked = {
        "pguidEnterpriseId": ENTERPRISE,
        "fSetupMode": 0,
        "dwContext": 5,
        "dwClientBuffMaxSize": 4096,
        "pClientBuff": CLIENT_TOKENS[0],
        "dwClientBuffSize": len(CLIENT_TOKENS[0]),
    }
    talk.say(rpc.request(msmq.stub(UUID, VALIDATE, Direction.IN, asked), VALIDATE, 2))
    for status in (CONTINUE_NEEDED, 0):
        question = {
            "dwContext": 5,
            "pServerbuff": SERVER_TOKEN,
            "dwServerBuffSize": len(SERVER_TOKEN),
            "dwClientBuffMaxSize": 4096,
        }
        reply = {"pClientBuff": CLIENT_TOKENS[1], "pdwClientBuffSize": len(CLIENT_TOKENS[1]), "return_value": status}
        talk.answer(rpc.request(_callback(Direction.IN, question), INIT_SEC_CTX, 2))
        talk.say(rpc.response(_callback(Direction.OUT, reply), 2))
    answer = {"pphServerAuth": msmq.HANDLE, "return_value": 0}
    return talk.answer(rpc.response(msmq.stub(UUID, VALIDATE, Direction.OUT, answer), 2))


def _callback(direction: Direction, values: Row) -> bytes:
    return msmq.stub(UUID, INIT_SEC_CTX, direction, values, callback=True)


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, list[Row]]:
    talk = validated(Ends(50_000, server_port=2101))
    write_pcap(tmp_path / "one.pcap", [one for packet in talk.packets for one in frames(talk.ends, packet)])
    local = Local(tmp_path / "one.pcap")
    assert local.imbalances() == []
    return local.tables


def test_calls_name_the_operation_of_either_side(tables: dict[str, list[Row]]) -> None:
    calls = sorted(tables["calls"], key=lambda call: int(call["ts_ns"]))
    assert [(call["operation"], call["is_callback"], call["opnum"], call["status"]) for call in calls] == [
        ("S_DSValidateServer", False, VALIDATE, 0),
        ("S_InitSecCtx", True, INIT_SEC_CTX, CONTINUE_NEEDED),
        ("S_InitSecCtx", True, INIT_SEC_CTX, 0),
    ]
    assert {(call["endpoint"], call["decode_state"], call["outcome"], call["call_id"]) for call in calls} == {
        ("dscomm", "full", "answered", 2)
    }
    assert [call["interface_source"] for call in calls] == ["bind", "outer_call", "outer_call"]
    assert tables["issues"] == []


def test_what_the_server_asked_is_the_request(tables: dict[str, list[Row]]) -> None:
    first, second = sorted(tables["dscomm_S_InitSecCtx"], key=lambda row: int(row["ts_ns"]))
    assert first["request"]["pServerbuff"] == second["request"]["pServerbuff"] == SERVER_TOKEN
    assert first["response"]["pClientBuff"] == CLIENT_TOKENS[1]
    assert first["id"]["resp_p"] == 2101
    (outer,) = tables["dscomm_S_DSValidateServer"]
    assert outer["request"]["pClientBuff"] == CLIENT_TOKENS[0]
    assert outer["response"]["pphServerAuth"] == msmq.HANDLE


def test_no_other_table_takes_a_callback(tables: dict[str, list[Row]]) -> None:
    assert "dscomm_S_DSGetProps" not in tables


def test_callback_in_a_call_of_an_unknown_interface_is_opaque(tmp_path: Path) -> None:
    talk = validated(Ends(50_000, server_port=2101), bound=False)
    # Without the call around it nothing tells what is asked back.
    write_pcap(tmp_path / "cut.pcap", [one for packet in talk.packets[1:] for one in frames(talk.ends, packet)])
    local = Local(tmp_path / "cut.pcap")
    assert local.imbalances() == []
    assert {(call["operation"], call["decode_state"]) for call in local.tables["calls"]} == {(None, "opaque")}
