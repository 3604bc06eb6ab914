"""Properties in calls: what clients ask for and give, and what servers answer."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final

from tests.scripts.recipes import fails
from tests.scripts.statements import ScriptError
from tests.scripts.variants import VT_NULL, expected_type, guessed_type, typical, variant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.scripts.stubs import Flat

VT_NAMES: Final = frozenset(("vt",))


def wanted(given: Flat, otherwise: list[int]) -> Flat:
    """Of a client that asks: it sends variants of no type unless told otherwise."""
    properties = given.get("aProp", otherwise)
    types = given.get("vt", [VT_NULL] * len(properties))
    variants = variants_of(types, given.get("apVar", [None] * len(types)))
    return {"cp": len(properties), "aProp": properties, **given, "apVar": variants}


def told(given: Flat, kind: int, otherwise: list[int]) -> Flat:
    """Of a client that creates or changes something."""
    properties = given.get("aProp", otherwise)
    return {"cp": len(properties), "aProp": properties, **given, "apVar": values(given, "apVar", kind, properties)}


def found(given: Flat, asked: Flat, kind: int) -> Flat:
    if fails(given) and not given.keys() & {"apVar", "vt"}:
        return {**asked, **given}
    return {**asked, **given, "apVar": values(given, "apVar", kind, asked["aProp"])}


def values(given: Flat, name: str, kind: int, properties: list[int]) -> list[Flat]:
    """Variants of the values under that name, or of typical ones; there may be more than properties."""
    if name in given:
        items = given[name]
        types = given.get("vt") or [guessed_type(kind, *pair) for pair in _paired(properties, items)]
    else:
        types = given.get("vt") or [expected_type(kind, propid) for propid in properties]
        items = [typical(kind, *pair) for pair in _paired(properties, types)]
    return variants_of(types, items)


def variants_of(types: list[int], items: list[Any]) -> list[Flat]:
    if len(types) != len(items):
        raise ScriptError(f"{len(types)} in 'vt' and {len(items)} in 'apVar'")
    return [variant(vt, value) for vt, value in zip(types, items, strict=True)]


def _paired(properties: list[int], items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    return zip(chain(properties, repeat(0)), items)  # noqa: B905
