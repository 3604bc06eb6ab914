"""A run from inputs to a finished folder: tables, quality gate, manifest. Who calls says what becomes visible."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from ingest.choice import Choice, Scope
from ingest.files import entries, join, write_bytes
from pipelines.captures.inventory import hashes
from pipelines.dataset.carried_state import CarriedState
from pipelines.dataset.sorted_inputs import sort_out
from pipelines.engine.local import LocalEngine
from pipelines.quality import GateHere, check_tables, prepare
from pipelines.report.counts import counts_of
from pipelines.report.writing import write_report
from pipelines.rules.tally import by_level, verdict_rows
from pipelines.run.job import Job
from pipelines.run.plan import CapturesChanged, analyze, extend
from pipelines.run.prune import prune
from pipelines.store.manifest import write_manifest
from pipelines.store.output_folder import OURS, OutputRefused
from pipelines.store.tables import Tables
from pipelines.store.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from decoders.security.accounts import Secret
    from pipelines.captures.inventory import Input
    from pipelines.captures.meter import Meter
    from pipelines.dataset.sorted_inputs import SortedInputs
    from pipelines.engine.model import Engine
    from pipelines.quality import Gate
    from pipelines.quality.result import QualityResult
    from pipelines.run.job import RunTotals
    from pipelines.store.dataset_folder import DatasetFolder
    from pipelines.store.output_folder import OutputFolder

Json = dict[str, Any]
HASHED_HERE_BYTES = 512 * 1024 * 1024
"""Captures up to so much together are hashed before Spark starts: most nightly repetitions need no more."""


@dataclass(frozen=True)
class RunOrder:
    """What was asked for, and the way to an engine once it is needed."""

    engine: Callable[[], Engine]
    scope: Scope
    thresholds: dict[str, int]
    keep_payload: bool = False
    check: bool = True
    case: str | None = None
    say: Callable[[str], None] = lambda _: None
    measure: Callable[[Meter], None] = lambda _: None
    started: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.UTC))
    secrets: Sequence[Secret] = ()
    report: bool = True
    engine_over: Callable[[], None] = lambda: None
    """Called when the engine has nothing more to do."""
    gate: Gate = field(default_factory=GateHere)
    """Who checks the tables of a run of its own."""

    @property
    def parameters(self) -> Json:
        """Of secrets only how many there were: accounts, and keys of services."""
        return {
            "scope": str(self.scope),
            "keep_payload": self.keep_payload,
            "thresholds": self.thresholds,
            "secrets": len(self.secrets),
        }

    def job(self, engine: Engine, root: str) -> Job:
        choice = Choice(self.scope)
        return Job(
            engine,
            choice,
            root,
            self.say,
            self.measure,
            keep_payload=self.keep_payload,
            settings=self.thresholds,
            secrets=engine.sealed(self.secrets) if self.secrets else None,
        )


@dataclass(frozen=True, slots=True)
class CommandResult:
    finished: RunTotals
    quality: QualityResult | None
    sorted_out: SortedInputs | None = None
    report_problem: str = ""
    """Why there is no report although one was wanted."""

    @property
    def good(self) -> bool:
        return not self.finished.imbalances and (self.quality is None or self.quality.success)


def run_once(wanted: RunOrder, inputs: Sequence[Input], output: OutputFolder) -> CommandResult:
    """A run of its own, left in the staging folder."""
    if wanted.check:
        # While the JVM starts there is a core with nothing else to do.
        wanted.gate.prepare()
    engine = wanted.engine()
    finished = analyze(wanted.job(engine, output.staging), inputs)
    wanted.engine_over()
    output.remove_strays({one.path for one in finished.written})
    checked = _being_checked(wanted, output.staging)
    facts = _facts(wanted, finished, output.staging) | {"findings": by_level(finished.tally)}
    problem = _reported(wanted, output.staging, facts, checked)
    quality = checked()
    others = [name for name in entries(output.staging) if name in OURS and name.endswith((".json", ".html"))]
    write_manifest(output.staging, facts, finished.written, others)
    return CommandResult(finished, quality, report_problem=problem)


def add_to_dataset(wanted: RunOrder, inputs: Sequence[Input], folder: DatasetFolder) -> CommandResult | SortedInputs:
    """A run that adds to a dataset, left in the staging folder. Where nothing is fresh, nothing is done."""
    _same_parameters(wanted, folder)
    little = sum(one.size for one in inputs) <= HASHED_HERE_BYTES
    engine = None if little else wanted.engine()
    hashed = hashes(engine or LocalEngine(), inputs)
    base = folder.base
    known = {one.capture_id for one in CarriedState(base.state).known}
    sorted_out = sort_out(inputs, hashed, known, base.pruned_before)
    finished = None
    while finished is None:  # each time with fewer captures
        if not sorted_out.fresh:
            return sorted_out
        if wanted.check:
            prepare()
        engine = engine or wanted.engine()
        try:
            finished = extend(wanted.job(engine, folder.staging), sorted_out.fresh, hashed, base)
        except CapturesChanged as error:
            sorted_out = sorted_out.without(error.captures)
            folder.begin_again()
    wanted.engine_over()
    folder.assemble(finished.written, finished.kept)
    quality = _checked(wanted, folder.staging, pruned=bool(base.pruned_before))
    facts = (
        _facts(wanted, finished, folder.staging) | _findings(finished) | {"pruned_before": base.pruned_before or None}
    )
    folder.seal(facts, finished.written, finished.kept)
    return CommandResult(finished, quality, sorted_out)


def prune_dataset(wanted: RunOrder, folder: DatasetFolder, before: dt.date) -> CommandResult:
    """The dataset without what lies before the date, left in the staging folder."""
    engine = wanted.engine()
    finished = prune(wanted.job(engine, folder.staging), folder.base, before)
    folder.assemble(finished.written, finished.kept)
    quality = _checked(wanted, folder.staging, pruned=True)
    facts = _facts(wanted, finished, folder.staging) | _findings(finished) | {"pruned_before": before.isoformat()}
    folder.seal(facts, finished.written, finished.kept)
    return CommandResult(finished, quality)


def _findings(finished: RunTotals) -> Json:
    before, after = by_level(finished.tally_before), by_level(finished.tally)
    return {"findings": after, "new_findings": {level: max(0, n - before[level]) for level, n in after.items()}}


def _same_parameters(wanted: RunOrder, folder: DatasetFolder) -> None:
    before = (folder.manifest or {}).get("parameters", wanted.parameters)
    for name, value in wanted.parameters.items():
        # Secrets come to light while a dataset grows; `calls` says of each call whether one opened it.
        if name != "secrets" and before.get(name) != value:
            raise OutputRefused(
                f"{folder.final}: the dataset was begun with another {name.replace('_', '-')} ({before.get(name)}); "
                "give the same, or begin another dataset"
            )


def _being_checked(wanted: RunOrder, folder: str) -> Callable[[], QualityResult | None]:
    """Perhaps beside what comes next; what is returned waits for the result, which is then in its file too."""
    if not wanted.check:
        return lambda: None
    wanted.say("checking the tables")
    wait = wanted.gate.begin(join(folder, "tables"))

    @cache
    def result() -> QualityResult:
        return _noted(folder, wait())

    return result


def _checked(wanted: RunOrder, folder: str, *, pruned: bool = False) -> QualityResult | None:
    if not wanted.check:
        return None
    wanted.say("checking the tables")
    return _noted(folder, check_tables(join(folder, "tables"), pruned=pruned))


def _noted(folder: str, result: QualityResult) -> QualityResult:
    write_bytes(join(folder, "quality.json"), result.text().encode())
    return result


def _reported(wanted: RunOrder, folder: str, facts: Json, gate_over: Callable[[], object] = lambda: None) -> str:
    """Write the report; what went wrong with it is told, since the tables are worth more."""
    if not wanted.report:
        return ""
    wanted.say("writing the report")
    try:
        write_report(folder, {"version": VERSION} | facts, gate_over)
    except Exception as error:  # noqa: BLE001 - hours of work are not thrown away for a page about them
        return f"{type(error).__name__}: {error}"
    return ""


def _facts(wanted: RunOrder, finished: RunTotals, folder: str) -> Json:
    return {
        "case": wanted.case,
        "started": wanted.started.isoformat(timespec="seconds"),
        "finished": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "parameters": wanted.parameters,
        "inputs": [
            {"path": row["path"], "sha256": row["capture_id"], "bytes": row["bytes"], "state": row["state"]}
            for row in sorted(finished.captures, key=lambda row: row["path"])
        ],
        "rows": finished.row_counts,
        "counts": counts_of(Tables(folder)).as_json,
        "verdicts": verdict_rows(finished.tally),
    }
