"""The examples of [MS-MQSO] 6.1, as far as the wire shows them. docs/scenarios.md lists them."""

from __future__ import annotations

from tests.pipelines.scenarios.played import accused, changes, columns, tables


def test_web_order_entry() -> None:
    """6.1.2: what the coordinator decides is on another wire."""
    found = tables("web-order-entry")
    assert columns(found["endpoints"], "port", "host") == [(49664, "10.0.2.9")]
    assert columns(found["reads"], "outcome", "transaction_outcome", "message_bytes") == [
        ("acked", "unknown", 1068),
        ("acked", "unknown", 1020),
    ]
    assert (
        columns(found["transactions"], "kind", "outcome", "reads", "enlistments") == [("external", "unknown", 1, 1)] * 2
    )
    assert columns(found["sessions"], "username", "state", "acked") == [("PROCESSING$", "closed", 2)]
    assert accused(found) == []


def test_public_queue_is_modified() -> None:
    """6.1.3."""
    found = tables("modify-public-queue")
    act = found["admin_actions"][-1]
    assert (act["action"], act["username"], act["outcome"]) == ("set_properties", "admin", "success")
    assert changes(act) == [("PROPID_Q_QUOTA", "65536", "262144")]
    assert accused(found) == []


def test_remote_private_queue_is_monitored() -> None:
    """6.1.4, its last step."""
    found = tables("monitor-queue")
    counts = [change[2] for act in found["admin_actions"] for change in changes(act)]
    assert counts == ["12", "340", "9"]
    assert {(act["action"], act["is_query"], act["username"]) for act in found["admin_actions"]} == {
        ("query", True, "admin")
    }
    assert accused(found) == []


def test_desktop_waits_for_the_acknowledgment_then_for_the_response() -> None:
    """6.1.6."""
    found = tables("across-firewall")
    names = [read["queue_name"].rpartition("\\")[2] for read in found["reads"]]
    assert list(zip(names, [read["outcome"] for read in found["reads"]], strict=True)) == [
        ("acknowledgments", "timed_out"),
        ("acknowledgments", "acked"),
        ("responses", "acked"),
    ]
    assert columns(found["sessions"], "state", "unfinished") == [("closed", 0)] * 2
    assert accused(found) == []


def test_server_farm_answers_within_its_transactions() -> None:
    """6.1.7: what one of them gives up the other one gets."""
    found = tables("server-farm")
    assert columns(found["transactions"], "outcome", "reads", "sends") == [
        ("committed", 1, 1),
        ("aborted", 1, 0),
        ("committed", 1, 1),
    ]
    hosts = [(read["id"]["orig_h"], read["outcome"], read["message_bytes"]) for read in found["reads"]]
    assert hosts == [("10.0.2.61", "acked", 500), ("10.0.2.62", "nacked", 600), ("10.0.2.61", "acked", 600)]
    for read, sent in zip([found["reads"][0], found["reads"][2]], found["sends"], strict=True):
        assert read["transaction_uid"] == sent["transaction_uid"]
        assert (sent["outcome"], sent["queue_name"]) == ("success", r"DIRECT=OS:agent1\private$\quotes")
    assert accused(found) == []
