"""What R_QMMgmtAction did shows in what R_QMMgmtGetInfo answers next, unless somebody was seen to change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.rules.fixtures import accused, judge_script

if TYPE_CHECKING:
    from pathlib import Path

PAUSE = 'R_QMMgmtAction queue="OS:far\\private$\\orders" lpwszAction="PAUSE"'
RESUME = 'R_QMMgmtAction queue="OS:far\\private$\\orders" lpwszAction="Resume"'
STATE = 'R_QMMgmtGetInfo queue="OS:far\\private$\\orders" aProp=[PROPID_MGMT_QUEUE_STATE] -> apVar=["{}"]'
MACHINE = 'R_QMMgmtGetInfo aProp=[PROPID_MGMT_MSMQ_CONNECTED] -> apVar=["{}"]'


@pytest.mark.parametrize(
    ("calls", "reported"),
    [
        ([PAUSE, STATE.format("ONHOLD")], False),
        ([PAUSE, STATE.format("CONNECTED")], True),
        ([PAUSE, RESUME, STATE.format("INACTIVE")], False),
        ([PAUSE, RESUME, STATE.format("ONHOLD")], True),
        ([f"{PAUSE} -> status=MQ_ERROR", STATE.format("CONNECTED")], False),
        ([PAUSE, STATE.format("LOCAL CONNECTION")], False),
        (['R_QMMgmtAction lpwszAction="DISCONNECT"', MACHINE.format("DISCONNECTED")], False),
        (['R_QMMgmtAction lpwszAction="DISCONNECT"', MACHINE.format("CONNECTED")], True),
        (['R_QMMgmtAction lpwszAction="CONNECT"', MACHINE.format("DISCONNECTED")], True),
        (['R_QMMgmtAction lpwszAction="TIDY"', MACHINE.format("DISCONNECTED")], False),
    ],
)
def test_what_an_action_did_is_answered(calls: list[str], reported: bool, tmp_path: Path) -> None:
    script = "\n".join(["connect interface qmmgmt", *calls, "close", ""])
    assert ("detect-changed-unseen" in accused(judge_script(script, tmp_path))) == reported
