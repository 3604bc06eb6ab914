"""Streams in rounds: what endpoints announced is used for all conversations, whenever it was announced.

docs/adr/0006 says why.
"""

from __future__ import annotations

import socket
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from decoders.net.addresses import to_text
from ingest.choice import ChosenBy
from ingest.conversations import endpoint_key
from pipelines.stages.envelopes import unwrapped
from pipelines.stages.parcels import unpacked
from pipelines.stages.streams import streams
from schemas.internal import ANNOUNCED, ASIDES, STREAM_FLOWS
from schemas.parcels import PARCELS, opened
from schemas.tables import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.choice import Choice, Endpoint
    from pipelines.stages.select import Selection
    from schemas.model import Table

MAX_ROUNDS: Final = 8
"""Endpoint mapper, then a port query at the port it named: two. Longer chains are made up, and each round is a pass."""


_SCHEMAS: Final = {table.name: table.arrow for table in WRITTEN}


class Rounds:
    """What the rounds came to."""

    def __init__(self, first: DataFrame) -> None:
        self._rounds = [first]
        self.not_followed: list[str] = []
        """Endpoints announced in the last round that was made."""

    def add(self, later: DataFrame) -> None:
        self._rounds.append(later)

    @property
    def last(self) -> DataFrame:
        return self._rounds[-1]

    def table(self, table: Table) -> DataFrame:
        """Rows of a table of the envelope, which has `uid`."""
        return self._latest([unwrapped(one, table) for one in self._rounds])

    def parcels(self) -> DataFrame:
        """(round, table, size) of each."""
        parts = [
            unwrapped(one, PARCELS).select(F.lit(number).alias("round"), "table", F.length("data").alias("size"))
            for number, one in enumerate(self._rounds)
        ]
        return reduce(DataFrame.unionByName, parts)

    def fetched(self) -> dict[str, list[pa.RecordBatch]]:
        """All parcels opened here: for when there is little in them."""
        later: set[str] = set()
        found: dict[str, list[pa.RecordBatch]] = {}
        for one in reversed(self._rounds):
            replaced = pa.array(sorted(later), pa.string())
            for row in unwrapped(one, PARCELS).select("table", "data").collect():
                for batch in opened([bytes(row.data)], _SCHEMAS[row.table]):
                    kept = batch.filter(pc.invert(pc.is_in(batch.column("uid"), replaced))) if later else batch
                    found.setdefault(row.table, []).append(kept)
            if one is not self._rounds[0]:
                later |= {row.uid for row in _connections(one).collect()}
        return found

    def unpacked(self, table: Table) -> DataFrame:
        """Rows of a table that travels in parcels, which has `uid`."""
        return self._latest([unpacked(one, table) for one in self._rounds])

    def _latest(self, parts: list[DataFrame]) -> DataFrame:
        """What a later round says of a connection replaces what earlier ones said."""
        latest = parts[0]
        for later, part in zip(self._rounds[1:], parts[1:], strict=True):
            latest = latest.join(F.broadcast(_connections(later)), "uid", "left_anti").unionByName(part)
        return latest


def run_rounds(
    selection: Selection, choice: Choice, capture_ids: Sequence[str], paths: Sequence[str], *, keep_payload: bool
) -> Rounds:
    segments = selection.take(selection.promising())
    rounds = Rounds(streams(segments, choice, capture_ids, paths, keep_payload=keep_payload))
    for number in range(MAX_ROUNDS + 1):
        wiser = _with_news(choice, rounds.last)
        if wiser is None:
            break
        news = {end for end, uuids in wiser.learned.items() if uuids - choice.learned.get(end, frozenset())}
        keys = _to_look_at_again(selection, rounds, [endpoint_key(*end) for end in sorted(news)]).persist()
        if keys.isEmpty():
            break
        if number == MAX_ROUNDS:
            rounds.not_followed = sorted(f"{to_text(address)} port {port}" for address, port in news)
            break
        choice = wiser
        rounds.add(streams(selection.take(keys), choice, capture_ids, paths, keep_payload=keep_payload))
    return rounds


def _with_news(choice: Choice, envelope: DataFrame) -> Choice | None:
    """The choice with what the round brought to light; None if it brought nothing."""
    late = F.col(f"{ASIDES.name}.chosen_by").isNotNull()
    told = envelope.where(late | F.col(ANNOUNCED.name).isNotNull()).select(ASIDES.name, ANNOUNCED.name).collect()
    learned: dict[Endpoint, frozenset[str]] = {}
    known: dict[str, ChosenBy] = {}
    for aside, announced in told:
        if aside is not None:
            known[aside.uid] = ChosenBy(aside.chosen_by)
            continue
        end = _address(announced.host), announced.port
        learned[end] = learned.get(end, choice.learned.get(end, frozenset())) | {announced.interface_uuid}
    if not known and all(uuids <= choice.learned.get(end, frozenset()) for end, uuids in learned.items()):
        return None
    return replace(choice, learned={**choice.learned, **learned}, known={**choice.known, **known})


def _address(text: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)


def _to_look_at_again(selection: Selection, rounds: Rounds, ends: list[int]) -> DataFrame:
    late = unwrapped(rounds.last, ASIDES).where(F.col("chosen_by").isNotNull()).select("key")
    flows, asides = rounds.table(STREAM_FLOWS), rounds.table(ASIDES)
    open_questions = flows.where("unresolved").select("key").unionByName(asides.select("key"))
    settled = flows.select("key").join(open_questions, "key", "left_anti").distinct()
    return selection.reaching(ends).join(settled, "key", "left_anti").unionByName(late).distinct()


def _connections(envelope: DataFrame) -> DataFrame:
    return unwrapped(envelope, STREAM_FLOWS).select("uid").unionByName(unwrapped(envelope, ASIDES).select("uid"))
