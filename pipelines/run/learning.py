"""Decoding in rounds: what endpoints announced is used for all conversations, whenever it was announced.

The first round decodes all conversations of interest. Only those whose reading may change, and at whose endpoints there
is news, are looked at again: docs/adr/0006 says why, docs/adr/0022 what becomes of their rows.
"""

from __future__ import annotations

import socket
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from decoders.net.addresses import to_text
from ingest.choice import ChosenBy
from ingest.conversations import endpoint_key, host_key
from ingest.segments import contains
from pipelines.connections.exchange import NOTHING, DecodeOrder, DecodeResult, decode
from pipelines.dataset.mentions import Mentions, mentions_exchange
from pipelines.store.files import StoredFile
from pipelines.store.reading import batches_of, part_of
from pipelines.store.removal import NotAmong, Removal, kept_rows
from schemas.internal import CONNECTIONS, FACTS, SEGMENTS
from schemas.tables import ISSUES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ingest.choice import Choice, Endpoint
    from pipelines.captures.selection import Keys, Selection
    from pipelines.connections.exchange import DecodeSettings
    from pipelines.dataset.carry_over import CarryOver
    from pipelines.dataset.earlier_runs import EarlierRuns
    from pipelines.engine.model import Engine
    from pipelines.store.files import WrittenFile
    from pipelines.store.removal import Keeps
    from schemas.internal_rows import AnnouncedRow, VersionRow

Counts = Counter[tuple[int, str, str]]
"""(file, stage, counter)"""
MAX_ROUNDS: Final = 8
"""Endpoint mapper, then a port query at the port it named: two. Longer chains are made up, and each round is a pass."""
_EXCHANGED: Final = frozenset((FACTS.name, CONNECTIONS.name, ISSUES.name, SEGMENTS.name))


@dataclass
class Round:
    keys: Keys
    stored: Keys
    """Conversations whose segments were stored."""
    decoded: list[DecodeResult]
    hollow: Keys = field(default_factory=lambda: NOTHING)
    """Those of the keys that were taken for nothing but what they do not show."""

    def files(self, root: str, table: str) -> Iterator[StoredFile]:
        return (StoredFile(root, one) for task in self.decoded for one in task.written if one.table == table)


@dataclass
class Learning:
    """What all rounds came to: what a later one says of a conversation replaces what earlier ones said."""

    root: str
    choice: Choice
    """With what the last round knew."""
    rounds: list[Round] = field(default_factory=list)
    not_followed: list[str] = field(default_factory=list)
    """Endpoints announced in the last round that was made."""
    mentions: Mentions = field(default_factory=Mentions)
    """What earlier facts speak of."""
    _void: dict[int, frozenset[str]] = field(default_factory=dict)

    @property
    def taken(self) -> Keys:
        """All that were put in order."""
        return _union(one.keys for one in self.rounds)

    @property
    def hollow(self) -> Keys:
        """Those of them that nothing but what they do not show speaks for."""
        found = NOTHING
        for one in self.rounds:
            found = np.union1d(np.setdiff1d(found, one.keys), one.hollow)
        return found

    @property
    def tables(self) -> list[WrittenFile]:
        """Files of tables whose rows hold."""
        held = [file for one in self.rounds for task in one.decoded for file in task.written]
        held += [
            file
            for number, one in enumerate(self.rounds)
            for task in one.decoded
            for file in task.unsettled
            if not self.void(number)
        ]
        return [file for file in held if file.table not in _EXCHANGED]

    @property
    def removals(self) -> list[Removal]:
        """Files of tables with rows of connections that were read again."""
        return [
            Removal(StoredFile(self.root, file), NotAmong("uid", void))
            for number, one in enumerate(self.rounds)
            if (void := self.void(number))
            for task in one.decoded
            for file in task.unsettled
        ]

    def exchanged(self, table: str) -> list[tuple[StoredFile, Keeps | None]]:
        """Files that pass on facts or issues, with what holds of each; None: all."""
        return [
            (file, NotAmong("uid", void) if (void := self.void(number)) else None)
            for number, one in enumerate(self.rounds)
            for file in one.files(self.root, table)
        ]

    def void(self, number: int) -> frozenset[str]:
        """Connections of a round of which a later one says something else."""
        if number not in self._void:
            later = _union(one.keys for one in self.rounds[number + 1 :])
            self._void[number] = frozenset(self._uids(number, later, unresolved=True)) if len(later) else frozenset()
        return self._void[number]

    def settled(self, keys: Keys) -> frozenset[str]:
        """Connections of these conversations of which everything is said."""
        numbers = range(len(self.rounds))
        return frozenset(uid for number in numbers for uid in self._uids(number, keys, unresolved=False))

    def _uids(self, number: int, keys: Keys, *, unresolved: bool) -> Iterator[str]:
        for batch in _rows(self.rounds[number].files(self.root, CONNECTIONS.name), ("uid", "key", "unresolved")):
            found = contains(keys, batch.column("key").to_numpy())
            found &= batch.column("unresolved").to_numpy(zero_copy_only=False) == unresolved
            yield from batch.column("uid").filter(pa.array(found)).to_pylist()

    def connections(self) -> Iterator[pa.RecordBatch]:
        """Rows of CONNECTIONS that hold."""
        for file, keeps in self.exchanged(CONNECTIONS.name):
            for batch in batches_of(file, CONNECTIONS.arrow):
                yield kept_rows(batch, keeps)

    def counts(self) -> Counts:
        return summed(self.connections())

    @property
    def versions(self) -> list[VersionRow]:
        """What hosts said of themselves stays true, whatever a later round says of the connection."""
        rows = (row for one in self.rounds for task in one.decoded for row in task.versions)
        return list({tuple(row.items()): row for row in rows}.values())

    @property
    def servers(self) -> frozenset[str]:
        return frozenset().union(*(task.servers for one in self.rounds for task in one.decoded))

    @property
    def called(self) -> frozenset[str]:
        """Servers of which there is more than what was not seen, here or in earlier runs."""
        return self.mentions.called.union(*(task.called for one in self.rounds for task in one.decoded))

    @property
    def recounted(self) -> Counter[int]:
        return sum((task.recounted for one in self.rounds for task in one.decoded), Counter())


