"""The engine in this process: no JVM. For a first look, and for tests by the thousand."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.engine.model import Receipt
from pipelines.engine.sealed_secrets import OpenSecrets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from decoders.security.accounts import Secret
    from pipelines.engine.model import Exchange
    from pipelines.engine.sealed_secrets import Secrets


class LocalEngine:
    """Rows that are brought together are held in memory. `parts`: into how many they are dealt out."""

    parallelism = 1

    def __init__(self, parts: int = 1) -> None:
        self._parts = parts
        self._jobs = 0

    def run(self, *exchanges: Exchange) -> list[Any]:
        self._jobs += 1
        return [
            said for number, one in enumerate(exchanges) for said in _run(one, f"{self._jobs}-{number}", self._parts)
        ]

    def tally(self) -> LocalTally:
        return LocalTally()

    def sealed(self, secrets: Sequence[Secret]) -> Secrets:
        return OpenSecrets(tuple(secrets))


class LocalTally:
    def __init__(self) -> None:
        self.value: Counter[Any] = Counter()

    def add(self, counts: Counter[Any]) -> None:
        self.value.update(counts)


def _run(exchange: Exchange, part: str, parts: int) -> Iterator[Any]:
    held: list[pa.RecordBatch] = []
    for number, items in enumerate(exchange.tasks):
        for one in exchange.read(f"{part}-0-{number}", items):
            if isinstance(one, Receipt):
                yield one.said
            elif len(one):
                held.append(one)
    if exchange.work is None:
        return
    rows = pa.Table.from_batches(held, exchange.schema)
    held.clear()
    for number, some in enumerate(_dealt(rows, exchange.by, parts)):
        yield from exchange.work(f"{part}-1-{number}", _sorted(some, exchange))


def _dealt(rows: pa.Table, by: tuple[str, ...], parts: int) -> Iterator[pa.Table]:
    if parts == 1:
        yield rows
        return
    columns = (rows.column(name).to_pylist() for name in by)
    place = pa.array([hash(key) % parts for key in zip(*columns, strict=True)], pa.int64())
    for number in range(parts):
        yield rows.filter(pc.equal(place, number))


def _sorted(rows: pa.Table, exchange: Exchange) -> Iterator[pa.RecordBatch]:
    keys = [(name, "ascending", "at_start") for name in dict.fromkeys((*exchange.by, *exchange.order))]
    yield from rows.take(pc.sort_indices(rows, keys)).to_batches()
