"""A run's folder to its report: every table is read once or twice, none is held."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pipelines.facts.reasons import REASONS
from pipelines.report import timeline
from pipelines.report.acts import ReportedActs
from pipelines.report.census import census_of
from pipelines.report.counts import counts_of
from pipelines.report.damage import damage_of
from pipelines.report.doubts import Doubts
from pipelines.report.events import Events
from pipelines.report.facts import Facts
from pipelines.report.findings import (
    UNDECIDED,
    chosen_findings,
    chosen_questions,
    findings_section,
    questions_section,
    rank,
    sessions_with_findings,
)
from pipelines.report.holes import holes_section
from pipelines.report.judgement import WORTH, judgement_of
from pipelines.report.ladders import Ladders, calls_by_uid
from pipelines.report.limits import MAX_ROWS
from pipelines.report.messages import messages_section
from pipelines.report.next_steps import next_steps
from pipelines.report.objects import objects_section
from pipelines.report.packing import clipped
from pipelines.report.people import People, proven
from pipelines.report.quality import quality_of
from pipelines.report.queues import QueueLabels, Queues, queue_rows
from pipelines.report.rule_hits import RuleHits
from pipelines.report.sessions import READ, ChosenSessions, by_uid, with_ladder
from pipelines.report.summary import summary
from pipelines.report.touches import Touches
from pipelines.store.tables import Tables
from pipelines.store.version import VERSION
from schemas.tables.sessions import NAMING_DOUBTS_MEAN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.report.judgement import Judgement
    from pipelines.report.packing import Section

Row = dict[str, Any]
_OF_MANIFEST: Final = ("case", "version", "parameters", "run", "pruned_before")
"""Of run.json, what is the same in every run over the same captures: not when it ran."""


@dataclass(frozen=True, slots=True)
class Report:
    overview: Row
    rules: list[Row]
    sections: tuple[Section, ...]


def report_of(folder: str, manifest: Mapping[str, Any], gate_over: Callable[[], object] = lambda: None) -> Report:
    """`gate_over`: waits for what the gate may still be writing."""
    tables = Tables(folder)
    judgement, damage = judgement_of(tables), damage_of(tables)
    findings = chosen_findings(tables, judgement.most_of_a_rule(MAX_ROWS["findings"], *WORTH))
    questions = chosen_questions(tables, judgement.most_of_a_rule(MAX_ROWS["questions"], UNDECIDED))
    seen = _look_at_sessions(tables, findings.rows)
    events, ladders = seen.events, seen.ladders
    attached = RuleHits(tables)
    timeline.add_findings(events, tables, judgement.titles, attached)
    sessions = by_uid(seen.chosen)
    acts = ReportedActs(sessions)
    for act in acts.each(tables):
        timeline.add_act(events, act, attached)
        seen.touches.act(act)
        seen.people.act(act)
    told_acts = acts.rows()
    timeline.add_moves(events, tables, attached)
    timeline.add_reads(events, tables, attached)
    timeline.add_sent(events, tables, attached)
    calls = calls_by_uid(tables, {*ladders.sessions_of, *events.calls()})
    touches = seen.touches.rows()
    hosts, principals, messages = seen.people.hosts(tables), seen.people.principals(tables), messages_section(tables)
    facts = Facts(
        counts_of(tables),
        damage,
        judgement,
        census_of(tables),
        None,
        findings.rows,
        touches,
        seen.touches.total,
        seen.touches.deeds(told_acts),
        seen.doubtful,
        seen.queues.unnamed,
        principals.total,
        principals.rows,
    )
    sections = (
        findings_section(findings, judgement.findings),
        questions_section(questions),
        seen.picker.section(seen.chosen, seen.sessions, ladders.left_out, proven(tables, seen.chosen)),
        ladders.section(calls),
        holes_section(tables, ladders.sessions, ladders.by_session(calls)),
        acts.section(told_acts),
        events.section(calls, sessions),
        seen.touches.section(touches),
        seen.queues.section(seen.queues.rows()),
        hosts,
        principals,
        messages,
        objects_section(tables),
        damage.captures,
        damage.gaps,
        damage.issues,
    )
    gate_over()
    return Report(_overview(replace(facts, quality=quality_of(folder)), manifest), judgement.rules, sections)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one look at all sessions and queues came to."""

    picker: ChosenSessions
    chosen: list[Row]
    touches: Touches
    queues: Queues
    people: People
    events: Events
    ladders: Ladders
    sessions: int
    doubtful: int


def _look_at_sessions(tables: Tables, findings: list[Row]) -> _Seen:
    names, queues, people, events = QueueLabels(), Queues(), People(), Events()
    touches = Touches(names)
    for row in queue_rows(tables):
        names.learn(row)
        queues.add(row)
    picker = ChosenSessions(sessions_with_findings(tables))
    doubts = Doubts(tables)
    each_read = timeline.one_by_one(tables)
    count = doubtful = 0
    for found in tables.rows("sessions", READ):
        row = doubts.by_doubt(found)
        count += 1
        doubtful += row["doubt"] is not None
        picker.add(row)
        touches.session(row)
        people.session(row)
        if not each_read:
            timeline.add_reads_of_session(events, row)
    chosen = picker.rows()
    ladders = Ladders(with_ladder(chosen), _worst_of_calls(findings))
    ladders.gather(tables)
    return _Seen(picker, chosen, touches, queues, people, events, ladders, count, doubtful)


def _worst_of_calls(findings: list[Row]) -> dict[str, int]:
    worst: dict[str, int] = {}
    for row in findings:
        if row["call_uid"]:
            worst[row["call_uid"]] = max(worst.get(row["call_uid"], -1), rank(row["level"]))
    return worst


def _overview(facts: Facts, manifest: Mapping[str, Any]) -> Row:
    judgement: Judgement = facts.judgement
    return {
        "version": VERSION,
        "manifest": {name: manifest.get(name) for name in _OF_MANIFEST} | {"case": clipped(manifest.get("case"))},
        "first": facts.damage.first,
        "last": facts.damage.last,
        "findings": judgement.findings,
        "levels": dict(judgement.levels),
        "verdicts": dict(judgement.total),
        "undecided": judgement.undecided,
        "summary": summary(facts),
        "next": next_steps(facts),
        "reasons": {str(reason): text for reason, text in REASONS.items()} | NAMING_DOUBTS_MEAN,
        "quality": facts.quality,
        **facts.damage.as_json,
    }
