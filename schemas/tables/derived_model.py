"""A column of a typed table that is made of the decoded parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schemas.model import Column

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Derived:
    column: Column
    of: Callable[[Values, Values], Any]
    """From the decoded request and response, either empty where it is missing."""
    problems: Callable[[Any], Iterable[tuple[str, str]]] = lambda _: ()
    """(issue code, detail) for what does not read as it should."""


def struct(**fields: pa.DataType) -> pa.StructType:
    return pa.struct([pa.field(name, kind) for name, kind in fields.items()])


def and_others(odd: list[tuple[Any, str]]) -> str:
    return f" (and {len(odd) - 1} others)" if len(odd) > 1 else ""
