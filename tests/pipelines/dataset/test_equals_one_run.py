"""The tables after any number of runs are those of one run over all the captures."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.pipelines.dataset.crowd import crowd, cut
from tests.pipelines.dataset.growing import add, read

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


MORE_FRAGMENTS = 20
"""Place of the flags in an Ethernet frame with IPv4."""


def differences(one: dict[str, list[str]], other: dict[str, list[str]]) -> list[str]:
    """A few of the rows that only one of them has."""
    found = []
    for name in sorted(one.keys() | other.keys()):
        first, second = one.get(name, []), other.get(name, [])
        if first != second:
            found += [f"{name} only whole: {row}" for row in sorted(set(first) - set(second))[:2]]
            found += [f"{name} only grown: {row}" for row in sorted(set(second) - set(first))[:2]]
    return found


@pytest.mark.parametrize(("seed", "nights", "in_order"), [(1, 3, True), (2, 2, False)])
def test_cut_anywhere(spark: SparkSession, tmp_path: Path, seed: int, nights: int, *, in_order: bool) -> None:
    grow(spark, tmp_path, seed, nights, in_order=in_order)


@pytest.mark.parametrize("seed", range(3, 13))
def test_cut_anywhere_in_this_process(tmp_path: Path, seed: int) -> None:
    """The same functions, run by the other engine: so there can be more of it."""
    grow(None, tmp_path, seed, 2 + seed % 4, in_order=seed % 3 != 0, parts=1 + seed % 3)


def grow(spark: SparkSession | None, folder: Path, seed: int, nights: int, *, in_order: bool, parts: int = 1) -> None:
    rng = random.Random(seed)
    packets = crowd(seed, 25, services=in_order, unseen=True)
    # One of the places lies between two fragments of a datagram.
    first_fragments = [place + 1 for place, (_, data, _) in enumerate(packets) if data[MORE_FRAGMENTS] & 0x20]
    places = {rng.choice(first_fragments), *rng.sample(range(1, len(packets)), nights - 2)}
    captures = cut(packets, sorted(places), folder)
    add(spark, folder / "whole", captures, parts=parts)
    if not in_order:
        rng.shuffle(captures)
    for capture in captures:
        assert add(spark, folder / "grown", [capture], parts=parts)
        assert not add(spark, folder / "grown", [capture], parts=parts)
    assert differences(read(folder / "whole"), read(folder / "grown")) == []
