"""The use cases of [MS-MQSO] 3.3.4, and the two flows of 4.3.1 that join them. docs/scenarios.md lists them."""

from __future__ import annotations

from tests.pipelines.scenarios.played import accused, changes, columns, tables

ORDERS = r"DIRECT=OS:hq\private$\orders"
QUOTA = ("PROPID_Q_QUOTA", "65536", "131072")


def test_private_queue_is_created_and_modified() -> None:
    found = tables("create-private-queue")
    assert columns(found["admin_actions"], "action", "username", "outcome", "status_name") == [
        ("create", "admin", "success", "MQ_OK"),
        ("create", "admin", "failure", "MQ_ERROR_QUEUE_EXISTS"),
        ("query", "admin", "success", "MQ_OK"),
        ("set_properties", "admin", "success", "MQ_OK"),
    ]
    assert changes(found["admin_actions"][0])[0] == ("PROPID_Q_LABEL", None, "orders")
    assert changes(found["admin_actions"][-1]) == [QUOTA]
    (queue,) = found["queues"]
    assert set(queue["names"]) == {ORDERS, r"hq\private$\orders"}
    assert accused(found) == []


def test_public_queue_is_created_and_modified_at_the_directory() -> None:
    found = tables("create-public-queue")
    assert columns(found["admin_actions"], "endpoint", "action", "target", "outcome") == [
        ("dscomm", "create", r"hq\orders", "success"),
        ("dscomm", "query", r"hq\orders", "success"),
        ("dscomm", "set_properties", r"hq\orders", "success"),
    ]
    assert changes(found["admin_actions"][-1]) == [QUOTA]
    assert accused(found) == []


def test_query_changes_nothing() -> None:
    found = tables("query-queue")
    assert {(act["action"], act["is_query"], act["outcome"]) for act in found["admin_actions"]} == {
        ("query", True, "success")
    }
    assert [change for act in found["admin_actions"] for change in changes(act)] == [
        ("PROPID_MGMT_MSMQ_PRIVATEQ", None, r'["hq\private$\orders"]'),
        ("PROPID_MGMT_QUEUE_LOCATION", None, "LOCAL"),
        ("PROPID_MGMT_QUEUE_MESSAGE_COUNT", None, "12"),
        ("PROPID_Q_LABEL", None, "orders"),
    ]
    assert accused(found) == []


def test_sent_message_is_accepted_or_refused() -> None:
    found = tables("send")
    assert columns(found["sends"], "username", "message_bytes", "outcome", "transaction_uid") == [
        ("alice", 200, "success", None),
        ("alice", 300, "failure", None),
    ]
    assert columns(found["sessions"], "sends", "sent_bytes", "state") == [(1, 200, "closed")]
    assert accused(found) == []


def test_what_is_sent_in_a_transaction_counts_with_its_commit() -> None:
    found = tables("send-in-transaction")
    assert columns(found["transactions"], "kind", "outcome", "sends") == [
        ("internal", "committed", 2),
        ("internal", "aborted", 1),
    ]
    assert columns(found["sends"], "message_bytes", "outcome") == [(200, "success"), (300, "success"), (400, "aborted")]
    assert columns(found["sessions"], "sends", "sent_bytes") == [(2, 500)]
    assert accused(found) == []


def test_receive_gets_a_message_or_waits_in_vain_or_is_cancelled() -> None:
    found = tables("receive")
    assert columns(found["reads"], "outcome", "queue_name") == [
        ("acked", ORDERS),
        ("timed_out", ORDERS),
        ("acked", ORDERS),
        ("cancelled", ORDERS),
    ]
    waited = [(read["ended_ts"] - read["ts"]).total_seconds() for read in found["reads"]]
    assert [round(seconds) for seconds in waited] == [0, 5, 12, 20]
    assert columns(found["sessions"], "receives", "acked", "cancelled", "unfinished") == [(4, 2, 1, 0)]
    assert accused(found) == []


