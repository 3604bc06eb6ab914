"""What is named by a number or a handle may be another by now, where something was missed: then it is in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.sessions.telling import columns, told, violations

if TYPE_CHECKING:
    from pathlib import Path

READ = ("outcome", "doubt")
ENDS = "R_EndReceive dwRequestId=1 dwAck=RR_ACK lost -> lost"


@pytest.mark.parametrize(
    ("between", "reads"),
    [
        # Nothing is missing.
        ("R_EndReceive dwRequestId=1 dwAck=RR_ACK", [("acked", None), ("nacked", None)]),
        # The end of the first is missing.
        (ENDS, [("rundown", "bytes_missing"), ("nacked", "bytes_missing")]),
    ],
)
def test_request_id_is_used_again(tmp_path: Path, between: str, reads: list[tuple[str, str | None]]) -> None:
    """[MS-MQRR] 3.1.4.7: not before the end of the read that had it, so that this one was ended out of sight."""
    script = f"""
        connect interface RemoteRead
        R_OpenQueue
        R_StartReceive dwRequestId=1 -> message=40/1
        {between}
        R_StartReceive dwRequestId=1 -> message=40/2
        R_EndReceive dwRequestId=1 dwAck=RR_NACK
        R_CloseQueue
        close
    """
    tables = told(tmp_path, script)
    assert columns(tables["reads"], *READ) == reads
    assert violations(tables) == set()


@pytest.mark.parametrize(
    ("end", "outcome"),
    [("R_EndReceive dwRequestId=1 dwAck=RR_NACK", "nacked"), ("R_CancelReceive dwRequestId=1", "cancelled")],
)
def test_request_id_was_used_again_out_of_sight(tmp_path: Path, end: str, outcome: str) -> None:
    script = f"""
        connect interface RemoteRead
        R_OpenQueue
        R_StartReceive dwRequestId=1 -> message=40/1
        {ENDS}
        R_StartReceive dwRequestId=1 lost -> message=40/2 lost
        {end}
        R_CloseQueue
        close
    """
    tables = told(tmp_path, script)
    assert columns(tables["reads"], *READ) == [(outcome, "bytes_missing")]


def test_cancel_of_qm2qm_may_mean_another(tmp_path: Path) -> None:
    script = """
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2 dwRequestID=1 -> pphContext=A message=40
        RemoteQMEndReceive pphContext=A lost -> lost
        RemoteQMStartReceive2 dwRequestID=1 lost -> pphContext=B message=40 lost
        RemoteQMCancelReceive dwRequestID=1
        RemoteQMCloseQueue
        close
    """
    assert columns(told(tmp_path, script)["reads"], *READ) == [("cancelled", "bytes_missing")]


def test_handle_is_taken_in_another_association(tmp_path: Path) -> None:
    """[MS-RPCE] 3.3.1.4.1: it is another one, given out of sight by a server that was started again."""
    script = """
        connect a
        a: RemoteQMOpenQueue
        a: RemoteQMStartReceive2 dwRequestID=1 -> pphContext=A message=40
        connect b asks 9 lose bind_ack
        b: RemoteQMEndReceive pphContext=A
        connect x interface qmcomm
        x: rpc_QMOpenQueueInternal
        x: R_QMEnlistInternalTransaction transaction=T1
        connect y interface qmcomm asks 9 lose bind_ack
        y: R_QMCommitTransaction
        connect z interface qmcomm2 asks 9 lose bind_ack
        z: rpc_ACSendMessageEx
    """
    tables = told(tmp_path, script)
    assert columns(tables["reads"], *READ) == [("acked", "started_midstream")]
    assert columns(tables["transactions"], *READ) == [("committed", "started_midstream")]
    assert columns(tables["sends"], "doubt") == [("started_midstream",)]


def test_session_that_seemed_over_goes_on(tmp_path: Path) -> None:
    """On a connection of its association that was not seen before: the read may be of either session."""
    script = """
        connect a grants 7 midstream
        connect b asks 7 grants 7
        b: RemoteQMOpenQueue hQueue=11 pQueue=11 dwpContext=11
        reset b
        a: RemoteQMStartReceive2 hRemoteQueue=11 ulAction=PEEK_CURRENT -> pphContext=null message=40
        close a
    """
    tables = told(tmp_path, script)
    assert columns(tables["sessions"], "state", "doubt") == [
        ("rundown", "started_midstream"),
        ("open_not_seen", "started_midstream"),
    ]
    assert columns(tables["reads"], *READ) == [("peeked", "started_midstream")]