def summed(connections: Iterator[pa.RecordBatch]) -> Counts:
    """What connections add to the accounting."""
    counts: Counts = Counter()
    for batch in connections:
        inner = batch.column("counts").flatten()
        rows = pa.table({name: inner.field(name) for name in ("file", "stage", "counter", "value")})
        for row in rows.group_by(["file", "stage", "counter"]).aggregate([("value", "sum")]).to_pylist():
            counts[row["file"], row["stage"], row["counter"]] += row["value_sum"]
    return counts


def learn(
    engine: Engine,
    selection: Selection,
    reading: DecodeSettings,
    root: str,
    carrying: CarryOver | None = None,
    earlier: EarlierRuns | None = None,
) -> Learning:
    """`reading.choice` knows what earlier runs learned; conversations of theirs are read again where there is news.

    `carrying`: says whose segments are stored for later runs.
    """
    choice = reading.choice
    keys = selection.promising()
    if choice.learned:
        keys = np.union1d(keys, selection.reaching([endpoint_key(*end) for end in choice.learned]))
    hollow = NOTHING
    if earlier is not None:
        hollow = np.setdiff1d(selection.among(earlier.hollow), keys)
        keys = np.union1d(keys, selection.among(earlier.streamed))
    found = Learning(root, choice)
    for number in range(MAX_ROUNDS + 1):
        now = replace(reading, choice=choice)
        found.rounds.append(_round(engine, selection, now, keys, hollow, found, carrying, earlier))
        hollow = NOTHING
        wiser, late = _with_news(choice, found.rounds[-1].decoded)
        if wiser is None:
            break
        found.choice = wiser
        news = {end for end, told in wiser.learned.items() if told != choice.learned.get(end)}
        ends = [endpoint_key(*end) for end in news]
        reached = selection.reaching(ends)
        if earlier is not None:
            reached = np.union1d(reached, earlier.reaching(ends))
        keys = np.union1d(_unsettled(found, reached, earlier), late)
        if not len(keys):
            break
        if number == MAX_ROUNDS:
            found.not_followed = sorted(f"{to_text(address)} port {port}" for address, port in news)
            break
        choice = wiser
    # What was said there nobody knows; that something was matters where somebody is called.
    hosts = [host_key(_address(server)) for server in found.called]
    hollow = np.setdiff1d(selection.hollow(hosts, earlier.unspoken if earlier else ()), found.taken)
    if len(hollow):
        last = replace(reading, choice=found.choice)
        found.rounds.append(_round(engine, selection, last, hollow, hollow, found, carrying, earlier))
    return found


