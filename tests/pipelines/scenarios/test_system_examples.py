"""The examples of [MS-MQSO] 6.1, as far as the wire shows them. docs/scenarios.md lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.building import report_of
from pipelines.report.sentences import plain
from tests.pipelines.scenarios.played import FOLDER, accused, changes, columns, tables
from tests.report.runs import MANIFEST, run_of_scripts

if TYPE_CHECKING:
    from pathlib import Path


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


def test_remote_private_queue_is_created_and_monitored() -> None:
    """6.1.4: by an object, and by management calls of the same person."""
    found = tables("create-and-monitor")
    acts = found["admin_actions"]
    assert columns(acts, "endpoint", "action", "outcome", "username") == [
        ("IMSMQQueueInfo", "create", "success", "admin"),
        ("IMSMQQueueInfo", "create", "failure", "admin"),
        *[("qmmgmt", "query", "success", "admin")] * 3,
    ]
    assert changes(acts[0])[:2] == [("Label", None, "orders"), ("Quota", None, "10240")]
    assert [changes(act)[0][2] for act in acts[2:]] == ["12", "340", "9"]
    (queue,) = found["queues"]
    assert set(queue["names"]) == {r"hq\private$\orders", r"DIRECT=OS:hq\private$\orders"}
    assert {act["act"] for act in queue["acts"]} >= {"created", "opened", "received", "inspected"}
    assert [one["class"] for one in found["com_objects"] if one["oid"]] == ["MSMQQueueInfo"]
    assert accused(found) == []


def test_report_tells_of_creation_and_monitoring(tmp_path: Path) -> None:
    """6.1.4, as people read it."""
    script = (FOLDER / "create-and-monitor.calls").read_text(encoding="utf-8")
    report = report_of(str(run_of_scripts(tmp_path, script)), MANIFEST)
    done = next(one for one in report.overview["summary"] if one["id"] == "done")
    administrator, clerk = sorted(plain(sentence) for sentence in done["sentences"])
    assert administrator.startswith(r"10.0.2.31 as CORP\admin → DIRECT=OS:hq\private$\orders on 10.0.2.9: ")
    assert administrator.endswith("changed or controlled it once (create) and asked about it 3 times.")
    assert clerk.startswith(r"10.0.2.40 as CORP\CLERK$ → DIRECT=OS:hq\private$\orders on 10.0.2.9: removed 1 message")


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
