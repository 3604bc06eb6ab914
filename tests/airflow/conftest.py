"""A real Airflow in its own environment, with a database and folders that are gone afterwards."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT
from tests.java import java_tool_options
from tests.tools import cannot

if TYPE_CHECKING:
    from collections.abc import Iterator

AIRFLOW = ROOT / ".venv-airflow" / "bin" / "python"


@dataclass(frozen=True)
class Ran:
    state: str
    run_id: str
    tries: dict[str, tuple[str, int]]
    """Task to its state and the number of the try."""
    events: list[tuple[str, dict[str, Any]]]
    log: str

    @property
    def states(self) -> dict[str, str]:
        return {task: state for task, (state, _) in self.tries.items()}


class Airflow:
    """The driver process: one for all tests."""

    def __init__(self, home: Path) -> None:
        self._log = home / "driver.log"
        kept = ("PATH", "HOME", "LANG", "LC_ALL", "JAVA_HOME", "TMPDIR")
        environment = {name: os.environ[name] for name in kept if name in os.environ} | {
            "AIRFLOW_HOME": str(home),
            "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "airflow_dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
            # Of spark-submit, whose JVM is there before mqtrail could ask for it.
            "JAVA_TOOL_OPTIONS": java_tool_options(),
        }
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [AIRFLOW, Path(__file__).with_name("driver.py")],
                env=environment,
                cwd=home,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def ask(self, **order: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": self._log.read_text()[-5000:]}
        assert "error" not in answer, answer["error"]
        return answer

    def run(self, dag: str, params: dict[str, Any], environment: dict[str, str] | None = None) -> Ran:
        before = self._log.stat().st_size
        answer = self.ask(do="run", dag=dag, params=params, environment=environment or {})
        with self._log.open("rb") as log:
            log.seek(before)
            said = log.read().decode(errors="replace")
        tries = {task: (state, number) for task, (state, number) in answer["tasks"].items()}
        events = [(task, extra) for task, extra in answer["events"]]
        return Ran(answer["state"], answer["run_id"], tries, events, said)

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()


@pytest.fixture(scope="session")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Airflow]:
    if not AIRFLOW.exists():
        cannot("Airflow is not installed; run scripts/setup-airflow")
    running = Airflow(tmp_path_factory.mktemp("airflow"))
    yield running
    running.close()
