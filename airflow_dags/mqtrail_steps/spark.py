"""spark-submit of mqtrail's own environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowNotFoundException

from mqtrail_steps.settings import place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airflow.sdk import Context


class MqtrailSubmit(SparkSubmitOperator):
    """The connection and the program come from templates, and a connection that nobody made means local[*].

    The provider lets a connection name only a few programs, found by PATH; an operator may name any.
    """

    template_fields: ClassVar[Sequence[str]] = (*SparkSubmitOperator.template_fields, "_conn_id", "_spark_binary")

    def execute(self, context: Context) -> None:
        try:
            Connection.get(self._conn_id)
        except AirflowNotFoundException:
            # Left alone the provider would take yarn. For this process only.
            self.log.info("there is no connection %s: Spark runs as local[*]", self._conn_id)
            os.environ[f"AIRFLOW_CONN_{self._conn_id.upper()}"] = '{"conn_type": "spark", "host": "local[*]"}'
        super().execute(context)


def submit_settings() -> dict[str, Any]:
    """Arguments of MqtrailSubmit that are the same in every DAG. What differs: task_id and application_args."""
    return {
        "application": place("application"),
        "conn_id": place("spark_conn"),
        "spark_binary": f"{place('bin')}/spark-submit",
        "name": "mqtrail {{ dag.dag_id }} {{ run_id }}",
        # Under spark-submit the JVM runs before mqtrail could choose.
        "conf": {"spark.driver.memory": "{{ params.driver_memory }}"},
        "env_vars": {
            "PYSPARK_PYTHON": f"{place('bin')}/python",
            "PYSPARK_DRIVER_PYTHON": f"{place('bin')}/python",
            # Python and the JVM must spell file names alike, also where the worker has no locale.
            "LC_ALL": "C.UTF-8",
        },
    }
