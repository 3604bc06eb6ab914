"""A run on a real cluster gives the tables of a run on one machine, byte for byte once sorted."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from ingest import files
from ingest.files import remote
from tests import object_store
from tests.cluster.installation import bare_python, build_wheel
from tests.cluster.standalone import SPARK_HOME, WORKERS, cluster
from tests.conftest import ROOT
from tests.java import java_tool_options

if TYPE_CHECKING:
    from collections.abc import Iterator

IMPORTED = ("decoders/__init__.py", "ingest/__init__.py", "pipelines/connections/assembler.py", "schemas/__init__.py")
HERE = Path(__file__).parent
SAMPLE = ROOT / "samples" / "msmq-loopback.pcap"
PATIENCE_SECONDS = 300
"""A machine that runs tests may be busy."""
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
    settings = {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": str(python),
        "JAVA_TOOL_OPTIONS": java_tool_options(),
    }
    return {**kept, **path, **settings}


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


def analyze(out: str, capture: str = str(SAMPLE)) -> list[str]:
    return ["analyze", capture, "--out", out, "--debug"]


@pytest.fixture(scope="module")
def here(folder: Path, python: Path, wheel: Path) -> dict[str, bytes]:
    """The tables of a run on this machine."""
    out = str(folder / "here")
    run([str(python), "-c", MAIN, *analyze(out), "--master", "local[*]"], environment(python, wheel), folder)
    return sorted_tables(out)


def sorted_tables(out: str, capture: str = str(SAMPLE)) -> dict[str, bytes]:
    """Name to its rows, sorted, as an Arrow stream; the capture is spelled as the one of the samples."""
    parts: dict[str, list[pa.Table]] = {}
    for name, _ in files.files_below(files.join(out, "tables")):
        if name.endswith(".parquet"):
            data = pa.BufferReader(files.read_bytes(files.join(out, "tables", name)))
            parts.setdefault(name.partition("/")[0], []).append(parquet.read_table(data))
    found = {}
    for name, tables in sorted(parts.items()):
        schema = tables[0].schema.remove_metadata()
        rows = [_respelled(row, capture) for table in tables for row in table.to_pylist()]
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as stream:
            stream.write_table(pa.Table.from_pylist(sorted(rows, key=repr), schema))
        found[name] = sink.getvalue().to_pybytes()
    assert len(found["calls"]) > len(found["verdicts"]) > 1000
    return found


def _respelled(row: dict[str, Any], capture: str) -> dict[str, Any]:
    return {key: str(SAMPLE) if value == capture else value for key, value in row.items()}


def compare(found: dict[str, bytes], expected: dict[str, bytes]) -> None:
    assert list(found) == list(expected)
    assert [name for name in found if found[name] != expected[name]] == []


def test_a_wheel_alone_is_enough(folder: Path, python: Path, wheel: Path, master: str, here: dict[str, bytes]) -> None:
    out = str(folder / "there")
    command = [str(python), str(HERE / "as_if_large.py"), master, *analyze(out)]
    said = run(command, environment(python, wheel), folder)
    compare(sorted_tables(out), here)
    places = [line for line in said.splitlines() if line.endswith(".py")]
    # In the working folder of each executor: what the driver shipped, not its wheel.
    assert sorted({place.rpartition("/mqtrail.zip/")[2] for place in places}) == sorted(IMPORTED)
    logs = (folder / "daemons").glob("worker-*/work/app-*/*/stderr")
    assert len({log.parents[3] for log in logs}) == WORKERS


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with object_store.s3_server() as address:
        for name, value in object_store.settings(address).items():
            monkeypatch.setenv(name, value)
        remote._s3.cache_clear()
        yield f"s3a://{object_store.make_bucket(address, 'captures')}"
        remote._s3.cache_clear()


def test_spark_submit_from_bucket_to_bucket(
    folder: Path, python: Path, wheel: Path, master: str, here: dict[str, bytes], bucket: str
) -> None:
    """As docs/clusters.md says it."""
    capture, out = files.join(bucket, "in", SAMPLE.name), files.join(bucket, "out")
    files.link_or_copy(str(SAMPLE), capture)
    submit = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", master, "--py-files", str(wheel)]
    for name in object_store.settings(bucket):
        submit += ["--conf", f"spark.executorEnv.{name}={os.environ[name]}"]
    application = [str(ROOT / "pipelines" / "submit.py"), *analyze(out, files.join(bucket, "in"))]
    run([*submit, *application], environment(python, None), folder)
    compare(sorted_tables(out, capture), here)
    assert files.exists(files.join(out, "run.json"))