def test_what_is_received_in_a_transaction_comes_back_with_its_abort() -> None:
    found = tables("receive-in-transaction")
    assert columns(found["reads"], "message_bytes", "transaction_outcome", "outcome") == [
        (200, "committed", "acked"),
        (300, "aborted", "nacked"),
        (300, "committed", "acked"),
    ]
    assert found["reads"][1]["message_uid"] == found["reads"][2]["message_uid"]
    assert columns(found["transactions"], "outcome", "reads") == [("committed", 1), ("aborted", 1), ("committed", 1)]
    assert accused(found) == []


def test_exchanged_message_is_one_message() -> None:
    found = tables("exchange")
    (sent,), (received,) = found["sends"], found["reads"]
    assert sent["message_uid"] == received["message_uid"]
    assert {row["message_uid"] for row in found["message_sightings"]} == {sent["message_uid"]}
    assert len({row["body_sha256"] for row in found["message_sightings"]}) == 1
    assert (sent["username"], received["username"]) == ("alice", "WAREHOUSE$")
    (queue,) = found["queues"]
    assert (queue["sent"], queue["received"]) == (1, 1)
    assert accused(found) == []


def test_supporting_server_reads_for_an_application() -> None:
    found = tables("supporting-server")
    outer, inner = found["reads"]
    assert (outer["endpoint"], outer["username"], outer["outcome"]) == ("qmcomm", "alice", "acked")
    assert (inner["endpoint"], inner["username"], inner["outcome"]) == ("qm2qm", "SUPPORT$", "acked")
    assert (inner["opened_for"], inner["opened_for_username"]) == ("10.0.1.20", "alice")
    assert outer["message_uid"] == inner["message_uid"]
    assert {outer["queue_name"], inner["queue_name"]} == {ORDERS}
    assert {host["address"]: set(host["roles"]) for host in found["hosts"]}["10.0.1.10"] >= {"supporting_server"}
    assert accused(found) == []


def test_exactly_once_is_two_transactions() -> None:
    found = tables("exactly-once")
    sending, receiving = found["transactions"]
    assert (sending["kind"], sending["outcome"], sending["sends"]) == ("internal", "committed", 1)
    assert (receiving["kind"], receiving["outcome"], receiving["reads"]) == ("external", "unknown", 1)
    (sent,), (received,) = found["sends"], found["reads"]
    assert sent["message_uid"] == received["message_uid"]
    assert sent["transaction_uid"] != received["transaction_uid"]
    assert sent["id"]["resp_h"] != received["id"]["resp_h"]
    assert accused(found) == []


def test_script_creates_changes_and_deletes_a_queue() -> None:
    found = tables("create-by-script")
    assert columns(found["admin_actions"], "endpoint", "action", "queue_name", "outcome") == [
        ("IMSMQQueueInfo", "create", r"hq\private$\orders", "success"),
        ("IMSMQQueueInfo", "set_properties", r"hq\private$\orders", "success"),
        ("IMSMQQueueInfo", "delete", r"hq\private$\orders", "success"),
    ]
    assert [changes(act) for act in found["admin_actions"][:2]] == [
        [("IsTransactional", None, "true")],
        [("Quota", "65536", "131072")],
    ]
    assert {call["via"] for call in found["com_calls"] if call["member"] in ("Create", "Update", "Delete")} == {
        "invoke"
    }
    assert accused(found) == ["detect-queue-changed-by-script"] * 2


def test_script_sends_a_message() -> None:
    found = tables("send-by-script")
    assert columns(found["sends"], "queue_name", "message_label", "message_bytes", "outcome") == [
        (ORDERS, "order", 16, "success")
    ]
    assert columns(found["message_sightings"], "seen_as", "body_size") == [("sent", 16)]
    assert columns(found["sessions"], "endpoint", "sends", "state") == [("IMSMQQueue", 1, "closed")]
    assert accused(found) == []


def test_script_receives_in_a_transaction_and_outside() -> None:
    found = tables("receive-by-script")
    assert columns(found["reads"], "outcome", "message_bytes", "transaction_outcome") == [
        ("nacked", 16, "aborted"),
        ("acked", 16, None),
        ("timed_out", None, None),
    ]
    assert columns(found["transactions"], "kind", "outcome", "reads") == [("internal", "aborted", 1)]
    assert columns(found["sessions"], "queue_name", "acked", "state") == [(r"hq\private$\orders", 1, "closed")]
    assert accused(found) == []
