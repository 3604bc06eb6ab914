"""Sessions and reads of RemoteRead and of qmcomm, and what ties qm2qm to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipelines.messages.merging import ORDER, merged
from schemas.tables.messages import SEEN
from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
ORDERS = r"DIRECT=OS:hq\private$\orders"


def told(folder: Path, *scripts: str) -> dict[str, list[Row]]:
    """Each script is a capture of its own."""
    paths = []
    for number, script in enumerate(scripts):
        (folder / str(number)).mkdir()
        paths.append(capture(folder / str(number), script))
    local = Local(*paths)
    assert local.tables["issues"] == []
    return {**local.tables, **local.judged()}


APPLICATION = """
    connect a from 10.0.0.20 to 10.0.0.10 interface qmcomm
    connect a2 from 10.0.0.20 to 10.0.0.10 interface qmcomm2 group a
    connect r from 10.0.0.20 to 10.0.0.9 interface qmcomm
    r: R_QMOpenRemoteQueue queue="OS:hq\\private$\\orders"
    a: rpc_QMOpenQueueInternal queue="OS:hq\\private$\\orders" hRemoteQueue=7
    r: R_QMCloseRemoteQueueContext
    a2: rpc_ACReceiveMessageEx
    a: rpc_ACCloseHandle
    close r
    close a2
    close a
"""
SUPPORTING_SERVER = """
    connect q from 10.0.0.10 to 10.0.0.9 interface qm2qm user HQ$
    RemoteQMOpenQueue hQueue=7
    RemoteQMStartReceive2
    RemoteQMEndReceive
    RemoteQMPurgeQueue
    wait 5s
    RemoteQMCloseQueue
    close q
