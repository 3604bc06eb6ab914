"""What all tests share."""

from __future__ import annotations

import gc
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[1]

# No deadlines: the first example of a run imports and compiles, and machines that run tests are busy.
settings.register_profile("patient", settings(), deadline=None)
settings.load_profile("patient")

LONGEST = ("spark", "programs", "tests/pipelines/rules/test_promise.py")
PROGRAMS = ("tests/airflow/", "tests/cluster/", "tests/walk_through/")
"""Folders of tests that start Spark in processes of their own."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing")
    parser.addoption("--every-packet", action="store_true", help="take away also the packets that tell the least")


@cache
def _uses_spark(file: str) -> bool:
    text = (ROOT / file).read_text(encoding="utf-8")
    return "spark: SparkSession" in text or 'getfixturevalue("spark")' in text


def group_of(nodeid: str) -> str:
    """What one process has to run, one after the other."""
    file = nodeid.partition("::")[0]
    if file.startswith(PROGRAMS):
        return "programs"
    return "spark" if _uses_spark(file) else file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first, so that all processes end together."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)
    items.sort(key=lambda item: LONGEST.index(group) if (group := group_of(item.nodeid)) in LONGEST else len(LONGEST))


def pytest_collection_finish() -> None:
    """Fourteen thousand tests stay until the end: no collection of garbage has to look at them again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """All files with the shared Spark session in one process; those that start others' one after another."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return ByGroup(config, log)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The one session of the test run: starting Spark takes longer than most tests together."""
    from pipelines.engine.spark_session import spark_session
    from tests.java import QUICK_JAVA

    quick = {"spark.sql.shuffle.partitions": "4", "spark.driver.extraJavaOptions": QUICK_JAVA}
    session = spark_session("local[2]", quick)
    yield session
    session.stop()


@pytest.fixture
def sample() -> Path:
    return ROOT / "samples" / "msmq-loopback.pcap"
