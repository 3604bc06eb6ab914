"""What is said of keys is what a dictionary of all of them would say, in any number of shares."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from pipelines.quality import hashing, keys
from pipelines.quality.hashing import FIRST, Share, row_hashes
from pipelines.quality.keys import KeySizes, KnownValues
from pipelines.quality.table_files import TableFiles
from schemas.model import LONG, STRING, Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pipelines.quality.hashing import Hashes, Salt

TABLE = Table("pairs", "A pair.", (Column("name", STRING, "A name."), Column("number", LONG, "A number.")))
PAIRS = [(name, number) for name in ("a", "b", "", None, "a\x00") for number in (0, 1, -1, None)]


def _stored(pairs: Sequence[tuple[str | None, int | None]], folder: Path) -> TableFiles:
    folder.mkdir()
    rows = [{"name": name, "number": number} for name, number in pairs]
    parquet.write_table(pa.Table.from_pylist(rows, schema=TABLE.arrow), folder / "part-00000.parquet")
    return TableFiles(TABLE, str(folder), batch_rows=3)


def _together(parts: Sequence[pa.ChunkedArray]) -> list[object]:
    """Of each row what the one share says that it belongs to."""
    said = [
        [value for value in values if value is not None] for values in zip(*(p.to_pylist() for p in parts), strict=True)
    ]
    assert all(len(values) <= 1 for values in said)
    return [values[0] if values else None for values in said]


@pytest.mark.parametrize("shares", [1, 2, 7])
@pytest.mark.parametrize("bits", [64, 2, 0], ids="{} bits".format)
def test_sizes(bits: int, shares: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where many keys have the same hash: of two bits, and of none."""

    def few(columns: Sequence[pa.ChunkedArray], salt: Salt = FIRST) -> Hashes:
        hashes = row_hashes(columns, salt)
        # The highest decide the share.
        return hashes & np.uint64((1 << 64) - (1 << (64 - bits))) if salt is FIRST else hashes

    monkeypatch.setattr(keys, "row_hashes", few)
    pairs = [pair for number, pair in enumerate(PAIRS) for _ in range(1 + number % 3)]
    stored, names = _stored(pairs, tmp_path / "pairs"), ("name", "number")
    whole = next(TableFiles(TABLE, stored.folder).batches(names))
    parts = [KeySizes(stored, names, Share(number, shares)).column(whole) for number in range(shares)]
    counts = Counter(pairs)
    assert _together(parts) == [counts[pair] for pair in pairs]


@pytest.mark.parametrize("shares", [1, 2, 7])
def test_known_values(shares: int, tmp_path: Path) -> None:
    there, asked = ["a", "b", None, "b", "d"], ["a", "c", None, "", "d", "a", "b"]
    stored = _stored([(name, 0) for name in there], tmp_path / "pairs")
    values = pa.chunked_array([asked[:3], asked[3:]], pa.string())
    parts = [KnownValues(stored, "name", Share(number, shares)).column(values) for number in range(shares)]
    assert _together(parts) == [None if name is None else name in there for name in asked]


def test_nothing_is_known(tmp_path: Path) -> None:
    known = KnownValues(_stored([], tmp_path / "pairs"), "name", Share(0, 1))
    assert known.column(pa.chunked_array([["a", None]])).to_pylist() == [False, None]


@given(st.lists(st.integers(0, (1 << 64) - 1)), st.integers(1, 50))
def test_a_hash_belongs_to_one_share(numbers: list[int], shares: int) -> None:
    hashes = np.array([*numbers, 0, (1 << 64) - 1], np.uint64)
    belongs = np.stack([Share(number, shares).has(hashes) for number in range(shares)])
    assert (belongs.sum(axis=0) == 1).all()


def test_salts_and_columns_tell_rows_apart() -> None:
    columns = [pa.chunked_array([[name for name, _ in PAIRS]]), pa.chunked_array([[number for _, number in PAIRS]])]
    for salt in (hashing.FIRST, hashing.SECOND):
        assert len(set(row_hashes(columns, salt).tolist())) == len(PAIRS)
    first, second = (set(row_hashes(columns, salt).tolist()) for salt in (hashing.FIRST, hashing.SECOND))
    assert not first & second
    turned = row_hashes(columns) == row_hashes(columns[::-1])
    assert [pair for pair, same in zip(PAIRS, turned, strict=True) if same] == [(None, None)]
