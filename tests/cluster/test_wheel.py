"""The wheel, and what is shipped to workers, hold every file of the packages."""

from __future__ import annotations

import os
import subprocess
import zipfile
from typing import TYPE_CHECKING

import pytest

from mqtrail import PACKAGES
from pipelines.engine.shipping import DISTRIBUTION, bundle
from tests.cluster.installation import bare_python, build_wheel
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = (DISTRIBUTION, *PACKAGES)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def of_the_packages(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        names = [name for name in opened.namelist() if name.partition("/")[0] in SHIPPED and not name.endswith("/")]
        return {name: opened.read(name) for name in names}


def test_nothing_is_missing(wheel: Path, tmp_path: Path) -> None:
    files = [
        file for package in SHIPPED for file in (ROOT / package).rglob("*") if file.is_file() and file.suffix != ".pyc"
    ]
    expected = {file.relative_to(ROOT).as_posix(): file.read_bytes() for file in files}
    assert {"pipelines/py.typed", "pipelines/rules/clauses/mqqp.toml"} <= set(expected)
    assert of_the_packages(wheel) == expected
    assert of_the_packages(bundle(tmp_path)) == expected


def test_it_is_built_the_same_again(wheel: Path, tmp_path: Path) -> None:
    """Elsewhere, by somebody with another umask, of files that are newer."""
    copy = tmp_path / "elsewhere"
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True,
    ).stdout.split(b"\0")  # fmt: skip
    before = os.umask(0o077)
    try:
        for name in filter(None, map(os.fsdecode, files)):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                (copy / name).write_bytes((ROOT / name).read_bytes())
        again = build_wheel(tmp_path / "built", copy)
    finally:
        os.umask(before)
    assert again.read_bytes() == wheel.read_bytes()


SHIP_FROM_WHEEL = """
import pathlib, sys
from pipelines.engine import shipping
assert "mqtrail-" in shipping.__file__ and ".whl/" in shipping.__file__, shipping.__file__
shipping.bundle(pathlib.Path(sys.argv[1]))
"""


def test_a_driver_that_runs_from_the_wheel_ships_the_same(wheel: Path, tmp_path: Path) -> None:
    """That is how spark-submit has it: --py-files puts the wheel itself on the path."""
    command = [str(bare_python(tmp_path)), "-c", SHIP_FROM_WHEEL, str(tmp_path)]
    subprocess.run(command, check=True, timeout=60, cwd=tmp_path, env={"PYTHONPATH": str(wheel)})
    assert of_the_packages(tmp_path / "mqtrail.zip") == of_the_packages(wheel)
    program = (
        "from pipelines.store.version import VERSION; import pipelines.connections.assembler, ingest.scan; "
        "print(VERSION)"
    )
    said = subprocess.run(
        [bare_python(tmp_path), "-c", program],
        check=True,
        timeout=60,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "mqtrail.zip")},
        capture_output=True,
        text=True,
    ).stdout
    assert said.strip() in wheel.name
