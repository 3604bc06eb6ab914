"""Runs in Airflow's own environment: takes orders as lines of JSON, runs DAGs, answers as lines of JSON.

One process for all tests, since importing Airflow takes longer than running a DAG.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
import traceback
from typing import Any


def load(_: dict[str, Any]) -> dict[str, Any]:
    from airflow.dag_processing.dagbag import DagBag

    bag = DagBag(dag_folder=os.environ["AIRFLOW__CORE__DAGS_FOLDER"])
    return {
        "import_errors": bag.import_errors,
        "dags": {
            name: {
                "tasks": {task.task_id: sorted(task.downstream_task_ids) for task in dag.tasks},
                "params": {key: dag.params.get_param(key).schema for key in dag.params},
                "tags": sorted(dag.tags),
                "doc_md": dag.doc_md,
                "catchup": dag.catchup,
                "max_active_runs": dag.max_active_runs,
                "callbacks": {task.task_id: bool(task.on_failure_callback) for task in dag.tasks},
                "outlets": {task.task_id: [one.name for one in task.outlets] for task in dag.tasks},
            }
            for name, dag in bag.dags.items()
        },
    }


def run(order: dict[str, Any]) -> dict[str, Any]:
    """`environment` is for connections and variables."""
    from airflow.dag_processing.dagbag import DagBag
    from airflow.models.asset import AssetEvent
    from airflow.utils.session import create_session
    from sqlalchemy import select

    os.environ.update(order["environment"])
    dag = DagBag(dag_folder=os.environ["AIRFLOW__CORE__DAGS_FOLDER"]).dags[order["dag"]]
    for task in dag.tasks:
        # Nobody wants to wait five minutes for a second try.
        if hasattr(task, "partial_kwargs"):
            task.partial_kwargs["retry_delay"] = dt.timedelta(0)
        else:
            task.retry_delay = dt.timedelta(0)
    try:
        finished = dag.test(run_conf=order["params"])
    finally:
        for name in order["environment"]:
            del os.environ[name]
    with create_session() as session:
        instances = finished.get_task_instances(session=session)
        events = session.scalars(select(AssetEvent).where(AssetEvent.source_run_id == finished.run_id)).all()
        return {
            "state": str(finished.state.value),
            "run_id": finished.run_id,
            "tasks": {
                one.task_id + (f"[{one.map_index}]" if one.map_index >= 0 else ""): [str(one.state), one.try_number]
                for one in instances
            },
            "events": [[one.source_task_id, one.extra] for one in events],
        }


def main() -> None:
    # Airflow prints to stdout; what is said there must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from airflow.utils.db import upgradedb

    upgradedb()
    for line in sys.stdin:
        order = json.loads(line)
        try:
            answer = {"load": load, "run": run}[order["do"]](order)
        except Exception:  # noqa: BLE001 - the test that asked is told
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
