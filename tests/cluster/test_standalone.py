"""A run on a real cluster gives the tables of a run on one machine, byte for byte once sorted."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cluster.installation import bare_python, build_wheel
from tests.cluster.standalone import SPARK_HOME, WORKERS, cluster
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

IMPORTED = ("decoders/__init__.py", "ingest/__init__.py", "pipelines/streams.py", "schemas/__init__.py")
HERE = Path(__file__).parent
PATIENCE_SECONDS = 300
"""A machine that runs tests may be busy; alone on two cores the longest takes 20 s."""
MAIN = "import sys; from pipelines.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    return build_wheel(folder / "wheel")


@pytest.fixture(scope="module")
def python(folder: Path) -> Path:
    path = bare_python(folder)
    command = [str(path), "-c", "import pyspark, pipelines"]
    said = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, timeout=60).stderr
    assert "No module named 'pipelines'" in said
    return path


@pytest.fixture(scope="module")
def master(folder: Path) -> Iterator[str]:
    with cluster(folder / "daemons") as url:
        yield url


def environment(python: Path, wheel: Path | None) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "PYTHON"))}
    path = {"PYTHONPATH": str(wheel)} if wheel else {}
    return {**kept, **path, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(python)}


def run(command: list[str], environment: dict[str, str], folder: Path) -> str:
    """What it printed. A group of its own, since its JVM has to end with it."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=folder, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, err
    return out


def analyze(out: Path, *options: str) -> list[str]:
    return ["analyze", str(ROOT / "samples" / "msmq-loopback.pcap"), "--out", str(out), *options]


@pytest.fixture(scope="module")
def here(folder: Path, python: Path, wheel: Path) -> dict[str, bytes]:
    """The tables of a run on this machine."""
    run(
        [str(python), "-c", MAIN, *analyze(folder / "here", "--master", "local[*]")], environment(python, wheel), folder
    )
    return sorted_tables(folder / "here")


def sorted_tables(out: Path) -> dict[str, bytes]:
    """Name to its rows, sorted, as an Arrow stream."""
    found = {}
    for table in sorted((out / "tables").iterdir()):
        read = parquet.read_table(table)
        schema = read.schema.remove_metadata()
        rows = pa.Table.from_pylist(sorted(read.to_pylist(), key=repr), schema)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as stream:
            stream.write_table(rows)
        found[table.name] = sink.getvalue().to_pybytes()
    assert len(found["calls"]) > len(found["verdicts"]) > 1000
    return found


def compare(found: dict[str, bytes], expected: dict[str, bytes]) -> None:
    assert list(found) == list(expected)
    assert [name for name in found if found[name] != expected[name]] == []


def test_a_wheel_alone_is_enough(folder: Path, python: Path, wheel: Path, master: str, here: dict[str, bytes]) -> None:
    command = [str(python), str(HERE / "as_if_large.py"), master, *analyze(folder / "there")]
    said = run(command, environment(python, wheel), folder)
    compare(sorted_tables(folder / "there"), here)
    places = [line for line in said.splitlines() if line.endswith(".py")]
    assert places == [f"./mqtrail.zip/{name}" for name in IMPORTED]
    logs = (folder / "daemons").glob("worker-*/work/app-*/*/stderr")
    assert len({log.parents[3] for log in logs}) == WORKERS


def test_spark_submit_with_the_wheel(
    folder: Path, python: Path, wheel: Path, master: str, here: dict[str, bytes]
) -> None:
    """As docs/clusters.md says it."""
    submit = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", master, "--py-files", str(wheel)]
    application = [str(ROOT / "pipelines" / "submit.py"), *analyze(folder / "submitted")]
    run([*submit, *application], environment(python, None), folder)
    compare(sorted_tables(folder / "submitted"), here)
