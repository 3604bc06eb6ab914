"""A server that was started again gives an old number to a new association: what was open before is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.pipelines.sessions.telling import columns, told

if TYPE_CHECKING:
    from pathlib import Path

MISMATCH: Final = "fault=nca_s_fault_context_mismatch"
QM2QM: Final = f"""
connect q
q: RemoteQMOpenQueue hQueue=7 -> phContext=S1
q: RemoteQMOpenQueue hQueue=8 -> phContext=S2
wait 40s
connect r group q
reset q
r: RemoteQMCloseQueue pphContext=S1 -> {MISMATCH}
close r
"""
REMOTE_READ: Final = f"""
connect q interface RemoteRead
q: R_OpenQueue -> pphContext=RR1
wait 40s
connect r group q interface RemoteRead
reset q
r: R_PurgeQueue phContext=RR1 -> {MISMATCH}
close r
"""
TRANSACTION: Final = f"""
connect q interface qmcomm
q: rpc_QMOpenQueueInternal -> phQueue=Q1
q: R_QMEnlistInternalTransaction
wait 40s
connect r group q interface qmcomm
reset q
r: rpc_ACCloseHandle phQueue=Q1 -> {MISMATCH}
close r
"""
RECEIVED: Final = f"""
connect q
q: RemoteQmGetVersion
q: RemoteQMOpenQueue hQueue=7 -> phContext=S1
q: RemoteQMStartReceive2 hRemoteQueue=7 dwRequestID=1 -> pphContext=R1
q: RemoteQMStartReceive2 hRemoteQueue=7 dwRequestID=2 -> pphContext=R2
wait 40s
connect r group q
reset q
r: RemoteQMEndReceive pphContext=R1 -> {MISMATCH}
close r
"""
SERVED: Final = QM2QM.replace(f" -> {MISMATCH}", "")
GIVEN_SINCE: Final = QM2QM.replace("close r", "r: RemoteQMOpenQueue hQueue=9 -> phContext=S3\nclose r")
SAME_SERVER: Final = f"""
connect q
q: RemoteQMOpenQueue hQueue=7 -> phContext=S1
q: RemoteQMOpenQueue hQueue=8 -> phContext=S2
wait 40s
q: RemoteQMCloseQueue pphContext=S1 -> {MISMATCH}
close q
"""
FORGOTTEN: Final = ("not_decidable", "ending_unknown")


@pytest.mark.parametrize(
    ("script", "rules"),
    [
        (QM2QM, {"mqqp-queue-closed"}),
        (REMOTE_READ, {"mqrr-queue-closed"}),
        (TRANSACTION, {"mqmp-transaction-ended"}),
        (RECEIVED, {"mqqp-queue-closed", "mqqp-receive-completed"}),
    ],
)
def test_nobody_need_end_what_the_server_has_forgotten(script: str, rules: set[str], tmp_path: Path) -> None:
    tables = told(tmp_path, script)
    found = {(row["rule_id"], row["verdict"], row["reason"]) for row in tables["findings"]}
    assert {one for one in found if one[0] in rules} == {(rule, *FORGOTTEN) for rule in rules}
    assert set(columns(tables["sessions"], "state", "severed_by")) == {("rundown", None)}


@pytest.mark.parametrize("script", [QM2QM, REMOTE_READ, RECEIVED, TRANSACTION])
def test_it_is_run_down_although_a_connection_goes_on(script: str, tmp_path: Path) -> None:
    """One that began after the server was started again, and that the capture does not see the end of."""
    tables = told(tmp_path, script.replace("close r", ""))
    assert set(columns(tables["sessions"], "state", "doubt")) == {("rundown", None)}
    assert {row["outcome"] for row in (*tables["reads"], *tables["transactions"])} <= {"rundown"}
    assert "violation" not in {row["verdict"] for row in tables["findings"]}


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(SERVED, id="it knows the handle"),
        pytest.param(GIVEN_SINCE, id="one was given since"),
        pytest.param(SAME_SERVER, id="the connection is older than the handle"),
    ],
)
def test_what_it_has_not_forgotten_is_closed(script: str, tmp_path: Path) -> None:
    findings = [row for row in told(tmp_path, script)["findings"] if row["rule_id"] == "mqqp-queue-closed"]
    assert "violation" in {row["verdict"] for row in findings}


def test_close_in_another_association_may_be_of_another_queue(tmp_path: Path) -> None:
    """An end and an open were missed in between: a server that was started again may give a handle again."""
    script = """
        connect q interface RemoteRead
        q: R_OpenQueue -> pphContext=RR1
        wait 5s
        connect r interface RemoteRead
        r: R_CloseQueue pphContext=RR1
        close r
    """
    assert columns(told(tmp_path, script)["sessions"], "state", "doubt") == [("closed", "open_not_seen")]


RESET_BEFORE: Final = """
connect q
q: RemoteQMOpenQueue hQueue=7 -> phContext=S1
connect r group q
wait 40s
{reset}
r: RemoteQmGetVersion
wait 40s
close r
"""


@pytest.mark.parametrize("reset", ["reset q", "reset q by server"])
def test_after_a_reset_nobody_knows_whether_it_was_still_open(reset: str, tmp_path: Path) -> None:
    """A server that was started again resets what is left from before, and may number the new association alike."""
    found = told(tmp_path, RESET_BEFORE.format(reset=reset))
    verdicts = {row["verdict"] for row in found["findings"] if row["rule_id"] == "mqqp-queue-closed"}
    assert verdicts == {"not_decidable"}


def test_what_was_honoured_says_nothing_of_what_is_older(tmp_path: Path) -> None:
    """Seed 1400530 of the conforming parties: an old connection is reset long after the server was started again."""
    script = """
        connect q
        q: RemoteQMOpenQueue hQueue=7 -> phContext=S1
        wait 40s
        connect r group q
        r: RemoteQMOpenQueue hQueue=8 -> phContext=S2
        reset q by server
        r: RemoteQMCloseQueue pphContext=S2
        wait 40s
        close r
    """
    findings = [row for row in told(tmp_path, script)["findings"] if row["rule_id"] == "mqqp-queue-closed"]
    assert {row["verdict"] for row in findings} == {"not_decidable"}


def test_a_handle_used_before_it_was_given_was_given_earlier(tmp_path: Path) -> None:
    """Seed 1400458: the answer to the open was captured too late, behind the close on another connection."""
    script = """
        connect q
        connect r group q
        q: ask a RemoteQMOpenQueue hQueue=7
        r: RemoteQMCloseQueue pphContext=S1
        answer a -> phContext=S1
        close r
        close q
    """
    found = told(tmp_path, script)
    assert {row["verdict"] for row in found["findings"] if row["rule_id"] == "mqqp-queue-closed"} <= {"not_decidable"}
    assert ("rundown", "times_cross") in columns(found["sessions"], "state", "doubt")


def test_a_message_that_comes_after_the_close_has_nothing_to_end_it_with(tmp_path: Path) -> None:
    """Seed 1600299: the receive waits on one connection while the queue is closed on another."""
    script = """
        connect q interface RemoteRead
        connect r group q interface RemoteRead
        q: R_OpenQueue -> pphContext=RR1
        r: ask a R_StartReceive phContext=RR1 dwRequestId=1 ulTimeout=3000
        q: R_CloseQueue pphContext=RR1
        answer a
        close q
        close r
    """
    findings = [row for row in told(tmp_path, script)["findings"] if row["rule_id"] == "mqrr-receive-completed"]
    assert {row["verdict"] for row in findings} == {"not_decidable"}


def test_what_is_open_at_the_end_after_a_reset_is_in_doubt(tmp_path: Path) -> None:
    """Seed 1700370: the server was started again while another connection of the association says nothing."""
    script = """
        connect q interface RemoteRead
        q: R_OpenQueue -> pphContext=RR1
        connect r group q interface RemoteRead
        wait 40s
        reset q by server
        wait 40s
        connect x interface RemoteRead
        x: R_GetServerPort
    """
    assert ("open_at_end", "reset") in columns(told(tmp_path, script)["sessions"], "state", "doubt")
