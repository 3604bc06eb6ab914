"""Events as Timesketch takes them."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pipelines.exports.formats import FORMATS
from schemas.tables import ADMIN_ACTIONS, CALLS, MESSAGES, MOVES, SESSIONS
from tests.exports.run_folder import Row, decided_findings, write

if TYPE_CHECKING:
    from pathlib import Path

NOW = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
ENDS = {"orig_h": "10.0.0.1", "orig_p": 50000, "resp_h": "10.0.0.2", "resp_p": 2105}


def events(folder: Path, table: str = "", untimed: Counter[str] | None = None) -> list[Row]:
    lines = FORMATS["timesketch"].parts[table](str(folder), Counter() if untimed is None else untimed)
    return [json.loads(line) for line in lines]


def test_every_event_has_what_timesketch_wants(sample_run: Path) -> None:
    found = events(sample_run)
    assert len(found) > 40
    for event in found:
        assert event["message"]
        time = dt.datetime.fromisoformat(event["datetime"])
        assert time.utcoffset() == dt.timedelta(0)
        assert time == dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=event["timestamp"])
        assert event["timestamp_desc"]
        assert event["data_type"].startswith("windows:msmq:")
        assert isinstance(event["tag"], list)


def test_what_the_sample_gives(sample_run: Path) -> None:
    kinds = Counter((event["data_type"], event["timestamp_desc"]) for event in events(sample_run))
    assert kinds == {
        ("windows:msmq:rpc_call", "RPC Call"): 8,
        ("windows:msmq:rpc_call", "RPC Fault"): 1,
        ("windows:msmq:session", "Session Start"): 4,
        ("windows:msmq:session", "Session End"): 3,
        ("windows:msmq:read", "Message Read"): 9,
        ("windows:msmq:read", "Message Asked For"): 4,
        ("windows:msmq:arrival", "Message Arrival"): 5,
    } | {key: count for key, count in kinds.items() if key[1] in ("Message Sent", "Administration", "Finding")}


def test_calls_of_other_interfaces_are_not_told(sample_run: Path) -> None:
    assert {event["endpoint"] for event in events(sample_run, "calls")} == {"qm2qm", "qmmgmt"}


def test_act_is_one_event_with_what_was_found_of_it(incident_run: Path) -> None:
    found = events(incident_run)
    (purge,) = (event for event in found if "purge" in event["message"].lower())
    assert purge["message"] == (
        r"purge DIRECT=OS:hq\private$\orders CORP\LAPTOP66$ for jdoe 10.20.0.66 -> 10.20.0.9:2105 success"
    )
    assert purge["tag"] == ["success", "high", "detection", "T1485"]
    assert (purge["finding"], purge["rule_id"], purge["level"]) == (["A queue was purged"], ["detect-purge"], "high")


def test_what_a_script_does_is_told_member_by_member(script_run: Path) -> None:
    found = events(script_run)
    (purge,) = (event for event in found if "purge" in event["message"].lower())
    assert purge["message"] == r"purge hq\private$\invoices CORP\mkeller 10.20.0.77 -> 10.20.0.9:49700 success"
    assert purge["finding"] == ["A queue was purged"]
    called = Counter(event["message"].split()[0] for event in found if event["data_type"] == "windows:msmq:com_call")
    assert called == {
        "MSMQApplication.PrivateQueues": 1,
        "MSMQQueueInfo.PathName": 2,
        "MSMQQueueInfo.Label": 1,
        "MSMQMessage.Label": 4,
        "MSMQMessage.Body": 3,
    }


@pytest.mark.parametrize("run", ["sample_run", "incident_run", "script_run"])
def test_every_act_and_every_finding_is_told_once(run: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(run)
    found = events(folder)
    told = Counter(
        event[name] for event in found for name in ("call_uid", "start_call_uid", "end_call_uid") if event.get(name)
    )
    assert set(told.values()) == {1}
    assert sum(event.get("findings", 0) for event in found) == decided_findings(folder)


def test_read_stands_at_its_time_and_the_arrival_accuses_nobody(incident_run: Path) -> None:
    found = events(incident_run, "reads")
    read = [event for event in found if event.get("opened_for_username") == "jdoe"]
    assert {event["datetime"][11:22] for event in read} == {"08:01:05.07", "08:01:05.08"}
    assert {event["queue_name"] for event in read} == {r"DIRECT=OS:hq\private$\orders"}
    arrivals = [event for event in found if event["timestamp_desc"] == "Message Arrival"]
    assert len(arrivals) == len({event["message_uid"] for event in arrivals}) == 5
    for event in arrivals:
        assert not {"username", "domain", "id.orig_h", "uid", "session_uid", "read_uid", "action"} & event.keys()
        assert "10.20.0.66" not in event["message"]


@pytest.mark.parametrize(
    ("table", "row", "message", "means"),
    [
        (
            MOVES,
            {"ts": NOW, "queue_name": "a", "target_queue_name": "a;poison", "outcome": "success"},
            "message moved from a to a;poison 10.0.0.1 -> 10.0.0.2:2105 success",
            "Message Move",
        ),
        (
            MESSAGES,
            {"sent_ts": NOW, "message_uid": "M1", "destination_queue": "DIRECT=OS:x\\private$\\q"},
            "message M1 to DIRECT=OS:x\\private$\\q",
            "Message Sent",
        ),
        (
            SESSIONS,
            {"ts": NOW, "state": "open_not_seen", "queue_handle": 18},
            "queue 0x00000012 10.0.0.1 -> 10.0.0.2:2105 open_not_seen",
            "Session First Seen",
        ),
        (
            ADMIN_ACTIONS,
            {"ts": NOW, "action": "pause", "is_query": False, "outcome": "unknown"},
            "pause ? 10.0.0.1 -> 10.0.0.2:2105 unknown",
            "Administration",
        ),
    ],
    ids=["move", "message", "session", "administration"],
)
def test_events_of_other_tables(tmp_path: Path, table: type, row: Row, message: str, means: str) -> None:
    write(tmp_path, table, [{"id": ENDS, **row}])  # type: ignore[arg-type]
    (event,) = events(tmp_path)
    assert (event["message"], event["timestamp_desc"]) == (message, means)


def test_questions_are_no_acts(tmp_path: Path) -> None:
    write(tmp_path, ADMIN_ACTIONS, [{"ts": NOW, "action": "query", "is_query": True, "outcome": "success", "id": ENDS}])
    assert events(tmp_path) == []


def test_rows_without_a_time_are_counted(tmp_path: Path) -> None:
    uuid = "1088a980-eae5-11d0-8d9b-00a02453c337"
    write(tmp_path, CALLS, [{"call_uid": "R1", "interface_uuid": uuid, "outcome": "answered", "id": ENDS}])
    write(tmp_path, SESSIONS, [{"ts": NOW, "opened_ts": NOW, "state": "open_at_end", "id": ENDS}])
    untimed: Counter[str] = Counter()
    assert [event["timestamp_desc"] for event in events(tmp_path, untimed=untimed)] == ["Session Start"]
    assert +untimed == {"calls": 1}
