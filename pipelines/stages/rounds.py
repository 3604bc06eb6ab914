"""Streams in rounds: what endpoints announced is used for all conversations, whenever it was announced.

docs/adr/0006 says why.
"""

from __future__ import annotations

import socket
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np
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
from schemas.internal import ANNOUNCED, ASIDES, FACTS, STREAM_FLOWS, VERSIONS
from schemas.parcels import PARCELS, opened
from schemas.state import CARRIED_CONNECTIONS
from schemas.tables import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ingest.choice import Choice, Endpoint
    from pipelines.dataset.carried import Carried
    from pipelines.inventory import Order
    from pipelines.sealed_secrets import SealedSecrets
    from pipelines.stages.select import Keys, Selection
    from schemas.model import Table

Row = dict[str, Any]
MAX_ROUNDS: Final = 8
"""Endpoint mapper, then a port query at the port it named: two. Longer chains are made up, and each round is a pass."""


_SCHEMAS: Final = {table.name: table.arrow for table in (*WRITTEN, FACTS)}


class Rounds:
    """What the rounds came to: what a later one says of a connection replaces what earlier ones said."""

    def __init__(self, first: DataFrame, earlier: DataFrame | None = None) -> None:
        """`earlier`: CARRIED_CONNECTIONS of the runs before, which were looked at then."""
        self._rounds = [first]
        self._earlier = earlier
        self._uids: list[set[str]] = [set()]
        """Of the connections that each round looked at; not needed of the first."""
        self.learned: Mapping[Endpoint, Mapping[str, int]] = {}
        """What the last of them knew."""
        self.not_followed: list[str] = []
        """Endpoints announced in the last round that was made."""

    def add(self, later: DataFrame) -> None:
        self._rounds.append(later)
        uids = unwrapped(later, STREAM_FLOWS).select("uid").unionByName(unwrapped(later, ASIDES).select("uid"))
        self._uids.append({row.uid for row in uids.collect()})

    @property
    def last(self) -> DataFrame:
        return self._rounds[-1]

    def unsettled(self, keys: Keys) -> Keys:
        """Those of these conversations that have a connection set aside or with calls of unknown interface, or none."""
        told: dict[str, tuple[int, bool]] = {}
        wanted = F.broadcast(self._rounds[0].sparkSession.createDataFrame(pa.table({"key": keys})))
        if self._earlier is not None:
            for row in self._earlier.join(wanted, "key", "left_semi").select("key", "uid", "unresolved").collect():
                told[row.uid] = row.key, row.unresolved
        for envelope in self._rounds:
            flows = unwrapped(envelope, STREAM_FLOWS).select("key", "uid", "unresolved")
            asides = unwrapped(envelope, ASIDES).select("key", "uid", F.lit(True).alias("unresolved"))
            for row in flows.unionByName(asides).join(wanted, "key", "left_semi").collect():
                told[row.uid] = row.key, row.unresolved
        settled = {key for key, _ in told.values()} - {key for key, unresolved in told.values() if unresolved}
        return np.setdiff1d(keys, np.array(sorted(settled), np.int64))

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
        found: dict[str, list[pa.RecordBatch]] = {}
        for number, one in enumerate(self._rounds):
            replaced = pa.array(sorted(self._replaced(number)), pa.string())
            for row in unwrapped(one, PARCELS).select("table", "data").collect():
                for batch in opened([bytes(row.data)], _SCHEMAS[row.table]):
                    kept = batch.filter(pc.invert(pc.is_in(batch.column("uid"), replaced))) if len(replaced) else batch
                    found.setdefault(row.table, []).append(kept)
        return found

    def unpacked(self, table: Table) -> DataFrame:
        """Rows of a table that travels in parcels, which has `uid`."""
        return self._latest([unpacked(one, table) for one in self._rounds])

    def versions(self) -> list[Row]:
        """Rows of VERSIONS. What hosts said of themselves stays true, whatever a later round says of the connection."""
        said = reduce(DataFrame.unionByName, [unwrapped(one, VERSIONS) for one in self._rounds])
        return [row.asDict() for row in said.distinct().collect()]

    def _replaced(self, number: int) -> set[str]:
        return set().union(*self._uids[number + 1 :])

    def _latest(self, parts: list[DataFrame]) -> DataFrame:
        for number, part in enumerate(parts):
            if replaced := self._replaced(number):
                uids = part.sparkSession.createDataFrame(pa.table({"uid": sorted(replaced)}))
                parts[number] = part.join(F.broadcast(uids), "uid", "left_anti").select(*part.columns)
        return reduce(DataFrame.unionByName, parts)


def run_rounds(
    selection: Selection,
    choice: Choice,
    order: Order,
    untidy: frozenset[int],
    *,
    keep_payload: bool,
    secrets: SealedSecrets | None = None,
    earlier: Carried | None = None,
) -> Rounds:
    """`choice` knows what earlier runs learned; conversations of theirs are looked at again where there is news."""
    keys = selection.promising()
    if choice.learned:
        keys = np.union1d(keys, selection.reaching([endpoint_key(*end) for end in sorted(choice.learned)]))

    def look(keys: Keys) -> DataFrame:
        ids, paths = order.ids, order.paths
        return streams(selection.take(keys), choice, ids, paths, untidy, keep_payload=keep_payload, secrets=secrets)

    rounds = Rounds(look(keys), earlier.frame(CARRIED_CONNECTIONS) if earlier else None)
    rounds.learned = choice.learned
    for number in range(MAX_ROUNDS + 1):
        wiser, late = _with_news(choice, rounds.last)
        if wiser is None:
            break
        rounds.learned = wiser.learned
        news = {end for end, told in wiser.learned.items() if told != choice.learned.get(end)}
        ends = [endpoint_key(*end) for end in sorted(news)]
        reached = selection.reaching(ends)
        if earlier is not None:
            reached = np.union1d(reached, earlier.reaching(ends))
        keys = np.union1d(rounds.unsettled(reached), late)
        if not len(keys):
            break
        if number == MAX_ROUNDS:
            rounds.not_followed = sorted(f"{to_text(address)} port {port}" for address, port in news)
            break
        choice = wiser
        rounds.add(look(keys))
    return rounds


def _with_news(choice: Choice, envelope: DataFrame) -> tuple[Choice | None, Keys]:
    """The choice with what the round brought to light, None if nothing; keys of conversations chosen too late."""
    late = F.col(f"{ASIDES.name}.chosen_by").isNotNull()
    told = envelope.where(late | F.col(ANNOUNCED.name).isNotNull()).select(ASIDES.name, ANNOUNCED.name).collect()
    learned: dict[Endpoint, dict[str, int]] = {}
    known: dict[str, ChosenBy] = {}
    keys: set[int] = set()
    for aside, announced in told:
        if aside is not None:
            known[aside.uid] = ChosenBy(aside.chosen_by)
            keys.add(aside.key)
            continue
        end = _address(announced.host), announced.port
        told_there = learned.setdefault(end, dict(choice.learned.get(end, {})))
        first = told_there.get(announced.interface_uuid, announced.ts_ns)
        told_there[announced.interface_uuid] = min(first, announced.ts_ns)
    sorted_keys = np.array(sorted(keys), np.int64)
    if not known and all(there == choice.learned.get(end) for end, there in learned.items()):
        return None, sorted_keys
    return replace(choice, learned={**choice.learned, **learned}, known={**choice.known, **known}), sorted_keys


def _address(text: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)
