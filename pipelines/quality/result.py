"""What a check of the tables came to, for people and for machines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from pipelines.quality.checks import CheckKind

MAX_EXAMPLES: Final = 3
_MAX_VALUE: Final = 48
"""Characters of a value in an example."""


@dataclass(frozen=True, slots=True)
class ExpectationResult:
    """One expectation."""

    table: str
    kind: str
    what: str
    """What should hold, in words."""
    unexpected: int
    """Rows, or of types columns, in which it does not."""
    examples: tuple[dict[str, str | None], ...] = ()

    @classmethod
    def of(cls, told: dict[str, Any]) -> ExpectationResult:
        """From what as_json gives."""
        return cls(told["table"], told["kind"], told["what"], told["unexpected"], tuple(told["examples"]))

    @property
    def success(self) -> bool:
        return self.unexpected == 0

    @property
    def sentence(self) -> str:
        """Safe to print: values come from captures."""
        of = "column" if self.kind == CheckKind.TYPE else "row"
        count = f"1 {of}" if self.unexpected == 1 else f"{self.unexpected} {of}s"
        shown = "; ".join(_shown(example) for example in self.examples)
        return f"{self.table}: {self.what}: not so in {count}" + (f", e.g. {shown}" if shown else "")

    def as_json(self) -> dict[str, Any]:
        return {
            "table": self.table,
            "kind": self.kind,
            "what": self.what,
            "success": self.success,
            "unexpected": self.unexpected,
            "examples": list(self.examples),
        }


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    rows: int
    checked: tuple[ExpectationResult, ...]
    """Empty where there are no rows: nothing could break them."""

    @property
    def success(self) -> bool:
        return all(one.success for one in self.checked)


@dataclass(frozen=True, slots=True)
class QualityResult:
    suites: tuple[Suite, ...]

    @classmethod
    def of(cls, told: dict[str, Any]) -> QualityResult:
        """From what as_json gives."""
        return cls(
            tuple(
                Suite(one["suite"], one["rows"], tuple(ExpectationResult.of(check) for check in one["expectations"]))
                for one in told["suites"]
            )
        )

    @property
    def checked(self) -> list[ExpectationResult]:
        return [one for suite in self.suites for one in suite.checked]

    @property
    def failures(self) -> list[ExpectationResult]:
        return [one for one in self.checked if not one.success]

    @property
    def success(self) -> bool:
        return not self.failures

    def text(self) -> str:
        """For the file quality.json: a line a suite."""
        whole = self.as_json()
        suites = ",\n".join(json.dumps(suite) for suite in whole.pop("suites"))
        return f'{json.dumps(whole)[:-1]}, "suites": [\n{suites}\n]}}\n'

    @property
    def summary(self) -> str:
        failed = len(self.failures)
        return f"quality: {len(self.checked) - failed} expectations of the tables kept, {failed} not"

    def as_json(self) -> dict[str, Any]:
        """The same for the same tables: no times, no ids of this run."""
        return {
            "success": self.success,
            "expectations": len(self.checked),
            "failed": len(self.failures),
            "suites": [
                {
                    "suite": suite.name,
                    "rows": suite.rows,
                    "success": suite.success,
                    "expectations": [one.as_json() for one in suite.checked],
                }
                for suite in self.suites
            ],
        }


def example(row: dict[str, Any]) -> dict[str, str | None]:
    return {name: _text(value) for name, value in row.items()}


def _text(value: object) -> str | None:
    # Of the pandas engine a missing value is one of several, none of which equals itself or is true.
    if value is None or repr(value) in ("<NA>", "NaT", "nan"):
        return None
    # Whole numbers of a column with gaps are floats by then.
    text = str(int(value) if isinstance(value, float) and value.is_integer() else value)
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 3]}..."


def _shown(values: dict[str, str | None]) -> str:
    return ", ".join(f"{name}={_printable(value)}" for name, value in values.items())


def _printable(value: str | None) -> str:
    """Control characters escaped, also those beyond ASCII that turn a terminal's writing direction."""
    if value is None:
        return "null"
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in value)
