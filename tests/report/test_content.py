"""What the report says of the examples of the documents, and of the sample."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

from pipelines.report.building import report_of
from pipelines.report.events import LEVELS, Events
from pipelines.report.findings import most_of_a_rule
from pipelines.report.handles import NAMINGS
from pipelines.report.limits import LADDER_CALLS
from pipelines.report.rendering import rendered
from pipelines.report.sentences import enumerated, link, plain, sentence
from schemas.tables import TYPED
from tests.report.runs import MANIFEST, run_of_rows, run_of_scripts

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.report.building import Report

Row = dict[str, Any]
ORDERS = r"DIRECT=OS:hq\private$\orders"


def rows(report: Report, name: str) -> list[Row]:
    return list(next(section.rows for section in report.sections if section.name == name))


def texts(report: Report, group: str) -> list[str]:
    found = next(one for one in report.overview["summary"] if one["id"] == group)
    return [plain(sentence) for sentence in found["sentences"]]


@pytest.fixture(scope="module")
def examples(family: Path) -> Report:
    return report_of(str(family), MANIFEST)


@pytest.fixture(scope="module")
def sample_report(sampled: Path) -> Report:
    return report_of(str(sampled), MANIFEST)


def test_summary_says_who_did_what_for_whom(examples: Report) -> None:
    who = r"10.0.0.10 as CORP\SUPPORT$ for 10.0.0.20 (CORP\alice) → DIRECT=OS:hq\private$\orders on 10.0.0.9: "
    (told,) = (text.removeprefix(who) for text in texts(examples, "done") if text.startswith(who))
    assert re.fullmatch(
        r"purged it once, removed 2 messages and peeked at 3 messages; [\d.]+ kB of messages left the server\.", told
    )


def test_summary_names_the_worst_first_with_its_frames(sample_report: Report) -> None:
    assert texts(sample_report, "found")[0] == (
        " A queue was purged, once, by 127.0.0.2, about DIRECT=OS:hq-mq01\\private$\\orders (name in doubt), "
        "at 2026-11-16 03:51:10.547 UTC, frames 194 and 195."
    )
    assert texts(sample_report, "damage") == [
        "Nothing: all captures are whole, and no bytes of the kept connections are missing."
    ]
    assert "The capture ended first. (twice)" in texts(sample_report, "undecided")


def test_next_steps_follow_from_what_is_missing(sample_report: Report) -> None:
    steps = [plain(one) for one in sample_report.overview["next"]]
    assert any("only the number is known" in one for one in steps)
    assert any("Captures from after 2026-11-16 03:51:10.612 UTC would decide" in one for one in steps)


def test_ladder_of_a_link_has_the_calls_of_all_three_hosts(examples: Report) -> None:
    (session,) = (
        row for row in rows(examples, "sessions") if row["endpoint"] == "qm2qm" and row["purges"] and row["link_uid"]
    )
    calls = [row for row in rows(examples, "calls") if row["session_uid"] == session["session_uid"]]
    assert [(row["client"], row["operation"]) for row in calls] == [
        ("10.0.0.20", "R_QMOpenRemoteQueue"),
        ("10.0.0.10", "RemoteQMOpenQueue"),
        ("10.0.0.10", "RemoteQMPurgeQueue"),
        ("10.0.0.10", "RemoteQMCloseQueue"),
    ]
    assert [row["result"] for row in calls] == ["MQ_OK"] * 4
    assert (session["queue"], session["opened_for_user"]) == (ORDERS, r"CORP\alice")


def test_every_call_of_a_session_is_in_its_ladder(sample_report: Report) -> None:
    session = max(rows(sample_report, "sessions"), key=lambda row: row["acked"])
    calls = [row for row in rows(sample_report, "calls") if row["session_uid"] == session["session_uid"]]
    assert calls[0]["operation"] == "RemoteQMOpenQueue"
    assert calls[-1]["operation"] == "RemoteQMCloseQueue"
    told = [(row["note"], row["label"], row["bytes"]) for row in calls if row["note"]]
    assert told[:3] == [
        ("peeked", "order-1001", 232),
        ("acked", "order-1001", 232),
        ("nacked", "order-1002", 260),
    ]
    assert session["calls_left_out"] == 0


def test_timeline_has_each_act_once_with_its_frames(examples: Report) -> None:
    events = rows(examples, "events")
    purges = [row for row in events if row["kind"] == "purge"]
    assert [(row["queue"], row["outcome"]) for row in purges] == [
        (ORDERS, "done"),
        ("queue number 0x00000021", "done"),
    ]
    assert all(row["request_frames"] and row["session_uid"] for row in purges)
    changed = next(row for row in events if row["what"].startswith("Set properties"))
    assert changed["what"] == (
        "Set properties of queue: journal: MQ_JOURNAL_NONE (0) → MQ_JOURNAL (1); label: returns → returned goods"
    )
    assert {row["kind"] for row in events} == {"finding", "purge", "admin", "move", "read", "query"}
    refused = [row for row in events if row["outcome"] == "refused" and row["kind"] == "admin"]
    assert [row["what"][:15] for row in refused] == ["Create of queue"]


def test_messages_say_where_they_were_seen(examples: Report) -> None:
    message = max(rows(examples, "messages"), key=lambda row: row["sightings"])
    assert {one[2] for one in message["seen"]} == {"received", "peeked"}
    assert len(message["seen"]) == 12 < message["sightings"]


def test_accounts_are_those_of_the_security_contexts(examples: Report) -> None:
    accounts = {row["user"]: row for row in rows(examples, "principals")}
    assert accounts[r"CORP\alice"]["hosts"] == ["10.0.0.20"]
    assert accounts[r"CORP\admin"]["accepted"] > 0
    assert accounts[r"CORP\SUPPORT$"]["workstations"] == ["SUPPORT"]
    assert {row["user"] for row in rows(examples, "findings")} <= {*accounts, None}


def test_same_tables_give_the_same_bytes_however_they_are_spread(family: Path, tmp_path: Path) -> None:
    tables = {folder.name: parquet.read_table(folder) for folder in sorted((family / "tables").iterdir())}
    spread = run_of_rows(tmp_path / "spread", {name: table[::-1] for name, table in tables.items()}, parts=3)
    manifest = json.loads((family / "run.json").read_text())
    whole = rendered(report_of(str(family), manifest))
    assert rendered(report_of(str(spread), manifest)) == whole
    assert rendered(report_of(str(spread), manifest | {"started": "2031", "finished": "2032"})) == whole


def test_damage_is_told(tmp_path: Path) -> None:
    folder = run_of_scripts(
        tmp_path,
        """
        connect midstream
        RemoteQMStartReceive
        close
        """,
    )
    report = report_of(str(folder), MANIFEST)
    assert "1 connection began before the capture did." in texts(report, "damage")
    (gap,) = rows(report, "gaps")
    assert gap["starts_midstream"] is True


def test_every_handle_that_is_looked_for_is_in_its_table() -> None:
    types = {table.name: table.arrow for table in TYPED.values()}
    for naming in NAMINGS:
        side, name = naming.column.split(".")
        field = types[naming.table].field(side).type.field(name)
        assert str(field.type) == ("int64" if naming.number else "string"), naming


def test_levels_of_the_timeline_get_coarser() -> None:
    for finer, coarser in pairwise(LEVELS):
        assert coarser.alike <= finer.alike
        assert coarser.width_us is None or (finer.width_us or 0) <= coarser.width_us
        assert not finer.width_us or not coarser.width_us or coarser.width_us % finer.width_us == 0


def test_a_line_for_many_events_says_so() -> None:
    events = Events()
    for number in range(20_000):
        events.add("move", number * 1_000, what="Message moved", client=f"10.0.0.{number % 5}", server="10.0.0.9")
    section = events.section({}, {})
    assert len(section.rows) <= 3_000
    assert sum(row["count"] for row in section.rows) == 20_000
    assert section.packed["said"] == "Moves alike within 1 second are one line with their count."


@pytest.mark.parametrize(
    ("counts", "room", "told"),
    [([5, 7], 100, 12), ([951, 20_000], 20_000, 20_000), ([30, 60, 90], 150, 150), ([500, 500, 500], 100, 99)],
)
def test_rules_that_say_little_leave_their_room_to_others(counts: list[int], room: int, told: int) -> None:
    assert sum(min(count, most_of_a_rule(counts, room)) for count in counts) == told


def test_undecided_takes_no_room_from_what_was_found(examples: Report) -> None:
    assert {row["verdict"] for row in rows(examples, "findings")} == {"violation", "detection"}
    assert {row["verdict"] for row in rows(examples, "questions")} == {"not_decidable"}
    assert sum(row["count"] for row in rows(examples, "findings")) == examples.overview["findings"]
    assert not [row for row in rows(examples, "events") if "?" in row["what"]]


def test_sentences() -> None:
    assert plain(enumerated([sentence("a"), sentence("b"), sentence("c")])) == "a, b and c"
    assert link("x", "queue", r"a\b/c", "<1>") == ["x", "queue/a%5Cb%2Fc/%3C1%3E"]


def test_sentences_have_no_holes(examples: Report, sample_report: Report) -> None:
    for report in (examples, sample_report):
        told = [one for group in report.overview["summary"] for one in group["sentences"]] + report.overview["next"]
        for text in told:
            assert re.fullmatch(r" ?[^\s].*[.:)]", plain(text)), plain(text)
            assert "None" not in plain(text)


def test_long_ladders_keep_their_ends_and_say_where_calls_are_missing(tmp_path: Path) -> None:
    reads = "R_StartReceive\nR_EndReceive\n" * 100
    folder = run_of_scripts(
        tmp_path, f"connect interface RemoteRead\nR_OpenQueue\n{reads}R_PurgeQueue\nR_CloseQueue\nclose\n"
    )
    report = report_of(str(folder), MANIFEST)
    (session,) = rows(report, "sessions")
    calls = rows(report, "calls")
    assert len(calls) == LADDER_CALLS
    assert session["calls_left_out"] == 203 - LADDER_CALLS
    assert [row["operation"] for row in calls[-2:]] == ["R_PurgeQueue", "R_CloseQueue"]
    assert calls[0]["operation"] == "R_OpenQueue"
    assert calls[-3]["ts"] <= session["left_out_after"] < calls[-2]["ts"]


def test_every_finding_is_told_once_with_its_act_or_alone(examples: Report, sample_report: Report) -> None:
    for report in (examples, sample_report):
        events = rows(report, "events")
        alone = sum(row["count"] for row in events if row["kind"] == "finding")
        with_acts = sum(
            row["count"] * len(row["rule_id"].split(","))
            for row in events
            if row["kind"] != "finding" and row["rule_id"]
        )
        assert alone + with_acts == report.overview["findings"]
        assert with_acts > 0
    (purge,) = (row for row in rows(sample_report, "events") if row["kind"] == "purge")
    assert (purge["level"], "detect-purge" in purge["rule_id"].split(",")) == ("high", True)
    assert not [row for row in rows(sample_report, "events") if row["what"] == "A queue was purged"]


def test_what_a_transaction_undid_was_not_sent(tmp_path: Path) -> None:
    ends = {"orig_h": "10.0.0.1", "orig_p": 50000, "resp_h": "10.0.0.2", "resp_p": 2105}
    sent = {"operation": "rpc_ACSendMessageEx", "uid": "C1", "id": ends, "capture_id": "c", "queue_name": ORDERS}
    rows_of = [sent | {"call_uid": f"R{outcome}", "outcome": outcome} for outcome in ("success", "aborted", "rundown")]
    report = report_of(str(run_of_rows(tmp_path / "run", {"sends": rows_of})), MANIFEST)
    assert {row["outcome"] for row in rows(report, "events")} == {
        "done",
        "undone by an abort",
        "undone by a disconnect",
    }
