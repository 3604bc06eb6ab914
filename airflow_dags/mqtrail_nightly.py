"""mqtrail_nightly: what arrived in the landing folder goes into the dataset."""

from __future__ import annotations

import datetime as dt
import logging
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from airflow.sdk import Param, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException

# Airflow looks for modules in the DAG folder itself; this folder may lie anywhere below it.
if (here := str(Path(__file__).resolve().parent)) not in sys.path:
    sys.path.append(here)

from mqtrail_steps import run_folder, settings, tasks
from mqtrail_steps.settings import place
from mqtrail_steps.spark import MqtrailSubmit, submit_settings

log = logging.getLogger(__name__)

DOC = """
### mqtrail_nightly

Adds captures that arrived in the landing folder to a dataset.

`sense` waits for new captures that nobody writes to any more; with none until `wait_minutes` have passed, the run ends
there. `choose` lists them, `verify` reads each to its end (`mqtrail inspect`); a damaged capture fails its own task, is
left out, and is not looked at again until the file changes. `claim` waits until no other DAG is about to publish.
`analyze` adds what was verified, unseen (`--no-publish`), `quality_gate` checks it, and only then `publish` makes it
visible, in one step. `notify` tells of new findings at or above `notify_level`.

Every task may be repeated. A capture that the dataset knows changes nothing, whatever its name.
"""


# A few minutes apart, so that a folder of many thousand files is not walked all the time.
@task.sensor(mode="reschedule", poke_interval=300, timeout=dt.timedelta(hours=24).total_seconds())
def sense(landing: str, dataset: str, work: str) -> bool:
    context = get_current_context()
    found = tasks.new_captures(landing, dataset, work)
    if found:
        log.info("%d new captures", len(found))
        return True
    began = context["dag_run"].start_date or context["dag_run"].run_after
    waited = dt.datetime.now(dt.UTC) - began
    if waited >= dt.timedelta(minutes=context["params"]["wait_minutes"]):
        raise AirflowSkipException(f"nothing new in {landing}")
    return False


@task
def choose(landing: str, dataset: str, work: str) -> list[str]:
    """Paths of lists, one a verifying task."""
    found = tasks.new_captures(landing, dataset, work)
    if not found:
        raise AirflowSkipException(f"nothing new in {landing}")
    folder = run_folder.fresh(tasks.folder_of_run(work))
    lists = []
    for number, members in enumerate(run_folder.groups(len(found), get_current_context()["params"]["verify_tasks"])):
        lists.append(str(folder / "batches" / f"{number:04}.json"))
        run_folder.write_json(folder / "batches" / f"{number:04}.json", [asdict(found[index]) for index in members])
    log.info("%d captures for %d verifying tasks", len(found), len(lists))
    return lists


@task
def collect(batches: list[str], dataset: str, work: str) -> list[str]:
    """Arguments for spark-submit."""
    new = tasks.still_new(batches, dataset, work)
    list_file = tasks.folder_of_run(work) / "captures.json"
    run_folder.write_json(list_file, [path for paths in new.values() for path in paths])
    return [*tasks.arguments("analyze", list_file, dataset), "--no-publish"]


@task
def notify(published: dict[str, Any], notify_conn: str) -> None:
    if not tasks.tell_of(published["new_findings"], published["dataset"], notify_conn):
        raise AirflowSkipException("no new findings at or above that level")


@dag(
    schedule="0 2 * * *",
    start_date=dt.datetime(2025, 1, 1, tzinfo=dt.UTC),
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=dt.timedelta(hours=23),
    default_args=tasks.DEFAULTS,
    tags=["mqtrail"],
    doc_md=DOC,
    params=settings.params()
    | {
        "wait_minutes": Param(
            120, type="integer", minimum=0, maximum=1200, description="How long to wait for new captures; 0: look once."
        )
    },
)
def mqtrail_nightly() -> None:
    landing, dataset, work, bin_folder = place("landing"), place("dataset"), place("work"), place("bin")
    batches = choose(landing, dataset, work)
    verified = tasks.verify.partial(bin_folder=bin_folder, work=work).expand(batch=batches)
    stands_at = tasks.claim(dataset, work)
    application_args = collect(batches, dataset, work)
    analyze = MqtrailSubmit(task_id="analyze", application_args=application_args, **submit_settings())
    gate = tasks.quality_gate(bin_folder, dataset)
    published = tasks.publish(bin_folder, dataset, stands_at)
    told = notify(published, place("notify_conn"))
    given_back = tasks.release(dataset, work)

    sense(landing, dataset, work) >> batches >> verified >> stands_at >> application_args
    analyze >> gate >> published >> told
    published >> given_back.as_teardown(setups=stands_at)


mqtrail_nightly()
