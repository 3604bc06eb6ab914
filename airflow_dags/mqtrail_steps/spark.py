"""spark-submit of mqtrail's own environment."""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowNotFoundException

from mqtrail_steps.command import NEVER_HEALS, NO_INPUT
from mqtrail_steps.settings import place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from airflow.sdk import Context


class MqtrailSubmit(SparkSubmitOperator):
    """The connection and the program come from templates, settings from a param; without a connection it is local[*].

    The provider lets a connection name only a few programs, found by PATH; an operator may name any.
    """

    template_fields: ClassVar[Sequence[str]] = (*SparkSubmitOperator.template_fields, "_conn_id", "_spark_binary")
    conf: dict[str, str] | None

    def execute(self, context: Context) -> None:
        # A setting's name may hold dots and anything else, so that no template can say it.
        self.conf = {**(self.conf or {}), **context["params"]["spark_conf"]}
        with self._some_connection():
            try:
                super().execute(context)
            except AirflowException as error:
                # spark-submit ends with the code of mqtrail, and the provider tells it in words only.
                code = re.search(r"Error code is: (\d+)", str(error))
                if code and int(code[1]) in NEVER_HEALS | {NO_INPUT}:
                    raise AirflowFailException(str(error)) from None
                raise

    @contextlib.contextmanager
    def _some_connection(self) -> Iterator[None]:
        """Left alone the provider would take yarn where there is no connection."""
        try:
            Connection.get(self._conn_id)
        except AirflowNotFoundException:
            self.log.info("there is no connection %s: Spark runs as local[*]", self._conn_id)
        else:
            yield
            return
        name = f"AIRFLOW_CONN_{self._conn_id.upper()}"
        os.environ[name] = '{"conn_type": "spark", "host": "local[*]"}'
        try:
            yield
        finally:
            del os.environ[name]


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
