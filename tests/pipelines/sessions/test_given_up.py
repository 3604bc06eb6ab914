"""Calls that the client gives up at RPC's level: cancelled, not refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.local import Local
from tests.scripts.player import capture, play, write

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
STARTS = ("RemoteQMStartReceive", "R_StartReceive", "rpc_ACReceiveMessageEx")
READS = {
    "qm2qm": "connect\nRemoteQMOpenQueue\nask A RemoteQMStartReceive",
    "RemoteRead": "connect interface RemoteRead\nR_OpenQueue\nask A R_StartReceive",
    "qmcomm2": "connect a interface qmcomm\nconnect b interface qmcomm2 group a\nrpc_QMOpenQueueInternal\n"
    "ask A rpc_ACReceiveMessageEx",
}
CLOSES = {"qm2qm": "RemoteQMCloseQueue", "RemoteRead": "R_CloseQueue", "qmcomm2": "rpc_ACCloseHandle"}
ENDS = {
    "cancel A\nanswer A -> fault=nca_s_fault_cancel": "cancelled",
    "cancel A": "cancelled",
    "orphan A": "orphaned",
    "orphan A\nanswer A -> fault=0x71A": "orphaned",
}


def run(folder: Path, script: str) -> tuple[Row, dict[str, list[Row]]]:
    return told(capture(folder, script))


def told(path: Path) -> tuple[Row, dict[str, list[Row]]]:
    found = Local(path)
    assert found.imbalances() == []
    (call,) = [row for row in found.tables["calls"] if row["operation"] in STARTS]
    return call, found.judged()


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("interface", READS)
def test_a_call_given_up_is_told_so_and_its_read_is_cancelled(tmp_path: Path, interface: str, end: str) -> None:
    call, judged = run(tmp_path, f"{READS[interface]}\n{end}\n{CLOSES[interface]}\nclose")
    said = call["outcome"], call["cancel_sent"], call["orphaned"]
    assert said == (ENDS[end], end.startswith("cancel"), end.startswith("orphan"))
    (read,) = judged["reads"]
    assert read["outcome"] == "cancelled"
    assert [row["rule_id"] for row in judged["findings"] if row["verdict"] == "violation"] == []


def test_a_fault_of_cancel_says_it_also_where_the_cancel_was_not_captured(tmp_path: Path) -> None:
    frames = play(f"{READS['qm2qm']}\ncancel A\nanswer A -> fault=nca_s_fault_cancel\nclose")
    write(tmp_path / "lost.pcap", [one for one in frames if one.about != "cancel"])
    call, judged = told(tmp_path / "lost.pcap")
    assert (call["outcome"], call["cancel_sent"]) == ("faulted", False)
    (read,) = judged["reads"]
    assert read["outcome"] == "cancelled"


def test_a_call_that_was_answered_all_the_same_is_answered(tmp_path: Path) -> None:
    call, judged = run(tmp_path, f"{READS['qm2qm']}\ncancel A\nanswer A\nRemoteQMEndReceive\nclose")
    assert (call["outcome"], call["cancel_sent"]) == ("answered", True)
    (read,) = judged["reads"]
    assert read["outcome"] == "acked"


def test_another_fault_is_the_servers_own(tmp_path: Path) -> None:
    call, judged = run(tmp_path, f"{READS['qm2qm']}\ncancel A\nanswer A -> fault=5\nclose")
    assert call["outcome"] == "faulted"
    (read,) = judged["reads"]
    assert read["outcome"] == "failed"
