"""Objects that live longer than a capture: a dataset that grows tells what one run over all of it tells."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from tests.pipelines.dataset.growing import add, read
from tests.pipelines.mqac.conversations import conversation
from tests.scripts.player import captures

if TYPE_CHECKING:
    from pathlib import Path

TABLES = (
    *("sessions", "reads", "sends", "transactions", "admin_actions", "message_sightings", "messages", "queues"),
    "hosts",
)
OPENED = r"""
IMSMQQueueInfo4.put_PathName object=I bstrPathName="branch7\private$\orders"
IMSMQQueueInfo4.Open object=I Access=1 -> gives=[Q]
"""
LATER = """
connect two interface IMSMQQueue4 tap b
alter interface IMSMQMessage4
IMSMQQueue4.Receive object=Q -> gives=[M]
IMSMQMessage4.get_Body object=M -> result="secret"
IMSMQMessage4.get_Id object=M -> result=[0x2011, "1111111122223333444455555555555507000000"]
close
connect three interface IMSMQQueue4 tap c
IMSMQQueue4.Purge object=Q
IMSMQQueue4.Close object=Q
close
"""
ELSEWHERE = r"""
connect m from 10.0.0.9 to 10.0.0.20 interface qmmgmt user HQ$ tap b
o: ask X IMSMQApplication3.get_IsConnected object=A
m: R_QMMgmtGetInfo type=1 aProp=[4]
answer X
close m
"""
NAMED = 'IMSMQApplication3.put_Machine object=A bstrMachine="branch7"'
STORIES = {
    "one queue in three files": conversation(OPENED, "MSMQQueueInfo=I") + LATER,
    "an act on behalf of another": conversation(NAMED, "MSMQApplication=A").removesuffix("close") + ELSEWHERE + "close",
}


@pytest.mark.parametrize("story", STORIES)
def test_a_dataset_that_grows_tells_what_one_run_tells(story: str, tmp_path: Path) -> None:
    files = captures(tmp_path, STORIES[story])
    add(None, tmp_path / "whole", files)
    whole = read(tmp_path / "whole")
    assert whole["admin_actions"]
    for number, order in enumerate(permutations(files)):
        for one in order:
            add(None, tmp_path / f"grown {number}", [one])
        grown = read(tmp_path / f"grown {number}")
        for table in TABLES:
            assert grown[table] == whole[table], (table, [one.name for one in order])
