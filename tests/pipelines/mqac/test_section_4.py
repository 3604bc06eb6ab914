"""The scenarios of [MC-MQAC] section 4, by opnum, and late-bound where scripts can: from packets to tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.pipelines.mqac.conversations import conversation, told

if TYPE_CHECKING:
    from pathlib import Path

COUNTING = r"""
IMSMQManagement.Init object=G FormatName="DIRECT=OS:hq\private$\orders"
IMSMQManagement.get_MessageCount object=G -> result=7
RemRelease refs=[[G, 5]]
"""
PAUSING = r"""
IMSMQManagement.Init object=G FormatName="DIRECT=OS:far\private$\sink"
RemQueryInterface ripid=G iids=[IMSMQOutgoingQueueManagement] -> gives=[O]
IMSMQOutgoingQueueManagement.Pause object=O
RemRelease refs=[[G, 5], [O, 5]]
"""
RECEIVED_INFO = r"""
IMSMQManagement.Init object=G FormatName="DIRECT=OS:hq\private$\orders"
RemQueryInterface ripid=G iids=[IMSMQQueueManagement] -> gives=[L]
IMSMQQueueManagement.EodGetReceiveInfo object=L -> gives=[C]
RemQueryInterface ripid=C iids=[IMSMQCollection] -> gives=[D]
IMSMQCollection.get_Count object=D -> result=6
IMSMQCollection.Item object=D Index="QueueFormatName" -> result="DIRECT=OS:hq\private$\orders"
"""
DISCOVERING = r"""
IMSMQQuery4.LookupQueue object=X Label="orders" RelLabel=1 -> gives=[N]
IMSMQQueueInfos4.Next object=N -> gives=[I]
IMSMQQueueInfo4.get_PathName object=I -> result="hq\orders"
IMSMQQueueInfos4.Next object=N -> gives=[null]
"""
MULTICAST = r"""
IMSMQMessage4.put_Label object=M bstrLabel="prices"
IMSMQMessage4.put_Body object=M varBody="17.5"
IMSMQDestination.put_FormatName object=D bstrFormatName="MULTICAST=234.1.1.1:8001"
IMSMQDestination.Open object=D
IMSMQMessage4.Send object=M DestinationQueue=D
IMSMQDestination.Close object=D
"""
IN_TRANSACTION = r"""
IMSMQMessage4.put_Body object=M varBody="an order"
IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"
IMSMQQueueInfo4.Open object=I Access=2 -> gives=[Q]
{dispenser}.BeginTransaction object=D -> gives=[T]
IMSMQMessage4.Send object=M DestinationQueue=Q Transaction=[9, T]
IMSMQTransaction3.Commit object=T
IMSMQQueue4.Close object=Q
"""
SENDING = r"""
IMSMQMessage4.put_Body object=M varBody="an order"
IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"
IMSMQQueueInfo4.Open object=I Access=2 -> gives=[Q]
IMSMQMessage4.Send object=M DestinationQueue=Q
IMSMQQueue4.Close object=Q
"""
WATCHING = r"""
connect r interface IRemoteSCMActivator
RemoteCreateInstance class=MSMQQueueInfo iids=[IDispatch] -> gives=[I]
RemoteCreateInstance class=MSMQEvent iids=[IDispatch] -> gives=[E]
connect o interface IDispatch
alter interface IRemUnknown
alter interface IConnectionPointContainer
alter interface IConnectionPoint
IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"
IMSMQQueueInfo4.Open object=I Access=0x20 -> gives=[Q]
RemQueryInterface ripid=E iids=[IConnectionPointContainer] -> gives=[C]
FindConnectionPoint object=C riid=_DMSMQEventEvents -> gives=[P]
Advise object=P sink=K oxid=0x0C01 oid=0x0C11 at="10.0.0.5" -> pdwCookie=1
IMSMQQueue4.EnableNotification object=Q Event=E ReceiveTimeout=10000
connect k interface IObjectExporter from 10.0.0.9 to 10.0.0.5
ResolveOxid2 pOxid=0x0C01 -> port=51000 unknown=KU
connect s interface _DMSMQEventEvents from 10.0.0.9 to 10.0.0.5 port 51000
alter interface IRemUnknown
s: RemQueryInterface object=KU ripid=K iids=[_DMSMQEventEvents] -> gives=[KE] oxid=0x0C01 oid=0x0C11
s: Invoke object=KE dispIdMember=0 rgvarg=[0, [9, Q]] at="10.0.0.9"
o: IMSMQQueue4.Peek object=Q ReceiveTimeout=0 -> gives=[M]
o: IMSMQMessage4.get_Body object=M -> result="an order"
o: Unadvise object=P dwCookie=1
o: IMSMQQueue4.Close object=Q
"""
Row = dict[str, Any]


def columns(rows: list[Row], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def accused(tables: dict[str, list[Row]]) -> list[str]:
    return [row["rule_id"] for row in tables["findings"] if row["verdict"] == "violation"]


@pytest.mark.parametrize("late", [False, True])
def test_4_1_messages_are_counted(tmp_path: Path, late: bool) -> None:
    tables = told(tmp_path, conversation(COUNTING, "MSMQManagement=G", late=late))
    (act,) = tables["admin_actions"]
    assert (act["action"], act["queue_name"]) == ("query", r"DIRECT=OS:hq\private$\orders")
    assert columns(act["changes"], "name", "new") == [("MessageCount", "7")]
    assert accused(tables) == []


def test_4_3_outgoing_queue_is_paused(tmp_path: Path) -> None:
    tables = told(tmp_path, conversation(PAUSING, "MSMQManagement=G"))
    assert columns(tables["admin_actions"], "action", "target", "outcome") == [
        ("pause", r"DIRECT=OS:far\private$\sink", "success")
    ]
    assert accused(tables) == []


def test_4_2_transfer_information_is_asked_for(tmp_path: Path) -> None:
    tables = told(tmp_path, conversation(RECEIVED_INFO, "MSMQManagement=G"))
    assert columns(tables["admin_actions"], "operation", "action", "queue_name") == [
        ("EodGetReceiveInfo", "query", r"DIRECT=OS:hq\private$\orders")
    ]
    items = [row for row in tables["com_calls"] if row["member"] == "Item"]
    assert [one["arguments"][0]["value"] for one in items] == ["QueueFormatName"]
    assert accused(tables) == []


@pytest.mark.parametrize("late", [False, True])
def test_4_4_queues_are_looked_up(tmp_path: Path, late: bool) -> None:
    tables = told(tmp_path, conversation(DISCOVERING, "MSMQQuery=X", late=late))
    assert {(act["operation"], act["action"]) for act in tables["admin_actions"]} == {("LookupQueue", "query")}
    (found,) = [row for row in tables["com_calls"] if row["member"] == "PathName"]
    assert r"hq\orders" in (found["result"], found["arguments"][0]["value"] if found["arguments"] else None)
    assert accused(tables) == []


def test_4_5_message_is_read_after_an_event(tmp_path: Path) -> None:
    tables = told(tmp_path, WATCHING)
    assert columns(tables["reads"], "action", "outcome", "message_bytes") == [("Peek", "peeked", 16)]
    arrived = [row for row in tables["com_calls"] if row["id"]["resp_h"] == "10.0.0.5" and row["via"] == "invoke"]
    assert columns(arrived, "interface", "member") == [("_DMSMQEventEvents", "Arrived")]
    assert accused(tables) == []


@pytest.mark.parametrize("late", [False, True])
def test_4_6_multicast_message_is_sent(tmp_path: Path, late: bool) -> None:
    tables = told(tmp_path, conversation(MULTICAST, "MSMQMessage=M", "MSMQDestination=D", late=late))
    assert columns(tables["sends"], "queue_name", "message_label", "outcome") == [
        ("MULTICAST=234.1.1.1:8001", "prices", "success")
    ]
    assert accused(tables) == []


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    ("cls", "kind"),
    [("MSMQTransactionDispenser", "internal"), ("MSMQCoordinatedTransactionDispenser", "external")],
)
def test_4_7_4_8_message_is_sent_in_a_transaction(tmp_path: Path, cls: str, kind: str, late: bool) -> None:
    body = IN_TRANSACTION.format(dispenser=f"I{cls}3")
    tables = told(tmp_path, conversation(body, "MSMQMessage=M", "MSMQQueueInfo=I", f"{cls}=D", late=late))
    assert columns(tables["transactions"], "kind", "outcome", "sends") == [(kind, "committed", 1)]
    assert columns(tables["sends"], "outcome", "message_bytes", "transaction_outcome") == [("success", 16, "committed")]
    assert accused(tables) == []


@pytest.mark.parametrize("late", [False, True])
def test_4_9_message_is_sent(tmp_path: Path, late: bool) -> None:
    tables = told(tmp_path, conversation(SENDING, "MSMQMessage=M", "MSMQQueueInfo=I", late=late))
    assert columns(tables["sends"], "queue_name", "outcome", "message_bytes") == [
        (r"hq\private$\orders", "success", 16)
    ]
    assert accused(tables) == []
