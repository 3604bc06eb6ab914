from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from pipelines.engine import spark_session as session
from pipelines.engine.guard import TO_ITSELF
from pipelines.engine.spark import _struct
from schemas.internal import BUNDLES, FACTS, MEETING_FRAGMENTS
from schemas.model import ddl_type
from schemas.tables import TABLES
from schemas.tables.messages import SEEN

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_times_are_utc_and_workers_run_this_interpreter(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.sql.parquet.outputTimestampType") == "TIMESTAMP_MICROS"
    assert {key: spark.conf.get(key) for key in TO_ITSELF} == TO_ITSELF
    assert os.environ["PYSPARK_PYTHON"] == os.environ["PYSPARK_DRIVER_PYTHON"] == sys.executable


@pytest.mark.parametrize(("gibibytes", "expected"), [(1, "1024m"), (6, "2048m"), (24, "8192m"), (512, "16384m")])
def test_memory_fits_the_machine(monkeypatch: pytest.MonkeyPatch, gibibytes: int, expected: str) -> None:
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": gibibytes * 262_144}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    assert session._driver_memory() == expected


def test_columns_of_an_exchange_are_what_their_text_says() -> None:
    for table in (*TABLES, BUNDLES, FACTS, MEETING_FRAGMENTS, SEEN):
        found = {field.name: field.dataType.simpleString().lower() for field in _struct(table.arrow)}
        texts = {field.name: ddl_type(field.type).replace("`", "") for field in table.arrow}
        assert found == {name: text.replace(": ", ":").replace(", ", ",").lower() for name, text in texts.items()}
        # A receipt has none of them.
        assert all(field.nullable for field in _struct(table.arrow))


def fake_java(folder: Path, banner: str) -> None:
    (folder / "bin").mkdir()
    java = folder / "bin" / "java"
    java.write_text(f"#!/bin/sh\nprintf '%s\\n' '{banner}' >&2\n")
    java.chmod(0o755)


@pytest.mark.parametrize("banner", ['openjdk version "11.0.2" 2019-01-15', 'java version "1.8.0_292"', "no java here"])
def test_old_java_is_refused_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, banner: str) -> None:
    fake_java(tmp_path, banner)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(session.NoJava, match=r"Java 17 or newer.*openjdk-17-jre-headless"):
        session._need_java()


@pytest.mark.parametrize(
    "banner", ['openjdk version "17.0.15" 2025-04-15', 'openjdk version "25" 2025-09-16', 'openjdk version "21-ea"']
)
def test_new_java_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, banner: str) -> None:
    fake_java(tmp_path, banner)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    session._need_java()


def fail_to_start() -> None:
    with session._quiet_start():
        os.write(2, b"the reason")
        raise RuntimeError


def test_what_the_jvm_says_is_shown_only_if_it_does_not_start(capfd: pytest.CaptureFixture[str]) -> None:
    with session._quiet_start():
        os.write(2, b"greetings")
    assert capfd.readouterr().err == ""
    with pytest.raises(RuntimeError):
        fail_to_start()
    assert capfd.readouterr().err == "the reason"
