"""Modules of others that are called as ours: in the current folder, in PYTHONPATH, beside a notebook or a program."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING, Final

import pytest

from mqtrail import HOME, PACKAGES
from pipelines.engine.shipping import bundle
from pipelines.engine.workers import SAFE, beside_the_driver
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE: Final = 'raise RuntimeError("somebody else\'s " + __name__)\n'


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with such modules; the command `mqtrail` is elsewhere."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for name in PACKAGES:
        (folder / f"{name}.py").write_text(HOSTILE)
    return folder


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """As pip makes it from pyproject.toml."""
    module, _, function = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"][
        "mqtrail"
    ].partition(":")
    path = tmp_path / "bin" / "mqtrail"
    path.parent.mkdir()
    path.write_text(f"#!{sys.executable}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n")
    path.chmod(0o755)
    return path


def run(command: list[str | Path], place: Path, **settings: str) -> str:
    """Others' modules are in the current folder and go before ours in PYTHONPATH."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(place), str(ROOT)))} | settings
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_such_modules_would_be_found(place: Path) -> None:
    for name in PACKAGES:
        with pytest.raises(AssertionError, match=f"somebody else's {name}"):
            run([sys.executable, "-c", f"import {name}"], place)


@pytest.mark.parametrize("arguments", [["--help"], ["rules"], ["schema", "calls"]])
def test_the_command_is_immune(place: Path, command: Path, arguments: list[str]) -> None:
    assert run([command, *arguments], place)


def test_so_are_a_run_and_its_workers(place: Path, command: Path, sample: Path) -> None:
    run([command, "analyze", sample, "--out", place / "out"], place)
    assert (place / "out" / "run.json").exists()


def test_so_is_what_spark_submit_runs(place: Path, tmp_path: Path) -> None:
    """Python looks first where the program lies: beside it are others' modules too."""
    program = place / "submit.py"
    program.write_bytes((ROOT / "pipelines" / "submit.py").read_bytes())
    assert "usage: mqtrail" in run([sys.executable, program, "--help"], place)


WORKER: Final = """
import sys
from pyspark.worker_util import add_path
for path in sys.argv[1:]:
    add_path(path)
import pipelines.connections.assembler, ingest.scan, schemas.tables, decoders.dcerpc
print(pipelines.__file__)
"""


def test_so_is_a_worker_of_a_cluster(place: Path, tmp_path: Path) -> None:
    """It has the current folder of its process, PYTHONPATH, and gets our code from the driver."""
    ours = bundle(tmp_path)
    (place / "worker.py").write_text(WORKER)
    safe = {key.removeprefix("spark.executorEnv."): value for key, value in SAFE.items()}
    (spark := tmp_path / "spark").mkdir()
    environment = safe | {"PYTHONPATH": os.pathsep.join((str(spark), str(place)))}
    said = run([sys.executable, "-m", "worker", ours], place, **environment)
    assert said.startswith(f"{ours}/pipelines")


NOTEBOOK: Final = """
import sys
from mqtrail.source import PcapDataSource, PcapReader, SplitPartition
from ingest.bounds import Bounds
from pyspark.cloudpickle import dumps
sent = PcapDataSource, PcapReader("a.pcap", ("ts",), 1, Bounds()), SplitPartition(None, 7)
sys.stdout.write(dumps(sent).hex())
"""
WORKER_OF_A_NOTEBOOK: Final = """
import pickle, sys
source, reader, partition = pickle.loads(bytes.fromhex(sys.argv[1]))
print(source.name(), reader.path, partition.first_frame, sys.modules["schemas"].__file__)
"""


def test_so_is_the_data_source_in_a_session_of_others(place: Path) -> None:
    """Its driver and its workers look first beside the notebook, and nothing of ours was there to guard them."""
    sent = run([sys.executable, "-c", NOTEBOOK], place)
    said = run([sys.executable, "-c", WORKER_OF_A_NOTEBOOK, sent], place)
    assert said.split() == ["pcap", "a.pcap", "7", str(ROOT / "schemas" / "__init__.py")]


def test_one_such_module_beside_a_notebook_is_no_trouble(place: Path) -> None:
    for name in PACKAGES:
        if name != "schemas":
            (place / f"{name}.py").unlink()
    assert run([sys.executable, "-c", "import ingest.scan, sys; print(sys.modules['schemas'].__file__)"], place)


def test_what_is_imported_already_is_told(place: Path) -> None:
    (place / "schemas.py").write_text("")
    with pytest.raises(AssertionError, match=r"notebooks/schemas.py is imported as schemas, and mqtrail has a module"):
        run([sys.executable, "-c", "import schemas, mqtrail"], place)


def test_the_path_of_workers_on_this_machine_holds_nothing_but_us(tmp_path: Path) -> None:
    """PYTHONPATH goes before Python's own modules, and a folder of libraries may hold a name of theirs."""
    settings = beside_the_driver({"spark.executorEnv.PYTHONPATH": "/asked"}, tmp_path)
    assert settings == beside_the_driver({"spark.executorEnv.PYTHONPATH": "/asked"}, tmp_path)
    path, asked = settings["spark.executorEnv.PYTHONPATH"].split(os.pathsep)
    assert ([entry.name for entry in (tmp_path / "path").iterdir()], asked) == (["mqtrail"], "/asked")
    (there := tmp_path / "elsewhere").mkdir()
    program = "import mqtrail, pipelines; print(mqtrail.HOME, pipelines.__file__)"
    said = run([sys.executable, "-c", program], there, PYTHONPATH=path, PYTHONSAFEPATH="1")
    assert said.split() == [str(HOME), str(HOME / "pipelines" / "__init__.py")]
