"""Acts through MSMQ's objects are told by the detections that know them from other protocols, late-bound as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.mqac.conversations import conversation
from tests.pipelines.rules.fixtures import accused, judge_script

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pipelines.rules.fixtures import Row

_NAMED = r'IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"'
_OPENED = f"{_NAMED}\nIMSMQQueueInfo4.Open object=I Access=1 -> gives=[Q]"
_INIT = r'IMSMQManagement.Init object=G FormatName="DIRECT=OS:hq\private$\q{0}"'
_MANY = "\n".join(_INIT.format(number) for number in range(10))
_LISTED = r'IMSMQApplication3.ActiveQueues object=A -> result=[0x2008, ["DIRECT=OS:hq\private$\q1"]]'
ACTS = {
    "detect-purge": (f"{_OPENED}\nIMSMQQueue4.Purge object=Q", "MSMQQueueInfo=I"),
    "detect-rights-for-anybody": (f"{_NAMED}\nIMSMQQueueInfo4.Create object=I IsWorldReadable=true", "MSMQQueueInfo=I"),
    "detect-service-disruption": ("IMSMQApplication3.Disconnect object=A", "MSMQApplication=A"),
    "detect-queue-enumeration": (f"{_LISTED}\n{_MANY}", "MSMQApplication=A", "MSMQManagement=G"),
}
"""What they report, and the objects that it begins with."""
REFUSED = {
    "detect-purge": (f"{_OPENED}\nIMSMQQueue4.Purge object=Q -> status=0xC00E0025", "MSMQQueueInfo=I"),
    "detect-rights-for-anybody": (f"{_NAMED}\nIMSMQQueueInfo4.Create object=I", "MSMQQueueInfo=I"),
    "detect-service-disruption": ("IMSMQApplication3.Disconnect object=A -> status=0xC00E0025", "MSMQApplication=A"),
    "detect-queue-enumeration": (_INIT.format(1), "MSMQManagement=G"),
}
_SCRIPTED = {"detect-queue-changed-by-script"}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("rule", ACTS)
def test_an_act_by_an_object_is_reported(rule: str, late: bool, tmp_path: Path) -> None:
    body, *objects = ACTS[rule]
    assert accused(judge_script(conversation(body, *objects, late=late), tmp_path)) - _SCRIPTED == {rule}


@pytest.mark.parametrize("rule", REFUSED)
def test_an_act_that_came_to_nothing_is_not(rule: str, tmp_path: Path) -> None:
    body, *objects = REFUSED[rule]
    tables = judge_script(conversation(body, *objects), tmp_path)
    assert accused(tables) == set()
    assert [row for row in tables["verdicts"] if row["rule_id"] == rule and row["verdict"] == "pass"]


def test_enumeration_says_which_lists_were_read(tmp_path: Path) -> None:
    body, *objects = ACTS["detect-queue-enumeration"]
    (found,) = _findings(judge_script(conversation(body, *objects), tmp_path), "detect-queue-enumeration")
    values = {one["name"]: one["value"] for one in found["evidence"]["values"]}
    assert values == {"queues": "10", "lists read before": "PROPID_MGMT_MSMQ_ACTIVEQUEUES"}


def test_a_finding_names_the_queue_and_the_session(tmp_path: Path) -> None:
    body, *objects = ACTS["detect-purge"]
    tables = judge_script(conversation(body, *objects), tmp_path)
    (found,) = _findings(tables, "detect-purge")
    (session,) = tables["sessions"]
    assert (found["queue_name"], found["named_by"]) == (r"hq\private$\orders", "object")
    assert found["session_uid"] == session["session_uid"]


def _findings(tables: dict[str, list[Row]], rule: str) -> list[Row]:
    return [row for row in tables["findings"] if row["rule_id"] == rule]


_BREACH = f"{_OPENED}\nIMSMQQueue4.Close object=Q\nIMSMQQueue4.Purge object=Q"


@pytest.mark.parametrize("late", [False, True])
def test_a_breach_is_held_against_a_server_however_it_was_called(late: bool, tmp_path: Path) -> None:
    tables = judge_script(conversation(_BREACH, "MSMQQueueInfo=I", late=late), tmp_path)
    assert accused(tables) == {"mqac-queue-closed", "detect-purge"}


def test_of_two_calls_at_once_nobody_knows_which_came_first(tmp_path: Path) -> None:
    """IsOpen may have been answered before Close was done."""
    told = "IMSMQQueue4.get_IsOpen object=Q -> result=1"
    body = f"{_OPENED}\n{told}\nask p IMSMQQueue4.Close object=Q\no: {told}\nanswer p"
    tables = judge_script(conversation(body, "MSMQQueueInfo=I"), tmp_path)
    assert accused(tables) == set()
    verdicts = {(row["verdict"], row["reason"]) for row in tables["verdicts"] if row["rule_id"] == "mqac-is-open"}
    assert verdicts == {("pass", None)}