def _round(
    engine: Engine,
    selection: Selection,
    reading: DecodeSettings,
    keys: Keys,
    hollow: Keys,
    found: Learning,
    carrying: CarryOver | None,
    earlier: EarlierRuns | None,
) -> Round:
    """`hollow`: those of the keys that are taken for nothing but what they do not show."""
    fresh = np.setdiff1d(keys, found.taken) if found.rounds else keys
    segments = earlier.segments if earlier is not None else ()
    recounted = np.intersect1d(fresh, earlier.undecided) if earlier is not None else NOTHING
    numbers = selection.stream_numbers(keys)
    if earlier is not None:
        numbers = numbers.with_earlier(earlier.streams).of_keys(keys)
    stored = NOTHING
    if carrying is not None:
        before = _union(one.stored for one in found.rounds)
        stored = np.setdiff1d(carrying.stored(np.union1d(found.taken, keys)), before)
    done = found.settled(keys) if found.rounds else frozenset()
    wanted = DecodeOrder(keys, numbers, stored, recounted, done, hollow)
    needed, size = selection.take(wanted.read, fresh)
    to_ordinals = earlier.carried.ordinals if earlier is not None else None
    number = len(found.rounds)
    beside = [mentions_exchange(earlier)] if earlier is not None and not number else []
    said = decode(engine, selection, reading, wanted, (needed, size), segments, to_ordinals, number, beside)
    if beside:
        found.mentions = Mentions.together(one for one in said if isinstance(one, Mentions))
    return Round(keys, stored, [one for one in said if isinstance(one, DecodeResult)], hollow)


def _unsettled(found: Learning, keys: Keys, earlier: EarlierRuns | None) -> Keys:
    """Those of these conversations that have a connection set aside or with calls of unknown interface, or none."""
    told: dict[str, tuple[int, bool]] = {}
    names = ("uid", "key", "unresolved")
    parts = [_rows(one.files(found.root, CONNECTIONS.name), names) for one in found.rounds]
    if earlier is not None:
        parts.insert(0, earlier.connections(names))
    for rows in parts:
        for batch in rows:
            some = batch.filter(pa.array(contains(keys, batch.column("key").to_numpy())))
            for row in some.to_pylist():
                told[row["uid"]] = row["key"], row["unresolved"]
    settled = {key for key, _ in told.values()} - {key for key, unresolved in told.values() if unresolved}
    return np.setdiff1d(keys, np.array(sorted(settled), np.int64))


def _with_news(choice: Choice, decoded: Sequence[DecodeResult]) -> tuple[Choice | None, Keys]:
    """The choice with what the round brought to light, None if nothing; keys of conversations chosen too late."""
    learned: dict[Endpoint, dict[str, int]] = {}
    known: dict[str, ChosenBy] = {}
    keys: set[int] = set()
    for task in decoded:
        for uid, (chosen_by, key) in task.late.items():
            known[uid] = ChosenBy(chosen_by)
            keys.add(key)
        for row in task.announced:
            end = _address(row["host"]), row["port"]
            there = learned.setdefault(end, dict(choice.learned.get(end, {})))
            first = there.get(row["interface_uuid"], row["ts_ns"])
            there[row["interface_uuid"]] = min(first, row["ts_ns"])
    sorted_keys = np.array(sorted(keys), np.int64)
    if not known and all(there == choice.learned.get(end) for end, there in learned.items()):
        return None, sorted_keys
    return replace(choice, learned={**choice.learned, **learned}, known={**choice.known, **known}), sorted_keys


def announced_rows(learned: Mapping[Endpoint, Mapping[str, int]]) -> list[AnnouncedRow]:
    return [
        {"host": to_text(address), "port": port, "interface_uuid": uuid, "ts_ns": ts_ns}
        for (address, port), told in sorted(learned.items())
        for uuid, ts_ns in sorted(told.items())
    ]


def _address(text: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)


def _rows(files: Iterator[StoredFile], names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    schema = part_of(CONNECTIONS.arrow, names)
    return (batch for file in files for batch in batches_of(file, schema))


def _union(keys: Iterator[Keys]) -> Keys:
    parts = [NOTHING, *keys]
    found: Keys = np.unique(np.concatenate(parts))
    return found
