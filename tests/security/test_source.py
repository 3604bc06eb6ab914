"""What the product's source must not contain: ways for text to become code, a program or a query."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conftest import ROOT
from tests.every import each

PACKAGES = ("decoders", "schemas", "ingest", "pipelines", "airflow_dags")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
UNSAFE_MODULES = frozenset(("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml", "commands", "pty"))
UNSAFE_CALLS = frozenset(("eval", "exec", "compile", "__import__"))
UNSAFE_METHODS = frozenset(("system", "popen", "sql", "selectExpr", "expr"))
STARTS_PROGRAMS = {
    Path("pipelines/engine/spark_session.py"): "java -version",
    Path("pipelines/engine/java_process.py"): "watches the JVM that Spark starts",
    Path("pipelines/engine/jvm_archive.py"): "waits for the JVM that Spark started",
    Path("airflow_dags/mqtrail_steps/command.py"): "mqtrail, as a list of arguments",
}
PICKLES = {
    Path(
        "pipelines/engine/spark.py"
    ): "receipts of our own tasks, by the way on which Spark pickles the tasks themselves",
}


def test_text_never_becomes_code_program_or_query() -> None:
    each(SOURCES, lambda path: str(path.relative_to(ROOT)), _has_no_way)


def _has_no_way(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        place = f"{path}:{getattr(node, 'lineno', 0)}"
        unsafe = UNSAFE_MODULES & {name.partition(".")[0] for name in _imported(node)}
        assert not unsafe or (unsafe == {"pickle"} and path.relative_to(ROOT) in PICKLES), place
        if "subprocess" in _imported(node):
            assert path.relative_to(ROOT) in STARTS_PROGRAMS, place
        if isinstance(node, ast.Call):
            name = _name(node.func)
            assert not (isinstance(node.func, ast.Name) and name in UNSAFE_CALLS), place
            assert not (isinstance(node.func, ast.Attribute) and name in UNSAFE_METHODS), place
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            assert "allow_pickle" not in given, place
            shell = given.get("shell")
            assert shell is None or (isinstance(shell, ast.Constant) and shell.value is False), place


def test_spark_is_given_no_condition_put_together_from_text() -> None:
    """where("a = '...'") is SQL; conditions are columns, and a text, if any, has no hole in it."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) in ("where", "filter", "createOrReplaceTempView"):
                assert not any(isinstance(argument, ast.JoinedStr) for argument in node.args), f"{path}:{node.lineno}"


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    return {node.module or ""} if isinstance(node, ast.ImportFrom) else set()


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
