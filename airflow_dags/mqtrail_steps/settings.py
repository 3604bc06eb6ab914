"""Where things are: a param of the run, else an Airflow variable `mqtrail_<name>`, else a default that works in place.

Templates, so that nothing is looked up while a DAG file is read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from airflow.sdk import Param

from mqtrail_steps.manifest import LEVELS

_HOME: Final = Path(__file__).resolve().parents[2]
_PLACES: Final = {
    "landing": (_HOME / "out/airflow/landing", "Folder in which captures arrive."),
    "dataset": (_HOME / "out/airflow/dataset", "Dataset folder that captures are added to."),
    "work": (_HOME / "out/airflow/work", "Folder for lists, and for what is known of captures already looked at."),
    "bin": (_HOME / ".venv/bin", "Folder of mqtrail's environment that holds mqtrail, python and spark-submit."),
    "application": (_HOME / "pipelines/submit.py", "File that spark-submit runs."),
}
_CONNECTIONS: Final = {
    "spark_conn": ("mqtrail_spark", "Spark connection; where there is none, Spark runs as local[*]."),
    "notify_conn": ("", "HTTP connection that findings and failures are posted to; empty: they are logged only."),
}


def place(name: str) -> str:
    default, _ = (_PLACES | _CONNECTIONS)[name]
    return f"{{{{ params.{name} or var.value.get('mqtrail_{name}', {json.dumps(str(default))}) }}}}"


def params(*left_out: str) -> dict[str, Param]:
    """Of every DAG, but for those left out."""
    told = {
        name: Param("", type="string", description=f"{meaning} Empty: the variable mqtrail_{name}, else {default}.")
        for name, (default, meaning) in (_PLACES | _CONNECTIONS).items()
    }
    told |= {
        "names": Param(
            ["*"],
            type="array",
            items={"type": "string", "minLength": 1},
            minItems=1,
            description="Patterns of file names that are captures. What a file is, its content tells.",
        ),
        "settle_seconds": Param(
            300, type="integer", minimum=0, description="A file not written to for so long has arrived."
        ),
        "accept_truncated": Param(
            False,
            type="boolean",
            description="Analyse captures that break off up to that place, instead of refusing them.",
        ),
        "verify_tasks": Param(
            200,
            type="integer",
            minimum=1,
            maximum=1000,
            description="At most so many verifying tasks; of more captures, several share one.",
        ),
        "scope": Param("msmq", enum=["msmq", "rpc"], description="What to keep, see mqtrail analyze --scope."),
        "case": Param("", type="string", pattern="^[A-Za-z0-9_.-]*$", description="Case id; empty: none."),
        "driver_memory": Param(
            "4g", type="string", pattern="^[1-9][0-9]*[mg]$", description="Memory of Spark's driver."
        ),
        "spark_conf": Param(
            {}, type="object", additionalProperties={"type": "string"}, description="Spark settings, name to value."
        ),
        "notify_level": Param(
            "high", enum=list(LEVELS), description="New findings of this level or above are told of."
        ),
    }
    return {name: param for name, param in told.items() if name not in left_out}


def chosen(context_params: Any, variable: Any, name: str) -> str:  # noqa: ANN401 - Airflow's own, without a type here
    """What `place` is, for callbacks, which get no templates."""
    default, _ = (_PLACES | _CONNECTIONS)[name]
    return str(context_params.get(name) or variable.get(f"mqtrail_{name}", default=str(default)))
