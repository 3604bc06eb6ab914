"""Great Expectations: checks to suites, batches to validation results. The only module that knows it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from pipelines.quality.batches import batch_name, subject
from pipelines.quality.checks import NotNull, OneOf, SameAs, Within
from pipelines.quality.postponed import postponed
from pipelines.quality.result import MAX_EXAMPLES

# Releases that report their use ask this first; what was captured is nobody else's business.
os.environ["GX_ANALYTICS_ENABLED"] = "false"
# For plots and statistics, of which we need none: a quarter of the library's own import.
with postponed("altair", "scipy.stats"):
    import great_expectations as gx
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )
    from great_expectations.expectations.core.expect_column_pair_values_to_be_equal import (
        ExpectColumnPairValuesToBeEqual,
    )
    from great_expectations.expectations.core.expect_column_values_to_be_between import ExpectColumnValuesToBeBetween
    from great_expectations.expectations.core.expect_column_values_to_be_in_set import ExpectColumnValuesToBeInSet
    from great_expectations.expectations.core.expect_column_values_to_not_be_null import ExpectColumnValuesToNotBeNull

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from great_expectations.core import ExpectationSuiteValidationResult
    from great_expectations.expectations.expectation import Expectation

    from pipelines.quality.checks import Check

_NUMBER: Final = "check"
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    check: Check
    unexpected: int = 0
    rows: tuple[Row, ...] = ()
    """Of those that break it, some or all."""

    def __add__(self, other: CheckOutcome) -> CheckOutcome:
        """Of other rows."""
        return CheckOutcome(self.check, self.unexpected + other.unexpected, (*self.rows, *other.rows))


@cache
def gate() -> CheckRunner:
    """One for all checking in this process: it keeps nothing, and to make it takes longer than a look at a table."""
    return CheckRunner()


class CheckRunner:
    def __init__(self) -> None:
        self._context = gx.get_context(
            mode="ephemeral",
            project_config=DataContextConfig(store_backend_defaults=InMemoryStoreBackendDefaults()),
        )
        self._context.enable_analytics(False)
        self._context.variables.progress_bars = ProgressBarsConfig(globally=False)
        # One definition for all batches: each new one makes the library write its whole setup.
        asset = self._context.data_sources.add_pandas(name="pandas").add_dataframe_asset(name="table")
        self._whole = asset.add_batch_definition_whole_dataframe("whole")

    def outcomes(
        self,
        suite: str,
        checks: Sequence[Check],
        batch: pd.DataFrame,
        shown: Sequence[str],
        *,
        all_rows: bool = False,
    ) -> list[CheckOutcome]:
        """One look at the batch for all checks; another, for counts and rows, only at what failed."""
        failed = self._failed(self._validate(suite, list(enumerate(checks)), batch, "BOOLEAN_ONLY"))
        if not failed:
            return [CheckOutcome(check) for check in checks]
        found: dict[int, CheckOutcome] = {}
        for number in sorted(failed):
            check = checks[number]
            paths = tuple(dict.fromkeys((*shown, *check.columns)))
            # Only where they are: of columns asked for by name it would look up every value of every such row.
            wanted = {
                "result_format": "COMPLETE" if all_rows else "SUMMARY",
                "partial_unexpected_count": MAX_EXAMPLES,
            }
            result = self._validate(f"{suite}, check {number}", [(number, check)], batch, wanted).results[0].result
            places = result["unexpected_index_list" if all_rows else "partial_unexpected_index_list"] or ()
            rows = tuple(_row(batch, place, paths) for place in places)
            found[number] = CheckOutcome(check, result["unexpected_count"], rows)
        return [found.get(number, CheckOutcome(check)) for number, check in enumerate(checks)]

    def _validate(
        self,
        name: str,
        checks: Sequence[tuple[int, Check]],
        batch: pd.DataFrame,
        result_format: Literal["BOOLEAN_ONLY"] | dict[str, Any],
    ) -> ExpectationSuiteValidationResult:
        suite = gx.ExpectationSuite(name, expectations=[_expectation(number, check) for number, check in checks])
        given = self._whole.get_batch(batch_parameters={"dataframe": batch})
        # A validation definition would come to the same and keep suite and result in stores that nobody asks.
        return given.validate(suite, result_format=result_format)

    def _failed(self, validated: ExpectationSuiteValidationResult) -> set[int]:
        failed = set()
        for result in validated.results:
            if result.success:
                continue
            config = result.expectation_config
            if config is None or (result.exception_info or {}).get("raised_exception", True):
                raise RuntimeError(f"{validated.suite_name}: {result.exception_info}")
            failed.add(int(config.meta[_NUMBER]))
        return failed


def _expectation(number: int, check: Check) -> Expectation:
    column, test = subject(number, check), check.test
    said: dict[str, Any] = {"meta": {_NUMBER: number}, "description": f"{check.table}: {check.what}"}
    match test:
        case NotNull():
            return ExpectColumnValuesToNotBeNull(column=column, **said)
        case OneOf(values):
            return ExpectColumnValuesToBeInSet(column=column, value_set=list(values), **said)
        case Within(low, high):
            # The library takes bounds for floats: 2^64 is one, the number before it is not.
            if high is not None and float(high) != high:
                high, said["strict_max"] = high + 1, True
            return ExpectColumnValuesToBeBetween(column=column, min_value=low, max_value=high, **said)
        case SameAs(other):
            said["ignore_row_if"] = "either_value_is_missing"
            return ExpectColumnPairValuesToBeEqual(column_A=column, column_B=batch_name(other), **said)


def _row(batch: pd.DataFrame, place: int, paths: Sequence[str]) -> Row:
    return {path: batch.at[place, batch_name(path)] for path in paths}
