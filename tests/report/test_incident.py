"""What the report says of the incident: who did it for whom, what is sealed, in doubt, missing and proven."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

from decoders.security.accounts import Account
from pipelines.report.building import report_of
from pipelines.report.rendering import rendered
from pipelines.report.sentences import plain
from tests.report.runs import MANIFEST, run_of_captures, run_of_rows, run_of_scripts
from tests.report.test_content import rows, texts

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.report.building import Report

Row = dict[str, Any]
ORDERS = r"DIRECT=OS:hq\private$\orders"
JDOE, LAPTOP = r"CORP\jdoe", r"CORP\LAPTOP66$"


@pytest.fixture(scope="module")
def told(incident: Path) -> Report:
    return report_of(str(incident), MANIFEST)


def changed(folder: Path, to: Path, **tables: list[Row]) -> Report:
    """The same run with other rows in some tables."""
    found: dict[str, Any] = {place.name: parquet.read_table(place) for place in sorted((folder / "tables").iterdir())}
    return report_of(str(run_of_rows(to, found | tables)), MANIFEST)


def table(folder: Path, name: str) -> list[Row]:
    return list(parquet.read_table(folder / "tables" / name).to_pylist())


def test_acts_count_for_accounts_and_for_when_they_were_there(told: Report) -> None:
    accounts = {row["user"]: row for row in rows(told, "principals")}
    jdoe, laptop = accounts[JDOE], accounts[LAPTOP]
    acts = [row for row in rows(told, "acts") if row["user"] == JDOE]
    assert jdoe["last"] == max(row["ts"] for row in acts)
    assert (jdoe["administered"], jdoe["inspected"], jdoe["sealed"], jdoe["purges"]) == (1, 1, 3, 1)
    assert (laptop["administered"], laptop["purges"]) == (0, 1)
    assert next(row["user"] for row in rows(told, "principals")) == JDOE, "who changed most comes first"
    assert {row["address"]: row["administered"] for row in rows(told, "hosts")}["10.20.0.66"] == 1


def test_purge_is_an_act_of_both_who_did_it_and_for_whom(told: Report) -> None:
    (purge,) = (row for row in rows(told, "acts") if row["kind"] == "purge")
    assert (purge["user"], purge["opened_for_user"], purge["outcome"]) == (LAPTOP, JDOE, "done")


def test_purge_without_a_session_counts_once(incident: Path, tmp_path: Path) -> None:
    acts = [row | {"session_uid": None} for row in table(incident, "admin_actions")]
    sessions = [row | {"purges": 0} for row in table(incident, "sessions")]
    report = changed(incident, tmp_path, admin_actions=acts, sessions=sessions)
    assert {row["user"]: row["purges"] for row in rows(report, "principals")}[LAPTOP] == 1
    assert [row["purges"] for row in rows(report, "touches") if row["user"] == LAPTOP] == [1]


def test_findings_say_which_queue_and_for_whom(told: Report) -> None:
    (purged,) = (row for row in rows(told, "findings") if row["rule_id"] == "detect-purge")
    assert (purged["queue"], purged["opened_for_user"]) == (ORDERS, JDOE)
    assert f"(CORP\\LAPTOP66$) for {JDOE}, about {ORDERS}, at " in texts(told, "found")[0]


def test_findings_without_a_session_have_the_queue_of_the_act(family: Path) -> None:
    report = report_of(str(family), MANIFEST)
    (stopped,) = (row for row in rows(report, "findings") if row["rule_id"] == "detect-service-disruption")
    assert stopped["session_uid"] is None
    assert stopped["queue"] == r"DIRECT=OS:branch7\private$\orders"


def test_what_is_sealed_says_so_once(told: Report) -> None:
    sealed = [row for row in rows(told, "events") if row["outcome"] == "sealed"]
    assert [(row["what"], row["doubt"]) for row in sealed] == [
        ("An inquiry, sealed", None),
        ("An inquiry, sealed", None),
        ("An action, sealed", None),
    ]
    assert not any("not captured" in row["what"] for row in rows(told, "events"))
    assert any(text.endswith("made 3 sealed calls of management.") for text in texts(told, "done"))


def test_change_of_rights_is_told_in_words_with_what_was_before(told: Report) -> None:
    (act,) = (row for row in rows(told, "acts") if row["operation"] == "R_QMSetObjectSecurityInternal")
    assert act["what"] == (
        "Set security of queue: Everyone: full control "
        "(before: account …-1104: full control; Everyone: send, get properties and see rights)"
    )
    ((name, _, old, new, before, now, shown_by),) = act["changes"]
    assert (name, new, now) == ("security", "D:(A;;0xf003f;;;WD)", ["Everyone: full control"])
    assert old.startswith("D:(A;;0xf003f;;;S-1-5-21-")
    assert old.endswith("(A;;0x20024;;;WD)"), "in full"
    assert before[-1] == "Everyone: send, get properties and see rights"
    assert shown_by in {row["call_uid"] for row in rows(told, "acts")}
    assert any("(set security: Everyone: full control)" in text for text in texts(told, "done"))
    assert any(plain(one).startswith("Rights were set once: ") for one in told.overview["next"])


def test_act_has_all_that_proves_it(told: Report) -> None:
    (act,) = (row for row in rows(told, "acts") if row["kind"] == "admin" and row["outcome"] == "done")
    assert act["result"] == "MQ_OK"
    assert act["auth_level"] == 5
    assert act["request_frames"]
    assert act["response_frames"]


def test_reads_in_doubt_are_not_counted_as_facts(told: Report) -> None:
    (session,) = (row for row in rows(told, "sessions") if row["opened_for_user"] == JDOE)
    assert (session["acked"], session["rundown"], session["in_doubt"]) == (2, 0, 1)
    assert (session["rundown_bytes"], session["in_doubt_bytes"]) == (0, 468)
    (text,) = (text for text in texts(told, "done") if "purged it once" in text)
    assert "read 1 message with an end that is in doubt" in text
    assert "without an end" not in text


def test_ladder_says_what_is_missing_and_where(told: Report) -> None:
    (session,) = (row for row in rows(told, "sessions") if row["opened_for_user"] == JDOE)
    holes = [row for row in rows(told, "holes") if row["session_uid"] == session["session_uid"]]
    assert [row["said"] for row in holes] == [
        "72 bytes of the client were not captured",
        "The server answered a call that was not captured",
    ]
    calls = {row["operation"]: row["ts"] for row in rows(told, "calls") if row["session_uid"] == session["session_uid"]}
    assert all(calls["RemoteQMStartReceive2"] <= hole["ts"] < calls["RemoteQMPurgeQueue"] for hole in holes)
    assert holes[1]["response_frames"]
    assert not [row for row in rows(told, "holes") if row["session_uid"] != session["session_uid"]]


def test_secret_that_fits_proves_who_knew_it(incident: Path, tmp_path: Path) -> None:
    secrets = {"jdoe": "right", "svc-orders": "wrong"}
    principals = [row | {"secret": secrets.get(row["username"])} for row in table(incident, "principals")]
    report = changed(incident, tmp_path, principals=principals)
    sure = texts(report, "sure")
    assert rf"Of {JDOE} signatures prove that the client knew the secret." in sure
    assert r"Of CORP\svc-orders the secret given is not, or not always, the one used." in sure
    accounts = {row["user"]: (row["right"], row["wrong"]) for row in rows(report, "principals")}
    assert accounts == {JDOE: (2, 0), LAPTOP: (0, 0), r"CORP\svc-orders": (0, 1)}
    assert {row["user"]: row["proven"] for row in rows(report, "sessions")} == {
        LAPTOP: None,
        r"CORP\svc-orders": "wrong",
    }


def test_secret_that_was_given_opens_and_proves(incident: Path, tmp_path: Path) -> None:
    (capture,) = (incident.parent / "captures").iterdir()
    jdoe = Account("jdoe", password="Winter-2026")
    report = report_of(str(run_of_captures(tmp_path, capture, accounts=[jdoe])), MANIFEST)
    assert rf"Of {JDOE} signatures prove that the client knew the secret." in texts(report, "sure")
    assert not [row for row in rows(report, "acts") if row["outcome"] == "sealed"]
    assert any(row["what"] == "Disconnect of machine" for row in rows(report, "acts"))
    assert {row["user"]: row["administered"] for row in rows(report, "principals")}[JDOE] == 2


def test_ticket_that_was_opened_tells_the_name(incident: Path, tmp_path: Path) -> None:
    as_ticket = {"secret": "right", "mechanism": "kerberos", "ntlm_version": None}
    report = changed(incident, tmp_path, principals=[row | as_ticket for row in table(incident, "principals")])
    (told,) = (text for text in texts(report, "sure") if "tickets" in text)
    assert told.endswith(" tickets tell the name, and signatures prove that the client could use them.")


MANY = re.compile(r"\b1 (?:\w+ ){0,2}(?:are|have|were|matter)\b|\b1 \w+s\b(?<!1 bytes)|\bthat matters, with 2")


def test_one_of_a_kind_is_one(told: Report, tmp_path: Path) -> None:
    script = "connect interface RemoteRead auth privacy\nR_PurgeQueue -> none\nclose\n"
    alone = report_of(str(run_of_scripts(tmp_path, script)), MANIFEST)
    for report in (told, alone):
        said = [plain(one) for group in report.overview["summary"] for one in group["sentences"]]
        said += [plain(one) for one in report.overview["next"]]
        assert not [text for text in said if MANY.search(text)]
    assert "In it 1 connection that matters, with 1 call: " in texts(alone, "captured")[1]
    assert "1 call has no answer in the captures." in texts(alone, "damage")
    assert "1 call is sealed: operation and size are known, values are not." in texts(alone, "sure")
    assert "Of 1 call only the answer was captured, not what was asked." in texts(told, "damage")


def test_answer_without_question_is_not_a_question_without_answer(told: Report) -> None:
    assert not [text for text in texts(told, "damage") if "no answer" in text]


def test_report_is_the_same_however_its_tables_are_spread(incident: Path, tmp_path: Path) -> None:
    tables = {place.name: parquet.read_table(place)[::-1] for place in sorted((incident / "tables").iterdir())}
    spread = run_of_rows(tmp_path / "spread", tables, parts=3)
    assert rendered(report_of(str(spread), MANIFEST)) == rendered(report_of(str(incident), MANIFEST))


def test_gap_stands_behind_the_last_call_before_it(incident: Path, tmp_path: Path) -> None:
    """Also in front of all, and of what the server sent."""
    (gap,) = table(incident, "issues")
    client = re.sub(r"from \S+ are", "from 10.20.0.66:50005 are", gap["detail"])
    server = client.replace("10.20.0.66:50005", "10.20.0.9:2105").replace("72 ", "1 ")
    more = [gap, gap | {"offset": 430, "detail": client}, gap | {"offset": 3_032, "detail": server}]
    holes = [row for row in rows(changed(incident, tmp_path, issues=more), "holes") if not row["response_frames"]]
    assert [row["said"] for row in holes] == [
        "72 bytes of the client were not captured",
        "1 byte of the server was not captured",
    ], "the one in front of the session is not its own"
    assert holes[0]["ts"] < holes[1]["ts"]
