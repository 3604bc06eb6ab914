"""The gate in a process of its own says what it says here, and ends with the driver whatever happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.quality.checking import check_tables
from pipelines.quality.result import QualityResult
from tests.pipelines.quality.folders import clean_rows, write_run
from tests.pipelines.test_forked import comes_to_an_end, start

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
import os, signal, sys, threading
from pipelines.quality.beside import GateBeside
before, after = sys.argv[2:]
gate = GateBeside()
exec(before)
gate.prepare()
print(gate.process, flush=True)
exec(after)
result = gate.begin(sys.argv[1])
sys.stdout.write(result().text())
assert result() == result()
assert after or ("great_expectations" in sys.modules) == bool(before)
"""
KILLED = "os.kill(gate.process, signal.SIGKILL)"


def told(tables: Path, before: str = "", after: str = "") -> tuple[int, str]:
    with start(CODE, tables, before, after) as driver:
        said, _ = driver.communicate(timeout=300)
    process, _, text = said.partition("\n")
    assert driver.returncode == 0
    return int(process), text


def broken(folder: Path) -> Path:
    rows = clean_rows()
    rows["calls"].append(rows["calls"][0])
    return write_run(rows, folder / "tables")


def test_it_says_the_same(clean: Path, tmp_path: Path) -> None:
    for tables in (clean, broken(tmp_path)):
        process, text = told(tables)
        assert text == check_tables(str(tables)).text()
        assert comes_to_an_end(process)


@pytest.mark.parametrize(
    ("before", "after"),
    [("", KILLED), ("threading.Thread(target=threading.Event().wait, daemon=True).start()", "")],
    ids=["killed", "a thread at work"],
)
def test_without_it_the_driver_checks(clean: Path, before: str, after: str) -> None:
    assert told(clean, before, after)[1] == check_tables(str(clean)).text()


def test_it_ends_with_the_driver(clean: Path) -> None:
    with start(CODE, clean, "", "os.kill(os.getpid(), signal.SIGKILL)") as driver:
        assert driver.stdout is not None
        process = int(driver.stdout.readline())
    assert comes_to_an_end(process)


def test_a_result_survives_the_way(tmp_path: Path) -> None:
    result = check_tables(str(broken(tmp_path)))
    assert not result.success
    assert QualityResult.of(result.as_json()) == result
