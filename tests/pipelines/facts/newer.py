"""A fact as a later version may have it."""

from __future__ import annotations

from typing import Any

from pipelines.facts.model import CallFact


def with_shade() -> type[Any]:
    class Newer(CallFact, frozen=True, kw_only=True):
        shade: int = 3

    return Newer
