"""Decoded values with something changed in them: what a peer may say that follows the declaration to the letter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.layered.damage import bytes_damaged, number

if TYPE_CHECKING:
    import random

_TEXTS = ("", "\\", "DIRECT=OS:", "\0", "a" * 300, "\u202e", "A\\private$\\b;JOURNAL", "PUBLIC=0")


def changed(values: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    for _ in range(rng.choice((1, 1, 2, 4))):
        found = list(_places(values))
        if found:
            container, key = rng.choice(found)
            container[key] = _other(container[key], rng)
    return values


def _places(value: Any) -> Any:  # noqa: ANN401 - decoded values
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in list(items):
        yield value, key
        yield from _places(one)


def _other(value: Any, rng: random.Random) -> Any:  # noqa: ANN401
    if rng.random() < 0.05:
        return None
    match value:
        case bool():
            return not value
        case int():
            return number(value, rng.choice((8, 16, 32, 64)), rng)
        case str():
            return rng.choice((value + value, value[:1], *_TEXTS))
        case bytes():
            return bytes_damaged(value, rng)
        case list():
            return rng.choice((value[:1], value * 2, [], value[::-1], value * 50))
        case dict():
            return dict.fromkeys(value) if rng.random() < 0.2 else dict(reversed(value.items()))
        case None:
            return rng.choice((None, 0, "", b"", []))
    return value
