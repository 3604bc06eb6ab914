"""The comparison that the live tests rest on sees what differs."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any

import pytest

from tests.live.comparing import differences

BYTES = b"LIOR"
SUMMARY = {"size": 4, "sha256": hashlib.sha256(BYTES).hexdigest(), "bytes": None}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"a": 1, "b": None}, {"a": 1, "b": None}),
        ({"arm": 1}, {"arm": 1, "other_arm": None}),
        ({}, {"no_parameters": True}),
        (BYTES, SUMMARY),
        (BYTES, SUMMARY | {"bytes": BYTES}),
        (BYTES, BYTES),
        (1 << 63, Decimal(1 << 63)),
        ([{"a": 1}, {"a": "x"}], [{"a": 1}, {"a": "x"}]),
    ],
)
def test_the_same(said: Any, found: Any) -> None:  # noqa: ANN401
    assert differences(said, found) == []


@pytest.mark.parametrize(
    ("said", "found", "where"),
    [
        ({"a": 1}, {"a": 2}, ".a"),
        ({"a": 1}, {}, ".a"),
        ({"a": 1}, None, ""),
        ({"a": None}, {"a": 0}, ".a"),
        ({"arm": 1}, {"arm": 1, "other_arm": 0}, ".other_arm"),
        (BYTES, SUMMARY | {"size": 5}, ""),
        (BYTES, SUMMARY | {"sha256": "0" * 64}, ""),
        (BYTES, SUMMARY | {"bytes": b"LIOR\0"}, ""),
        (BYTES, None, ""),
        ([1, 2], [1], ""),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}, {"b": 3}]}, ".a[1].b"),
        (1, True, ""),
        (1 << 63, Decimal((1 << 63) - 1), ""),
    ],
)
def test_not_the_same(said: Any, found: Any, where: str) -> None:  # noqa: ANN401
    (line,) = differences(said, found)
    assert line.partition(":")[0] == where
