"""Units of work: what was done in them, by whom, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.sessions.telling import columns, told

if TYPE_CHECKING:
    from pathlib import Path

ORDERS = r"DIRECT=OS:hq\private$\orders"
COUNTS = ("kind", "outcome", "doubt", "enlistments", "reads", "sends", "moves", "rejects")
INTERNAL = r"""
    connect x interface qmcomm user alice
    connect y interface qmcomm2
    x: rpc_QMOpenQueueInternal queue="OS:hq\private$\orders"
    x: R_QMEnlistInternalTransaction transaction=T1
    y: rpc_ACReceiveMessageEx transaction=T1 -> message=20
    y: rpc_ACSendMessageEx transaction=T1 message=30
    y: rpc_ACSendMessageEx message=5
    {}
"""
OTHER = "connect z interface qmcomm lose bind_ack asks 9"


@pytest.mark.parametrize(
    ("end", "outcome", "doubt", "sent"),
    [
        ("x: R_QMCommitTransaction\nx: rpc_ACCloseHandle\nclose y\nclose x", "committed", None, (2, 35)),
        ("x: rpc_ACCloseHandle\nx: R_QMCommitTransaction\nclose y\nclose x", "committed", None, (2, 35)),
        ("x: R_QMAbortTransaction\nclose y\nclose x", "aborted", None, (1, 5)),
        ("x: rpc_ACCloseHandle\nx: R_QMAbortTransaction\nclose y\nclose x", "aborted", None, (1, 5)),
        ("reset x", "rundown", None, (1, 5)),
        ("x: R_QMCommitTransaction -> lost\nclose y\nclose x", "committed", "response_not_captured", (2, 35)),
        ("", "unknown", "capture_ended", (2, 35)),
        # Another connection may be of that association, and may have been where it was ended.
        (f"{OTHER}\nx: rpc_ACHandleToFormatName", "unknown", "association_unknown", (2, 35)),
    ],
)
def test_an_internal_one_is_decided_in_view(
    tmp_path: Path, end: str, outcome: str, doubt: str | None, sent: tuple[int, int]
) -> None:
    tables = told(tmp_path, INTERNAL.format(end))
    assert columns(tables["transactions"], *COUNTS) == [("internal", outcome, doubt, 1, 1, 1, 0, 0)]
    (row,) = tables["transactions"]
    assert (row["username"], row["queue_names"]) == ("alice", [ORDERS])
    assert (row["ended_ts"] is None) == (outcome == "unknown")
    assert row["began_ts"] is not None
    assert [(one["transaction_uid"], one["transaction_outcome"]) for one in tables["reads"]] == [
        (row["transaction_uid"], outcome)
    ]
    undone = outcome in ("aborted", "rundown")
    assert columns(tables["sends"], "outcome", "message_bytes", "queue_name", "transaction_uid") == [
        (outcome if undone else "success", 30, ORDERS, row["transaction_uid"]),
        ("success", 5, ORDERS, None),
    ]
    assert (tables["sends"][0]["doubt"] is None) == (doubt is None)
    assert columns(tables["sessions"], "sends", "sent_bytes") == [sent]
    (queue,) = tables["queues"]
    assert queue["sent"] == sent[0]


@pytest.mark.parametrize(
    ("end", "outcome", "state"),
    [("R_QMAbortTransaction", "nacked", "aborted"), ("R_QMCommitTransaction", "acked", "committed")],
)
def test_a_message_is_answered_after_the_end_of_its_transaction(
    tmp_path: Path, end: str, outcome: str, state: str
) -> None:
    """It was given before that: in a transaction that is over the server gives nothing."""
    script = rf"""
        connect x interface qmcomm user alice
        connect y interface qmcomm2
        x: rpc_QMOpenQueueInternal queue="OS:hq\private$\orders"
        x: R_QMEnlistInternalTransaction transaction=T1
        y: ask receive rpc_ACReceiveMessageEx Action=RECEIVE transaction=T1
        x: {end}
        answer receive -> message=20
        x: rpc_ACCloseHandle
        close y
        close x
    """
    tables = told(tmp_path, script)
    assert columns(tables["reads"], "outcome", "transaction_outcome", "doubt") == [(outcome, state, None)]
    assert columns(tables["transactions"], *COUNTS) == [("internal", state, None, 1, 1, 0, 0, 0)]


def test_an_external_one_is_decided_on_another_wire(tmp_path: Path) -> None:
    """One row over connections, associations and hosts."""
    script = r"""
        connect x from 10.0.0.20 interface qmcomm user alice
        connect y from 10.0.0.20 interface qmcomm2
        connect r from 10.0.0.30 interface RemoteRead user bob
        x: R_QMEnlistTransaction transaction=T1
        x: rpc_QMOpenQueueInternal queue="OS:hq\private$\invoices" dwDesiredAccess=2
        y: rpc_ACSendMessageEx transaction=T1
        close y
        close x
        r: R_QMEnlistRemoteTransaction transaction=T1
        r: R_OpenQueue queue="OS:hq\private$\orders"
        r: R_OpenQueueForMove queue="SUBQUEUE=OS:hq\private$\orders;bad" -> pphContext=Bad
        r: R_StartTransactionalReceive transaction=T1 -> message=40/5121
        r: R_EndTransactionalReceive
        r: R_SetUserAcknowledgementClass LookupId=5121
        r: R_MoveMessage transaction=T1 LookupId=5121
        close r
    """
    tables = told(tmp_path, script)
    assert columns(tables["transactions"], *COUNTS) == [("external", "unknown", None, 2, 1, 1, 1, 1)]
    (row,) = tables["transactions"]
    assert (row["username"], row["clients"]) == ("alice", ["10.0.0.20", "10.0.0.30"])
    assert row["queue_names"] == [r"DIRECT=OS:hq\private$\invoices", ORDERS]
    (rejection,) = tables["rejections"]
    assert (rejection["message_class"], rejection["outcome"]) == ("MQMSG_CLASS_NACK_RECEIVE_REJECTED", "success")
    assert (rejection["queue_name"], rejection["username"]) == (ORDERS, "bob")
    assert rejection["transaction_uid"] == row["transaction_uid"]
    assert rejection["message_id"] == tables["reads"][0]["message_id"] is not None


def test_one_that_was_enlisted_out_of_sight_is_told_with_its_doubt(tmp_path: Path) -> None:
    script = """
        connect x interface qmcomm
        connect y interface qmcomm2
        x: rpc_QMOpenQueueInternal
        y: rpc_ACSendMessageEx transaction=T9
        y: rpc_ACSendMessageEx transaction=T9
        y: rpc_ACSendMessageEx transaction=T8 -> status=MQ_ERROR_TRANSACTION_SEQUENCE
        close y
        close x
    """
    tables = told(tmp_path, script)
    assert columns(tables["transactions"], *COUNTS) == [(None, "unknown", "open_not_seen", 0, 0, 2, 0, 0)]
    assert [row["outcome"] for row in tables["sends"]] == ["success", "success", "failure"]


def test_a_unit_of_work_that_is_used_again_is_another(tmp_path: Path) -> None:
    script = """
        connect x interface qmcomm
        x: R_QMEnlistInternalTransaction transaction=T1 -> phIntXact=A
        x: R_QMCommitTransaction phIntXact=A
        x: R_QMEnlistInternalTransaction transaction=T1 -> phIntXact=B
        x: R_QMAbortTransaction phIntXact=B
        close x
    """
    rows = told(tmp_path, script)["transactions"]
    assert [row["outcome"] for row in rows] == ["committed", "aborted"]
    assert len({row["transaction_uid"] for row in rows}) == 2


def test_a_send_by_name_is_a_send(tmp_path: Path) -> None:
    script = r"""
        connect y interface qmcomm2
        y: QMSendMessageInternalEx queue="OS:hq\private$\orders"
        close y
    """
    tables = told(tmp_path, script)
    assert columns(tables["sends"], "operation", "queue_name", "named_by", "outcome") == [
        ("QMSendMessageInternalEx", ORDERS, "call", "success")
    ]
    assert tables["queues"][0]["sent"] == 1
