"""mqtrail_backfill: the captures of a range of days go into the dataset, one day after the other."""

from __future__ import annotations

import datetime as dt
import logging
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from airflow.sdk import Param, TriggerRule, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

# Airflow looks for modules in the DAG folder itself; this folder may lie anywhere below it.
if (here := str(Path(__file__).resolve().parent)) not in sys.path:
    sys.path.append(here)

from mqtrail_steps import days, landing, run_folder, settings, tasks
from mqtrail_steps.settings import place
from mqtrail_steps.spark import MqtrailSubmit, submit_settings

log = logging.getLogger(__name__)

DOC = """
### mqtrail_backfill

Adds the captures of the days from `start` to `end` to a dataset. A capture belongs to the UTC day of its last change,
or, with `day_pattern`, to the day that its path below the landing folder names: `%Y-%m-%d/*`, `*/trace-%Y%m%d-*`.

`choose` makes a list a day, `verify` reads the captures of each day (`mqtrail inspect`), `load` adds a day: analyses,
checks and publishes in one application, one day at a time. Each day is published by itself, not all at the end: a run
over months that breaks off keeps the days it finished, and a day that fails its quality check holds back no other.
Checking and publishing are inside `load` since the dataset holds one staged state: the next day's would replace it.
`notify` tells of new findings of all days, and fails where a day failed.

Started again it goes through the days once more and adds what the dataset lacks.
"""


@task
def choose(landing_folder: str, work: str) -> list[str]:
    """Paths of lists, one a day that has captures. Also of captures refused before: they were asked for by name."""
    params = get_current_context()["params"]
    try:
        wanted = days.between(params["start"], params["end"])
        arrived = landing.settled(landing_folder, params["names"], params["settle_seconds"], days.now_ns())
        by_day = days.by_day(arrived, landing_folder, wanted, params["day_pattern"])
    except days.WrongRange as error:
        raise AirflowFailException(str(error)) from None
    if not by_day:
        raise AirflowSkipException(f"no captures of these {len(wanted)} days in {landing_folder}")
    folder = run_folder.fresh(tasks.folder_of_run(work))
    for day, captures in by_day.items():
        log.info("%s: %d captures", day, len(captures))
        run_folder.write_json(folder / "batches" / f"{day}.json", [asdict(one) for one in captures])
    return [str(folder / "batches" / f"{day}.json") for day in by_day]


@task
def collect(batches: list[str], dataset: str, work: str) -> list[list[str]]:
    """Arguments for spark-submit, a list a day."""
    folder = tasks.folder_of_run(work)
    loads = []
    for batch, captures in tasks.still_new(batches, dataset, work).items():
        day = Path(batch).name
        run_folder.write_json(folder / "captures" / day, captures)
        (folder / "loaded").mkdir(exist_ok=True)
        summary = ["--summary", str(folder / "loaded" / day)]
        loads.append([*tasks.arguments("load", folder / "captures" / day, dataset), *summary])
    return loads


# Also where a day failed: the findings of the others are there.
@task(trigger_rule=TriggerRule.NONE_SKIPPED)
def notify(loads: list[list[str]] | None, dataset: str, notify_conn: str) -> None:
    """Fails where a day failed: as the last task it decides what the run is said to be."""
    summaries = [Path(load[load.index("--summary") + 1]) for load in loads or ()]
    found: Counter[str] = Counter()
    for summary in summaries:
        if summary.exists():
            found.update(run_folder.read_json(summary).get("new_findings", {}))
    told = tasks.tell_of(found, dataset, notify_conn)
    if missing := [summary.stem for summary in summaries if not summary.exists()]:
        raise AirflowFailException(f"not loaded: {', '.join(missing)}")
    if not summaries:
        raise AirflowFailException("nothing could be loaded")
    if not told:
        raise AirflowSkipException("no new findings at or above that level")


@dag(
    schedule=None,
    start_date=dt.datetime(2025, 1, 1, tzinfo=dt.UTC),
    catchup=False,
    max_active_runs=1,
    default_args=tasks.DEFAULTS,
    tags=["mqtrail"],
    doc_md=DOC,
    params=settings.params("verify_tasks")
    | {
        "start": Param(type="string", format="date", description="First day, as 2026-01-31, UTC."),
        "end": Param(type="string", format="date", description="Last day; it belongs to the range."),
        "day_pattern": Param(
            "",
            type="string",
            description="Pattern of paths below the landing folder, with %Y, %m and %d for the day. "
            "Empty: the day of the file's last change.",
        ),
    },
)
def mqtrail_backfill() -> None:
    landing_folder, dataset, work = place("landing"), place("dataset"), place("work")
    batches = choose(landing_folder, work)
    verified = tasks.verify.partial(bin_folder=place("bin"), work=work).expand(batch=batches)
    stands_at = tasks.claim(dataset, work)
    loads = collect(batches, dataset, work)
    load = MqtrailSubmit.partial(
        task_id="load",
        map_index_template="{{ task.application_args[2].rpartition('/')[2] }}",
        max_active_tis_per_dagrun=1,
        outlets=[tasks.DATASET],
        **submit_settings(),
    ).expand(application_args=loads)
    told = notify(loads, dataset, place("notify_conn"))
    given_back = tasks.release(dataset, work)

    batches >> verified >> stands_at >> loads
    load >> told
    load >> given_back.as_teardown(setups=stands_at)


mqtrail_backfill()
