"""Streams in rounds: what endpoints announced is used for all conversations, whenever it was announced.

docs/adr/0006 says why.
"""

from __future__ import annotations

import socket
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from decoders.dcerpc.well_known import MSMQ, PORTS
from ingest.choice import ChosenBy
from ingest.conversations import endpoint_key
from pipelines.stages.envelopes import unwrapped
from pipelines.stages.parcels import unpacked
from pipelines.stages.streams import streams
from schemas.internal import ASIDES, STREAM_FLOWS
from schemas.parcels import PARCELS
from schemas.tables import ENDPOINTS, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Row

    from ingest.choice import Choice, Endpoint
    from pipelines.stages.select import Selection
    from schemas.model import Table

MAX_ROUNDS: Final = 4
"""Endpoint mapper, then qm2qm's port query at the port it named, then what that names; one more to be sure."""
MAX_LEARNED: Final = 10_000
"""Endpoints. A network has hundreds of queue managers; a forged answer can list any number."""
_TCP: Final = "ncacn_ip_tcp"


class Rounds:
    """What the rounds came to."""

    def __init__(self, first: DataFrame) -> None:
        self._rounds = [first]

    def add(self, later: DataFrame) -> None:
        self._rounds.append(later)

    @property
    def last(self) -> DataFrame:
        return self._rounds[-1]

    def table(self, table: Table) -> DataFrame:
        """Rows of a table of the envelope, which has `uid`."""
        return self._latest([unwrapped(one, table) for one in self._rounds])

    def packed_tables(self) -> list[Table]:
        """Those that have rows in some round."""
        named = reduce(DataFrame.unionByName, [one.select(f"{PARCELS.name}.table") for one in self._rounds])
        present = {row.table for row in named.where(F.col("table").isNotNull()).distinct().collect()}
        return [table for table in WRITTEN if table.name in present]

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
    for _ in range(MAX_ROUNDS):
        learned = {**choice.learned, **_announced(rounds.last, choice)}
        late = {row.uid: ChosenBy(row.chosen_by) for row in _late(rounds.last)}
        news = learned.keys() - choice.learned.keys()
        if not news and not late:
            break
        choice = replace(choice, learned=learned, known={**choice.known, **late})
        keys = _to_look_at_again(selection, rounds, sorted(endpoint_key(*end) for end in news)).persist()
        if keys.isEmpty():
            break
        again = selection.take(keys)
        rounds.add(streams(again, choice, capture_ids, paths, keep_payload=keep_payload))
    return rounds


def _announced(envelope: DataFrame, choice: Choice) -> dict[Endpoint, frozenset[str]]:
    """Endpoints of message queuing that its ports do not give away, with the interfaces known to be there."""
    endpoints = unpacked(envelope, ENDPOINTS)
    ours = (
        F.col("interface_uuid").isin(*MSMQ)
        & (F.col("protocol") == _TCP)
        & F.col("port").isNotNull()
        & (F.col("port") > 0)
        & ~F.col("port").isin(*PORTS)
    )
    # A server with several addresses may announce another one than it was asked at.
    hosts = F.explode(F.array_distinct(F.array("host", "id.resp_h")))
    rows = endpoints.where(ours).select(hosts.alias("host"), "port", "interface_uuid").distinct()
    found: dict[Endpoint, set[str]] = {}
    for row in rows.orderBy("host", "port", "interface_uuid").limit(MAX_LEARNED).collect():
        end = _address(row.host), row.port
        found.setdefault(end, set(choice.learned.get(end, ()))).add(row.interface_uuid)
    return {end: frozenset(uuids) for end, uuids in found.items()}


def _address(text: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)


def _late(envelope: DataFrame) -> list[Row]:
    return unwrapped(envelope, ASIDES).where(F.col("chosen_by").isNotNull()).select("uid", "chosen_by").collect()


def _to_look_at_again(selection: Selection, rounds: Rounds, ends: list[int]) -> DataFrame:
    late = unwrapped(rounds.last, ASIDES).where(F.col("chosen_by").isNotNull()).select("key")
    flows, asides = rounds.table(STREAM_FLOWS), rounds.table(ASIDES)
    open_questions = flows.where("unresolved").select("key").unionByName(asides.select("key"))
    settled = flows.select("key").join(open_questions, "key", "left_anti").distinct()
    return selection.reaching(ends).join(settled, "key", "left_anti").unionByName(late).distinct()


def _connections(envelope: DataFrame) -> DataFrame:
    return unwrapped(envelope, STREAM_FLOWS).select("uid").unionByName(unwrapped(envelope, ASIDES).select("uid"))
