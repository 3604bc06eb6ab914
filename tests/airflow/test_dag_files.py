"""The DAG files as text: what they may import, and that reading them does nothing. Needs no Airflow."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

FOLDER = ROOT / "airflow_dags"
DAGS = sorted(FOLDER.glob("*.py"))
FILES = [*DAGS, *sorted((FOLDER / "mqtrail_steps").glob("*.py"))]
ALLOWED = sys.stdlib_module_names | {"airflow", "mqtrail_steps"}
HEAVY = {"airflow.models", "airflow.utils", "airflow.settings", "airflow.configuration"}
"""What a DAG file of Airflow 3 leaves alone: the database is behind an API."""
PLAIN = {"getLogger", "Path", "resolve", "append", "str", "frozenset", "timedelta", "total_seconds", "datetime"}
"""Functions that may be called while a file is read: they compute, and look at nothing."""
DECLARES = {"Asset", "Param", "params", "dag", "task", "sensor", "mqtrail_nightly", "mqtrail_backfill"}


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def calls_at_import(path: Path) -> set[str]:
    """Names of what is called when the file is read, and not only when a function of it is."""
    found = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            for decorator in getattr(node, "decorator_list", ()):
                visit(decorator)
            return
        if isinstance(node, ast.Call):
            called = node.func
            found.add(called.attr if isinstance(called, ast.Attribute) else ast.unparse(called))
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree(path))
    return found


def by_name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", FILES, ids=by_name)
def test_only_airflow_and_the_standard_library_are_imported(path: Path) -> None:
    assert {name for name in imports(path) if name.partition(".")[0] not in ALLOWED} == set()
    assert {name for name in imports(path) if any(name.startswith(heavy) for heavy in HEAVY)} == set()


@pytest.mark.parametrize("path", FILES, ids=by_name)
def test_nothing_is_done_while_a_file_is_read(path: Path) -> None:
    assert calls_at_import(path) - PLAIN - DECLARES - {"dataclass", "field"} == set()


@pytest.mark.parametrize("path", DAGS, ids=by_name)
def test_every_dag_says_what_it_is(path: Path) -> None:
    decorators = [
        decorator
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "dag"
    ]
    (said,) = ({one.arg: ast.unparse(one.value) for one in decorator.keywords} for decorator in decorators)
    assert said["tags"] == "['mqtrail']"
    assert said["catchup"] == "False"
    assert said["max_active_runs"] == "1"
    assert {"doc_md", "schedule", "start_date", "default_args", "params"} <= said.keys()


def test_checks_see_what_they_look_for(tmp_path: Path) -> None:
    """An import and a call that are not allowed, in places where they might hide."""
    bad = tmp_path / "bad.py"
    bad.write_text(
        "def f():\n    from pipelines.cli import main\n\n\nX = [Variable.get('x')]\nclass A:\n    y = open('z')\n"
    )
    assert imports(bad) == {"pipelines.cli"}
    assert calls_at_import(bad) == {"get", "open"}


def test_ruffs_rules_for_airflow_are_kept() -> None:
    ruff = str(Path(sys.executable).with_name("ruff"))
    command = [ruff, "check", "--select", "AIR", "--preview", str(FOLDER)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_pins_name_versions_and_no_places() -> None:
    lines = (ROOT / "constraints-airflow.txt").read_text(encoding="ascii").splitlines()
    assert len(lines) > 100
    for line in lines:
        name, _, version = line.partition("==")
        assert name.replace("-", "").replace("_", "").replace(".", "").isalnum(), line
        assert version.replace(".", "").replace("post", "").replace("+", "").isalnum(), line
