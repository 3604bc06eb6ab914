"""Values that some comparisons leave out; differences.toml has why."""

from __future__ import annotations

from typing import Any, Final

_ALIGNED_BY_EIGHT: Final = ("apVar", "pbBuffer", "paPropRes")
_VECTORS: Final = ("cauh", "capropvar")


def without_nul(values: Any) -> Any:  # noqa: ANN401 - any of them
    # string-inner-nul
    match values:
        case str():
            return values.replace("\0", "0")
        case list():
            return [without_nul(one) for one in values]
        case dict():
            return {name: without_nul(one) for name, one in values.items()}
    return values


def has_nothing_aligned_by_eight(values: Any) -> bool:  # noqa: ANN401
    # empty-array-gap
    if isinstance(values, list):
        return any(map(has_nothing_aligned_by_eight, values))
    if not isinstance(values, dict):
        return False
    vectors = (values.get(name) for name in _VECTORS)
    return (
        any(values.get(name) == [] for name in _ALIGNED_BY_EIGHT)
        or any(vector and vector["pElems"] == [] for vector in vectors)
        or any(map(has_nothing_aligned_by_eight, values.values()))
    )