"""


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["open first", "clocks differ"])
def test_the_queue_of_qm2qm_is_named_by_another_host_in_another_file(tmp_path: Path, order: tuple[int, int]) -> None:
    scripts = (APPLICATION, SUPPORTING_SERVER)
    late = "connect w from 10.9.9.9 to 10.9.9.8\n wait 1s\n close w\n"
    tables = told(tmp_path, *((late if place else "") + scripts[number] for place, number in enumerate(order)))
    of = {row["endpoint"]: row for row in tables["sessions"]}
    assert set(of) == {"qmcomm", "qm2qm"}
    remote, local = of["qm2qm"], of["qmcomm"]
    assert (remote["queue_name"], remote["named_by"]) == (ORDERS, "remote_open")
    assert (remote["opened_for"], remote["opened_for_username"]) == ("10.0.0.20", "alice")
    assert (remote["username"], remote["purges"]) == ("HQ$", 1)
    assert (local["queue_name"], local["named_by"]) == (ORDERS, "open")
    assert remote["link_uid"] == local["link_uid"] is not None


def test_one_message_on_two_wires_is_one_message(tmp_path: Path) -> None:
    tables = told(tmp_path, APPLICATION + SUPPORTING_SERVER)
    reads = {row["endpoint"]: row for row in tables["reads"]}
    assert reads["qm2qm"]["message_id"] == reads["qmcomm"]["message_id"] is not None
    assert reads["qmcomm"]["message_label"] == "order"
    rows: list[Any] = [
        dict.fromkeys(SEEN.names) | row | {"orig_h": row["id"]["orig_h"], "resp_h": row["id"]["resp_h"]}
        for row in tables["message_sightings"]
    ]
    (message,) = merged(sorted(rows, key=lambda row: tuple(row[name] for name in ORDER)))
    assert message["sightings"] == 2
    assert {call["operation"] for call in message["calls"]} == {"rpc_ACReceiveMessageEx", "RemoteQMStartReceive2"}


def test_a_handshake_is_no_session(tmp_path: Path) -> None:
    tables = told(
        tmp_path,
        """
        connect interface qmcomm
        R_QMOpenRemoteQueue queue="OS:hq\\private$\\orders"
        R_QMCloseRemoteQueueContext
        close
        """,
    )
    assert tables["sessions"] == []
    (queue,) = tables["queues"]
    assert (queue["opened"], queue["names"]) == (1, [ORDERS])


def test_numbers_that_are_used_again_mean_the_latest(tmp_path: Path) -> None:
    tables = told(
        tmp_path,
        """
        connect r from 10.0.0.20 interface qmcomm
        connect q from 10.0.0.10 interface qm2qm
        r: R_QMOpenRemoteQueue queue="OS:hq\\first" -> pphContext=P1
        q: RemoteQMOpenQueue -> phContext=S1
        q: RemoteQMCloseQueue pphContext=S1
        r: R_QMOpenRemoteQueue queue="OS:hq\\second" -> pphContext=P2
        q: RemoteQMOpenQueue -> phContext=S2
        q: RemoteQMCloseQueue pphContext=S2
        close q
        close r
        """,
    )
    assert [row["queue_name"] for row in tables["sessions"]] == [r"DIRECT=OS:hq\first", r"DIRECT=OS:hq\second"]


def test_reads_of_remote_read(tmp_path: Path) -> None:
    tables = told(
        tmp_path,
        """
        connect interface RemoteRead
        R_OpenQueue queue="OS:hq\\private$\\orders"
        R_StartReceive ulAction=PEEK_CURRENT
        R_StartReceive
        R_EndReceive dwAck=2
        R_StartReceive
        R_EndReceive dwAck=1
        R_StartReceive -> status=MQ_ERROR_IO_TIMEOUT
        R_StartReceive
        R_CloseQueue
        close
        """,
    )
    (session,) = tables["sessions"]
    assert (session["endpoint"], session["queue_name"], session["state"]) == ("RemoteRead", ORDERS, "closed")
    assert [row["outcome"] for row in tables["reads"]] == ["peeked", "acked", "nacked", "timed_out", "rundown"]
    assert all(row["message_id"] for row in tables["reads"] if row["outcome"] != "timed_out")
    assert (session["peeks"], session["receives"], session["acked"], session["nacked"]) == (1, 4, 1, 1)
    assert session["message_bytes"] == sum(row["message_bytes"] or 0 for row in tables["reads"])


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("status=0", "acked"), ("status=MQ_ERROR_INVALID_HANDLE", "rundown")],
)
def test_an_end_that_is_answered_after_the_close_counts(tmp_path: Path, answer: str, outcome: str) -> None:
    """[MS-MQRR] 3.1.4.3: the close lets go of what is not ended."""
    script = f"""
        connect a interface RemoteRead
        connect b interface RemoteRead group a
        a: R_OpenQueue
        a: R_StartReceive dwRequestId=1
        a: ask e R_EndReceive dwRequestId=1
        b: R_CloseQueue
        answer e -> {answer}
        close a
        close b
    """
    tables = told(tmp_path, script)
    assert [(row["outcome"], row["doubt"]) for row in tables["reads"]] == [(outcome, None)]
    assert [(row["state"], row[outcome]) for row in tables["sessions"]] == [("closed", 1)]


def test_a_connection_that_ends_gives_the_message_back(tmp_path: Path) -> None:
    tables = told(tmp_path, "connect interface RemoteRead\nR_OpenQueue\nR_StartReceive\nreset\n")
    assert [row["outcome"] for row in tables["reads"]] == ["rundown"]
    assert [row["state"] for row in tables["sessions"]] == ["rundown"]


def test_an_open_that_is_refused_by_a_fault_opens_nothing(tmp_path: Path) -> None:
    tables = told(tmp_path, "connect interface RemoteRead\nR_OpenQueue -> fault=MQ_ERROR_ACCESS_DENIED\nclose\n")
    assert tables["sessions"] == []
    assert tables["calls"][0]["fault"] == 0xC00E0025


def test_outcome_of_an_external_transaction_is_unknown(tmp_path: Path) -> None:
    tables = told(
        tmp_path,
        """
        connect interface RemoteRead
        R_OpenQueue
        R_QMEnlistRemoteTransaction transaction=T1
        R_StartTransactionalReceive transaction=T1
        R_EndTransactionalReceive
        R_CloseQueue
        close
        """,
    )
    (read,) = tables["reads"]
    assert (read["outcome"], read["transaction_outcome"]) == ("acked", "unknown")
    assert len(read["transaction"]) == 32


@pytest.mark.parametrize(
    ("end", "outcome", "transaction"),
    [
        ("x: R_QMCommitTransaction", "acked", "committed"),
        ("x: R_QMAbortTransaction", "nacked", "aborted"),
        ("reset x", "rundown", "rundown"),
        ("x: R_QMCommitTransaction -> status=MQ_ERROR", "rundown", "rundown"),
    ],
)
def test_outcome_of_an_internal_transaction(tmp_path: Path, end: str, outcome: str, transaction: str) -> None:
    tables = told(
        tmp_path,
        f"""
        connect x interface qmcomm
        connect y interface qmcomm2
        x: rpc_QMOpenQueueInternal
        x: R_QMEnlistInternalTransaction transaction=T1
        y: rpc_ACReceiveMessageEx transaction=T1
        {end}
        close y
        {"" if end.startswith("reset") else "close x"}
        """,
    )
    (read,) = tables["reads"]
    assert (read["outcome"], read["transaction_outcome"]) == (outcome, transaction)


def test_a_receive_of_qmcomm_is_over_with_its_answer(tmp_path: Path) -> None:
    tables = told(
        tmp_path,
        """
        connect x interface qmcomm
        connect y interface qmcomm2
        x: rpc_QMOpenQueueInternal dwDesiredAccess=1
        y: rpc_ACReceiveMessageEx Action=PEEK_CURRENT -> message=10
        y: rpc_ACReceiveMessageEx -> message=20
        y: rpc_ACSendMessageEx message=30
        x: rpc_ACPurgeQueue
        x: rpc_ACCloseHandle
        close y
        close x
        """,
    )
    assert [(row["outcome"], row["message_bytes"]) for row in tables["reads"]] == [("peeked", 10), ("acked", 20)]
    (session,) = tables["sessions"]
    assert (session["sends"], session["sent_bytes"], session["purges"], session["access"]) == (1, 30, 1, 1)
    (queue,) = tables["queues"]
    assert (queue["peeked"], queue["received"], queue["sent"], queue["purged"]) == (1, 1, 1, 1)


def test_a_move_knows_the_message_that_was_read_before(tmp_path: Path) -> None:
    tables = told(
        tmp_path,
        """
        connect interface RemoteRead
        R_OpenQueue queue="OS:hq\\private$\\orders"
        R_OpenQueueForMove queue="SUBQUEUE=OS:hq\\private$\\orders;bad"
        R_StartReceive ulAction=LOOKUP_PEEK_CURRENT LookupId=0x1401
        R_MoveMessage LookupId=0x1401
        R_MoveMessage LookupId=0x9999 -> status=MQ_ERROR_MESSAGE_NOT_FOUND
        close
        """,
    )
    first, second = tables["moves"]
    (read,) = tables["reads"]
    assert (first["queue_name"], first["target_queue_name"]) == (ORDERS, ORDERS + ";bad")
    assert (first["message_id"], first["outcome"]) == (read["message_id"], "success")
    assert (second["message_id"], second["outcome"]) == (None, "failure")
    assert first["message_uid"] == tables["message_sightings"][0]["message_uid"]
    assert {queue["moved_to"] for queue in tables["queues"]} == {0, 1}


def test_a_queue_that_was_open_before_the_capture_shows(tmp_path: Path) -> None:
    tables = told(
        tmp_path,
        """
        connect x interface qmcomm
        connect y interface qmcomm2
        x: R_QMEnlistInternalTransaction transaction=T1
        y: rpc_ACReceiveMessageEx hQMContext=12
        y: rpc_ACReceiveMessageEx hQMContext=12 transaction=T1
        connect r interface RemoteRead
        r: R_EndReceive phContext=OLD dwRequestId=9
        """,
    )
    states = {(row["endpoint"], row["state"]) for row in tables["sessions"]}
    assert states == {("qmcomm", "open_not_seen"), ("RemoteRead", "open_not_seen")}
    assert {(row["endpoint"], row["outcome"]) for row in tables["reads"]} == {
        ("qmcomm", "acked"),
        ("qmcomm", "unfinished"),
        ("RemoteRead", "acked"),
    }


def test_a_cursor_of_qm2qm_goes_back_to_the_call_that_made_it(tmp_path: Path) -> None:
    tables = told(
        tmp_path,
        """
        connect r from 10.0.0.20 interface qmcomm
        r: R_QMOpenRemoteQueue queue="OS:hq\\private$\\orders"
        r: R_QMCreateRemoteCursor -> phCursor=5
        connect q from 10.0.0.10
        q: RemoteQMOpenQueue
        q: RemoteQMStartReceive2 ulAction=PEEK_CURRENT hCursor=5
        q: RemoteQMStartReceive2 ulAction=PEEK_CURRENT hCursor=6
        connect x interface RemoteRead
        x: R_OpenQueue
        x: R_CreateCursor -> phCursor=8
        x: R_StartReceive ulAction=PEEK_CURRENT hCursor=8
        """,
    )
    made = {row["operation"]: row["call_uid"] for row in tables["calls"] if "Cursor" in row["operation"]}
    reads = sorted(tables["reads"], key=lambda row: row["ts"])
    assert [(row["cursor"], row["cursor_call_uid"]) for row in reads] == [
        (5, made["R_QMCreateRemoteCursor"]),
        (6, None),
        (8, made["R_CreateCursor"]),
    ]


def test_purges_of_a_queue_are_told_with_their_own_times(tmp_path: Path) -> None:
    script = """
        connect r interface RemoteRead
        R_OpenQueue
        wait 5s
        R_PurgeQueue
        wait 7s
        R_PurgeQueue
        R_PurgeQueue -> status=MQ_ERROR_ACCESS_DENIED
        wait 9s
        R_CloseQueue
    """
    (queue,) = told(tmp_path, script)["queues"]
    acts = {act["act"]: act for act in queue["acts"]}
    began = acts["opened"]["first_seen"]
    assert acts["purged"]["count"] == 2
    assert [round((acts["purged"][name] - began).total_seconds()) for name in ("first_seen", "last_seen")] == [5, 12]


def test_rights_of_a_queue_are_named(tmp_path: Path) -> None:
    tables = told(tmp_path, 'connect interface qmcomm\nR_QMSetObjectSecurityInternal queue="OS:hq\\q"\nclose\n')
    (row,) = tables["qmcomm_R_QMSetObjectSecurityInternal"]
    assert row["security"]["sddl"].startswith(("O:", "G:", "D:"))
    assert all(one["access"] in ("allowed", "denied") and one["rights"] for one in row["security"]["queue_rights"])
