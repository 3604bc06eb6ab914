"""Members of MSMQ's objects in scripts: by opnum and by Invoke the same is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ingest.choice import Choice, Scope
from tests.local import Local
from tests.scripts.player import capture, play
from tests.scripts.statements import ScriptError

if TYPE_CHECKING:
    from pathlib import Path

DIRECT = r"""
connect interface IRemoteSCMActivator
RemoteCreateInstance class=MSMQQueueInfo iids=[IMSMQQueueInfo4] -> gives=[A]
connect interface IMSMQQueueInfo4
alter interface IMSMQQueue4
alter interface IMSMQMessage4
IMSMQQueueInfo4.put_PathName object=A bstrPathName="hq\private$\orders"
IMSMQQueueInfo4.Open object=A Access=1 -> gives=Q
IMSMQQueue4.Receive object=Q WantBody=[VT_BOOL, -1] ReceiveTimeout=1000 -> gives=M
IMSMQMessage4.get_Body object=M -> pvarBody="hello"
IMSMQMessage4.get_Priority object=M -> plPriority=3
IMSMQQueue4.Receive object=Q -> status=MQ_ERROR_ACCESS_DENIED
"""
LATE = (
    DIRECT.replace("\nIMSMQ", "\nIDispatch.IMSMQ")
    .replace("iids=[IMSMQQueueInfo4]", "iids=[IDispatch]")
    .replace("alter interface IMSMQQueue4\nalter interface IMSMQMessage4", "alter interface IDispatch")
)


def told(folder: Path, script: str) -> list[dict[str, Any]]:
    found = Local(capture(folder, script), choice=Choice(Scope.RPC))
    assert found.tables["issues"] == []
    assert {call["decode_state"] for call in found.tables["calls"]} == {"full"}
    return sorted(found.judged()["com_calls"], key=lambda row: row["ts"])


def given(row: dict[str, Any]) -> list[str]:
    """Values that the client gave, none of which was left out."""
    return [one["value"] for one in row["arguments"] if one["direction"] == "in" and one["value"] != "0x80020004"]


def test_both_ways_say_the_same(tmp_path: Path) -> None:
    direct, late = told(tmp_path, DIRECT), told(tmp_path, LATE)
    assert {row["via"] for row in direct} == {"direct"}
    assert {row["via"] for row in late} == {"invoke"}
    assert [sorted(given(row)) for row in direct] == [sorted(given(row)) for row in late]
    assert [row["hresult_name"] for row in direct] == [row["hresult_name"] for row in late]
    results = [row["arguments"][-1]["value"] for row in direct if row["member"].endswith(("Body", "Priority"))]
    assert [row["result"] for row in late if row["kind"] == "get"] == results == ["hello", "3"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("IMSMQQueue4.Sing object=A", "has no 'Sing'"),
        ("IMSMQDesk.Open object=A", "has no 'Open'"),
        ("IDispatch.IConnectionPoint.Unadvise object=A", "is not for scripts"),
        ("IMSMQQueue4.Purge object=A Label=1", "nothing that IMSMQQueue4.Purge has"),
    ],
)
def test_what_there_is_not_is_refused(line: str, why: str) -> None:
    with pytest.raises(ScriptError, match=why):
        play(f"connect interface IMSMQQueue4\nalter interface IConnectionPoint\nalter interface IDispatch\n{line}")
