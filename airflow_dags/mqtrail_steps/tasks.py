"""Tasks that the DAGs share. Each may run again at any time: it writes its result anew or finds it done."""

from __future__ import annotations

import datetime as dt
import logging
import time
from pathlib import Path
from typing import Any, Final

from airflow.sdk import Asset, PokeReturnValue, TriggerRule, get_current_context, task
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from mqtrail_steps import command, landing, manifest, notices, run_folder, verifying
from mqtrail_steps.lease import Lease

log = logging.getLogger(__name__)

DATASET: Final = Asset("mqtrail_dataset")
"""Updated with each publishing; the event's extra says which folder and which run."""

DEFAULTS: Final[dict[str, Any]] = {
    "retries": 2,
    "retry_delay": dt.timedelta(minutes=5),
    "on_failure_callback": notices.on_failure,
}


def folder_of_run(work: str) -> Path:
    run = get_current_context()["dag_run"]
    return run_folder.run_folder(work, run.dag_id, run.run_id)


def accepted() -> frozenset[str]:
    return landing.accepted_states(accept_truncated=get_current_context()["params"]["accept_truncated"])


def new_captures(landing_folder: str, dataset: str, work: str) -> list[landing.Found]:
    params = get_current_context()["params"]
    arrived = landing.settled(landing_folder, params["names"], params["settle_seconds"], time.time_ns())
    return landing.to_do(arrived, landing.Ledger(work), manifest.known(dataset, work), accepted())


@task(map_index_template="{{ batch.rpartition('/')[2] }}")
def verify(batch: str, bin_folder: str, work: str) -> None:
    """Fails where a capture is damaged; the others of its batch are verified all the same."""
    captures = [landing.Found(**one) for one in run_folder.read_json(Path(batch))]
    outcome = verifying.verify(captures, bin_folder, landing.Ledger(work), accepted())
    run_folder.write_json(verified_list(Path(batch)), outcome.verified)
    if outcome.refused:
        # Not retried: reading a damaged file again does not mend it.
        raise AirflowFailException("refused, see the log of mqtrail inspect:\n" + "\n".join(outcome.refused))


def verified_list(batch: Path) -> Path:
    return batch.parent.parent / "verified" / batch.name


# What was verified goes on, also where another capture was refused. Where nothing was to do nobody waits for anything.
@task.sensor(
    mode="reschedule",
    poke_interval=60,
    timeout=dt.timedelta(hours=12).total_seconds(),
    trigger_rule=TriggerRule.NONE_SKIPPED,
)
def claim(dataset: str, work: str) -> PokeReturnValue:
    """Waits while another DAG is between analysing and publishing. Returns where the dataset stands."""
    run = get_current_context()["dag_run"]
    lease = Lease(work, dataset, run.dag_id, run.run_id)
    if not lease.take():
        log.info("waiting for %s", lease.holder())
        return PokeReturnValue(is_done=False)
    return PokeReturnValue(is_done=True, xcom_value=manifest.stands_at(dataset))


@task
def release(dataset: str, work: str) -> None:
    run = get_current_context()["dag_run"]
    Lease(work, dataset, run.dag_id, run.run_id).give_back()


def still_new(batches: list[str], dataset: str, work: str) -> dict[str, list[str]]:
    """Batch to its verified captures that the dataset lacks. Nothing verified is a failure, nothing new is not."""
    by_batch = {
        batch: run_folder.read_json(list_file)
        for batch in batches
        if (list_file := verified_list(Path(batch))).exists()
    }
    if not any(by_batch.values()):
        raise AirflowFailException("none of the captures could be verified; the failed verifying tasks say why")
    has = manifest.known(dataset, work)
    new: dict[str, list[str]] = {}
    for batch, captures in by_batch.items():
        lacking = {one["sha256"]: one["path"] for one in captures if one["sha256"] not in has}
        if lacking:
            new[batch] = sorted(lacking.values())
            has |= lacking.keys()
    if not new:
        raise AirflowSkipException("the dataset has these captures already, under other names")
    return new


def arguments(verb: str, list_file: Path, dataset: str) -> list[str]:
    """For pipelines/submit.py."""
    params = get_current_context()["params"]
    chosen = [verb, "--captures-from", str(list_file), "--dataset", dataset, "--scope", params["scope"]]
    return [*chosen, "--case", params["case"]] if params["case"] else chosen


@task
def quality_gate(bin_folder: str, dataset: str) -> None:
    command.mqtrail(bin_folder, "check", dataset, "--staged")


@task(outlets=[DATASET], multiple_outputs=False)
def publish(bin_folder: str, dataset: str, stood_at: str) -> dict[str, Any]:
    """Found done by a second try: then the dataset does not stand where it stood when this run began."""
    command.mqtrail(bin_folder, "publish", dataset)
    stands_at = manifest.stands_at(dataset)
    if stands_at == stood_at:
        raise AirflowSkipException("nothing was staged, so nothing was published")
    new_findings = manifest.last_run(dataset).get("new_findings", {})
    told = {"dataset": dataset, "run_sha256": stands_at, "new_findings": new_findings}
    get_current_context()["outlet_events"][DATASET].extra = told
    return told


def tell_of(new_findings: dict[str, int], dataset: str, notify_conn: str) -> bool:
    """Whether there was anything to tell."""
    context = get_current_context()
    level = context["params"]["notify_level"]
    counts = manifest.at_or_above(level, new_findings)
    if not counts:
        log.info("no new findings of level %s or above", level)
        return False
    shown = ", ".join(f"{count} {name}" for name, count in counts.items())
    run = context["dag_run"]
    facts = {"dag_id": run.dag_id, "run_id": run.run_id, "dataset": dataset, "new_findings": counts}
    notices.tell(notify_conn, f"mqtrail: new findings in {dataset}: {shown}", **facts)
    return True
