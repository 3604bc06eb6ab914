"""One count of one thing: terminal, report, tables, exports and run.json agree on every example."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from pyarrow import parquet

from pipelines.cli.summary import lines
from pipelines.exports.formats import FORMATS
from pipelines.report.building import report_of
from pipelines.report.counts import READ_AS, ROWS, counts_of
from pipelines.report.sentences import plain
from pipelines.rules.tally import summed
from pipelines.run.job import RunTotals
from pipelines.store.tables import Tables
from schemas.tables import VERDICTS, WRITTEN
from schemas.tables.captures import CaptureRow
from tests.conftest import ROOT
from tests.report.runs import run_of_captures, run_of_scripts

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.report.building import Report
    from pipelines.report.counts import Counts
    from schemas.tables.findings import VerdictRow

Row = dict[str, Any]
SCRIPTS = sorted((ROOT / "tests" / "data" / "scripts").glob("*.calls"))
CAPTURES = {
    "sample": "msmq-loopback.pcap",
    "incident": "incident/orders.pcap",
    "script": "script/invoices.pcap",
}
SEALED_PURGE = """
connect interface RemoteRead auth privacy
R_OpenQueue
R_PurgeQueue
R_CloseQueue
close
connect interface RemoteRead
R_OpenQueue
R_PurgeQueue
R_PurgeQueue -> none
R_CloseQueue
close
"""
OUTCOMES = {"success": "succeeded", "failure": "refused", "unknown": "unknown"}


class Run(NamedTuple):
    folder: Path
    counts: Counts
    report: Report
    terminal: dict[str, str]

    def rows(self, section: str) -> list[Row]:
        return list(next(one.rows for one in self.report.sections if one.name == section))

    def table(self, name: str) -> list[Row]:
        return list(parquet.read_table(self.folder / "tables" / name).to_pylist())

    def exported(self, form: str, part: str) -> list[Row]:
        return [json.loads(line) for line in FORMATS[form].parts[part](str(self.folder), Counter())]


@pytest.fixture(scope="module", params=[*(path.stem for path in SCRIPTS), *CAPTURES, "sealed"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    place = tmp_path_factory.mktemp("counts")
    if request.param in CAPTURES:
        folder = run_of_captures(place / "run", ROOT / "samples" / CAPTURES[request.param])
    else:
        script = ROOT / "tests" / "data" / "scripts" / f"{request.param}.calls"
        folder = run_of_scripts(place, script.read_text(encoding="utf-8") if script.exists() else SEALED_PURGE)
    tables = Tables(str(folder))
    verdicts: list[VerdictRow] = [
        row for batch in tables.batches("verdicts", VERDICTS.names) for row in batch.to_pylist()
    ]
    tally = summed(verdicts)
    rows = {table.name: tables.count(table.name) for table in WRITTEN}
    batches = tables.batches("captures", tuple(CaptureRow.__annotations__))
    captures: list[CaptureRow] = [row for batch in batches for row in batch.to_pylist()]
    said = lines(RunTotals(captures, rows, [], tally, []), None, str(folder), "case")
    terminal = dict(re.split(r":\s+", line, maxsplit=1) for line in said if not line.startswith(" "))
    return Run(folder, counts_of(tables), report_of(str(folder), {}), terminal)


def numbers(text: str) -> dict[str, int]:
    """`2 sessions` and `purge 2` alike."""
    before = [(word.removesuffix("s"), count) for count, word in re.findall(r"(\d[\d,]*) ([a-z]+)", text)]
    behind = re.findall(r"([a-z][a-z ]*?) (\d[\d,]*)\b", text)
    return {word: int(count.strip(",").replace(",", "")) for word, count in (*behind, *before)}


def test_things_are_as_many_as_their_tables_have_rows(run: Run) -> None:
    kept = numbers(run.terminal["kept"])
    totals = {one.name: one.total for one in run.report.sections}
    said = numbers(plain(run.report.overview["summary"][0]["sentences"][1]))
    for name, count in run.counts.rows.items():
        assert kept[name.removesuffix("s")] == count, name
        assert len(run.table(ROWS[name])) == count, name
        assert totals.get(name, count) == count or name == "calls", name
        assert said[name.removesuffix("s")] == count, name


def test_reads(run: Run) -> None:
    told = numbers(run.terminal["read"])
    words = {"peeked": "peeked", "put_back": "put", "cut_off": "cut", "in_doubt": "in"}
    assert {name: told.get(words.get(name, name), 0) for name in run.counts.reads} == run.counts.reads
    read = [event for event in run.exported("timesketch", "reads") if event["data_type"] == "windows:msmq:read"]
    documents = [one["msmq"]["read"] for one in run.exported("ecs", "reads")]
    for rows in (read, documents, [one["unmapped"] for one in run.exported("ocsf", "reads")], run.table("reads")):
        outcomes = ((row.get("outcome") or row["tag"][0], row.get("doubt")) for row in rows)
        found = Counter("in_doubt" if doubt else READ_AS[outcome] for outcome, doubt in outcomes if outcome in READ_AS)
        assert {name: found[name] for name in run.counts.reads} == run.counts.reads
    in_sessions = {"removed": "removed", "peeked": "peeked", "put_back": "put_back"}
    if all(row["session_uid"] for row in run.table("reads")):
        for ours, theirs in in_sessions.items():
            assert sum(row[theirs] for row in run.rows("touches")) == run.counts.reads[ours], ours


def test_acts_and_purges(run: Run) -> None:
    purges = run.counts.purges
    done, _, unknown = run.terminal["changed"].partition("result not known: ")
    for action, acts in run.counts.changes.items():
        name = {"other": "unknown action"}.get(action, action.replace("_", " "))
        assert (numbers(done).get(name, 0), numbers(unknown).get(name, 0)) == (acts.succeeded, acts.unknown), action
    told = Counter((row["action"], row["outcome"]) for row in run.table("admin_actions") if not row["is_query"])
    for form in ("timesketch", "ecs", "ocsf"):
        assert exported_acts(run, form) == told, form
    assert purges.asked == told["purge", "success"] + told["purge", "failure"] + told["purge", "unknown"]
    touches, events = run.rows("touches"), [row for row in run.rows("events") if row["kind"] == "purge"]
    assert sum(row["purges"] for row in touches) == purges.succeeded
    assert sum(row["purges_unknown"] for row in touches) == purges.unknown
    assert sum(row["count"] for row in events) == purges.asked
    assert sum(row["count"] for row in events if row["outcome"] == "done") == purges.succeeded
    assert sum(row["purges"] for row in run.rows("sessions")) == sum(row["purges"] for row in run.table("sessions"))
    assert sum(row["purged"] for row in run.rows("queues")) == purges.succeeded


def exported_acts(run: Run, form: str) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    words = {0: "unknown", 1: "success", 2: "failure"}
    for one in run.exported(form, "admin_actions"):
        if form == "timesketch":
            found[one["action"], one["tag"][0]] += 1
        elif form == "ecs" and one["event"]["type"] != ["access"]:
            found[one["event"]["action"], one["event"]["outcome"]] += 1
        elif form == "ocsf" and not one["unmapped"]["is_query"]:
            found[one["activity_name"], words[one["status_id"]]] += 1
    return found


def test_findings_and_what_is_undecided(run: Run) -> None:
    total = sum(run.counts.findings.values())
    assert {
        level: numbers(run.terminal["findings"]).get(level, 0) for level in run.counts.findings
    } == run.counts.findings
    overview = run.report.overview
    assert overview["findings"] == total == sum(overview["levels"].values())
    assert (
        (overview["verdicts"]["not_decidable"])
        == run.counts.undecided
        == numbers(run.terminal["undecided"]).get("verdict", 0)
    )
    assert sum(row["count"] for row in run.rows("findings")) == total
    assert sum(row["count"] for row in run.rows("questions")) == run.counts.undecided
    assert sum(row["findings"] for row in run.rows("sessions")) == sum(
        row["count"] for row in run.table("findings") if row["session_uid"] and row["verdict"] != "not_decidable"
    )
    assert sum(line["n"] for line in run.exported("zeek-json", "notice")) == total
    assert sum(one["msmq"]["finding"]["count"] for one in run.exported("ecs", "findings")) == total
    assert sum(one["count"] for one in run.exported("ocsf", "findings")) == total
    assert sum(event.get("findings", 0) for event in run.exported("timesketch", "")) == total


def test_manifest_tells_the_same(run: Run) -> None:
    told = run.counts.as_json
    assert json.loads(json.dumps(told)) == told
    assert told["changes"].get("purge", {"succeeded": 0, "refused": 0, "unknown": 0}) == {
        name: getattr(run.counts.purges, name) for name in OUTCOMES.values()
    }
    assert (told["queues"], told["sessions"]) == (run.counts.rows["queues"], run.counts.rows["sessions"])
