"""Large tables take Spark's engine: the same checks, the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.quality.checking import Checking
from pipelines.quality.checks import checks_of
from schemas.tables import ACCOUNTING, CALLS, FLOWS
from tests.pipelines.quality.folders import clean_rows, link, plant

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from schemas.model import Table


@pytest.mark.parametrize("table", [FLOWS, CALLS, ACCOUNTING], ids=lambda table: table.name)
def test_both_engines_agree(table: Table, spark: SparkSession, clean: Path, tmp_path: Path) -> None:
    """On clean rows, and on rows with a defect for every way to work something out."""
    rows = clean_rows()
    found = {type(check.measure): check for check in checks_of(table) if check.measure is not None}
    for check in found.values():
        plant(check, rows)
        # The next one meets another row.
        rows[table.name].insert(0, rows[table.name].pop())
    spoilt = link(clean, tmp_path / "tables", rows, table.name)
    assert Checking(spark, str(clean), small_rows=0).suite(table).success
    small, large = (Checking(spark, str(spoilt), small_rows=most).suite(table) for most in (1_000, 0))
    assert {check.what for check in found.values()} <= {one.what for one in small.checked if not one.success}
    counts = [[(one.what, one.unexpected) for one in suite.checked] for suite in (small, large)]
    assert counts[0] == counts[1]
