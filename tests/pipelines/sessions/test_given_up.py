"""What a client gave up before it was answered may have been done: nothing that follows is told as certain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

GIVEN_UP: Final = "cancel x\nanswer x -> fault=0x1c00000d"
REFUSED: Final = "answer x -> fault=0x1c010014"
READ: Final = """
connect a
RemoteQmGetVersion
RemoteQMOpenQueue
RemoteQMStartReceive2 dwRequestID=1 -> pphContext=R1
ask x RemoteQMEndReceive pphContext=R1
{what}
{after}
close
"""
REMOTE_READ: Final = """
connect a interface RemoteRead
R_OpenQueue
R_StartReceive dwRequestId=5
ask x R_EndReceive dwRequestId=5
{what}
{after}
close
"""
CLOSED: Final = """
connect a
RemoteQMOpenQueue
ask x RemoteQMCloseQueue
{what}
{after}
close
"""
COMMITTED: Final = """
connect interface qmcomm
R_QMEnlistInternalTransaction
ask x R_QMCommitTransaction
{what}
{after}
close
"""
ENDS: Final = {
    "qm2qm read": (READ, "reads", "outcome", "rundown", "RemoteQMEndReceive pphContext=R1", "acked"),
    "RemoteRead read": (REMOTE_READ, "reads", "outcome", "rundown", "R_EndReceive dwRequestId=5", "acked"),
    "session": (CLOSED, "sessions", "state", "rundown", "RemoteQMCloseQueue", "closed"),
    "transaction": (COMMITTED, "transactions", "outcome", "rundown", "R_QMCommitTransaction", "committed"),
}


def judged(folder: Path, script: str) -> dict[str, list[dict[str, Any]]]:
    return Local(capture(folder, script)).judged()


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize(("what", "doubt"), [(GIVEN_UP, "times_cross"), (REFUSED, None)], ids=["given up", "refused"])
def test_an_end(name: str, what: str, doubt: str | None, tmp_path: Path) -> None:
    script, table, column, left, again, done = ENDS[name]
    (row,) = judged(tmp_path, script.format(what=what, after=""))[table]
    assert (row[column], row["doubt"]) == (left, doubt)
    (row,) = judged(tmp_path, script.format(what=what, after=f"wait 5s\n{again}"))[table]
    assert (row[column], row["doubt"]) == (done, None)


@pytest.mark.parametrize(("what", "outcome"), [(GIVEN_UP, "unknown"), (REFUSED, "failure")])
@pytest.mark.parametrize(
    ("opening", "purge"),
    [
        ("connect a\nRemoteQMOpenQueue", "RemoteQMPurgeQueue"),
        ("connect a interface RemoteRead\nR_OpenQueue", "R_PurgeQueue"),
        ("connect interface qmcomm\nrpc_QMOpenQueueInternal\nconnect m interface qmcomm2 group c", "rpc_ACPurgeQueue"),
    ],
)
def test_a_purge(opening: str, purge: str, what: str, outcome: str, tmp_path: Path) -> None:
    found = judged(tmp_path, f"{opening}\nask x {purge}\n{what}")
    (act,), (session,) = found["admin_actions"], found["sessions"]
    assert act["outcome"] == outcome
    assert (session["purges"], session["counts_doubt"] is None) == (0, outcome == "failure")


@pytest.mark.parametrize(("what", "outcome"), [(GIVEN_UP, "unknown"), (REFUSED, "failure")])
def test_a_send(what: str, outcome: str, tmp_path: Path) -> None:
    opening = "connect interface qmcomm\nrpc_QMOpenQueueInternal dwDesiredAccess=MQ_SEND_ACCESS"
    script = f"{opening}\nconnect m interface qmcomm2 group c\nask x rpc_ACSendMessageEx message=100/1\n{what}"
    (send,) = judged(tmp_path, script)["sends"]
    assert send["outcome"] == outcome


@pytest.mark.parametrize(("what", "outcome"), [(GIVEN_UP, "unknown"), (REFUSED, "failure")])
def test_an_act_of_management(what: str, outcome: str, tmp_path: Path) -> None:
    asked = 'ask x R_QMMgmtAction queue="DIRECT=OS:hq\\orders" lpwszAction="PAUSE"'
    (act,) = judged(tmp_path, f"connect interface qmmgmt\n{asked}\n{what}")["admin_actions"]
    assert act["outcome"] == outcome
