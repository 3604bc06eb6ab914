"""What all tests share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[1]

# No deadlines: the first example of a run imports and compiles, and machines that run tests are busy.
settings.register_profile("patient", settings(), deadline=None)
settings.load_profile("patient")

_LONGEST = ("spark", "programs")
_PROGRAMS = frozenset(("airflow", "cluster", "walk_through"))
"""Folders of tests that start Spark in processes of their own: not two of them at once."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first, so that two processes end together: the shared session in one, the rest in the other."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=lambda item: _LONGEST.index(group) if (group := _group(item)) in _LONGEST else len(_LONGEST))


def _group(item: pytest.Item) -> str:
    """Of one process."""
    if item.get_closest_marker("spark"):
        return "spark"
    return "programs" if item.path.relative_to(ROOT / "tests").parts[0] in _PROGRAMS else str(item.path)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The one session of the test run: starting Spark takes longer than most tests together."""
    from pipelines.session import spark_session

    session = spark_session("local[2]", {"spark.sql.shuffle.partitions": "4"})
    yield session
    session.stop()


@pytest.fixture
def sample() -> Path:
    return ROOT / "samples" / "msmq-loopback.pcap"
