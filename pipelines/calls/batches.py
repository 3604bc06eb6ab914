"""Calls to batches of `calls`, of the typed tables and of `endpoints`: decoded many at a time."""

from __future__ import annotations

from collections import defaultdict, deque
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from decoders.interfaces import INTERFACES, declaring, operation_of
from decoders.ndr.model import Direction
from decoders.registry import registered
from pipelines.calls.call_facts import call_fact
from pipelines.calls.call_rows import DecodeState, Identity, call_row
from pipelines.calls.com import is_orpc, is_resolver, opaque_com
from pipelines.calls.endpoints import MAX_LEARNED_OF_A_SERVER, AnnouncedEndpoints, served_row
from pipelines.calls.inference import first_guess, open_syntax
from pipelines.calls.operation_batch import OperationBatch
from pipelines.facts.stored_form import rows_of
from pipelines.facts.versions import Versions
from schemas.internal import FACTS
from schemas.tables.calls import CALLS
from schemas.tables.endpoints import ENDPOINTS
from schemas.tables.issues import ISSUES
from schemas.tables.messages import SIGHTINGS
from schemas.tables.typed import TYPED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from decoders.dcerpc.call_model import Binding, Call
    from decoders.ndr.model import Operation
    from ingest.choice import Choice
    from pipelines.calls.connection import Captures, PlacedCall
    from pipelines.calls.endpoints import Announcement
    from pipelines.calls.inference import ContextGuess
    from pipelines.calls.stubs import ByteOrder
    from pipelines.facts.model import Fact
    from schemas.tables.endpoints import EndpointRow
    from schemas.tables.issues import IssueRow
    from schemas.tables.message_rows import SightingRow
    from schemas.tables.typed import OperationKey

Row = dict[str, Any]
Batch = tuple[str, pa.RecordBatch]
MAX_CALLS_HELD: Final = 4_096
MAX_BYTES_HELD: Final = 32 * 1024 * 1024
"""Stub bytes of calls that wait to be decoded together."""
MAX_BYTES_DECODED: Final = 4 * 1024 * 1024
"""Of stubs whose values are in memory at once: two bytes can be a value, which takes thirty."""
MAX_UNDECIDED_CALLS: Final = 1_000
MAX_UNDECIDED_BYTES: Final = 8 * 1024 * 1024
"""Of one connection: calls whose interface may become known by a later one."""
_OPERATIONS_REMEMBERED: Final = 4_096
"""Ours are some hundreds; whoever makes up others only fills the rest."""


class CallBatches:
    def __init__(self, captures: Captures, choice: Choice, *, keep_payload: bool = False) -> None:
        self._captures, self._choice, self._keep_payload = captures, choice, keep_payload
        self._groups: dict[OperationKey, list[tuple[PlacedCall, Identity]]] = defaultdict(list)
        self._unreadable: list[tuple[PlacedCall, Identity | None]] = []
        """Calls that there is nothing to decode with."""
        self._identities: dict[int, tuple[Binding, Identity]] = {}
        """By id of their binding."""
        self._held_calls = self._held_bytes = 0
        self._guesses: dict[int | None, ContextGuess] = {}
        """By presentation context of the connection at hand: connections come one after the other."""
        self._undecided: deque[PlacedCall] = deque()
        self._undecided_bytes = 0
        self.announced = AnnouncedEndpoints()
        self.versions = Versions()
        self._told_of: set[str] = set()

    def add(self, placed: PlacedCall) -> Iterator[Batch]:
        call = placed.call
        bound = None if call.binding is None else self._bound(call.binding)
        if bound is not None and call.binding is not None and not (call.binding.open_syntaxes and bound.interface):
            self._hold(placed, bound)
        elif call.sealed or call.opnum is None or call.callback or call.refused:
            self._hold(placed, None)
        else:
            self._consider(placed)
        if self._held_calls >= MAX_CALLS_HELD or self._held_bytes >= MAX_BYTES_HELD:
            yield from self.flush()

    def end_of_connection(self) -> None:
        """Calls that waited for a decision get it, or none."""
        for placed in self._undecided:
            self._hold(placed, self._guessed(placed.call))
        self._undecided, self._undecided_bytes, self._guesses = deque(), 0, {}

    def flush(self) -> Iterator[Batch]:
        groups, self._groups = self._groups, defaultdict(list)
        unreadable, self._unreadable = self._unreadable, []
        self._held_calls = self._held_bytes = 0
        self._identities = {}
        calls: list[Row] = []
        issues: list[IssueRow] = []
        endpoints: list[EndpointRow] = []
        sightings: list[SightingRow] = []
        facts: list[Fact] = []
        issues += self._learn_served(unreadable)
        calls += (self._opaque(*one) for one in unreadable)
        facts += (fact for one in unreadable if (fact := self._opaque_fact(*one)) is not None)
        for key, group in groups.items():
            issues += self._learn_served(group)
            for some in _portions(group):
                decoded = OperationBatch(*key, some, self._captures, keep_payload=self._keep_payload)
                calls += decoded.call_rows()
                issues += decoded.issues()
                facts += decoded.facts()
                sightings += decoded.sightings()
                for row in decoded.endpoints():
                    endpoints.append(row)
                    if not self.announced.note(row):
                        issues += self._not_learned(row)
                yield TYPED[key].name, decoded.typed_batch()
        self.versions.note(facts)
        tables = (
            *((CALLS, calls), (ISSUES, issues), (ENDPOINTS, endpoints)),
            *((SIGHTINGS, sightings), (FACTS, [row for fact in facts for row in rows_of(fact)])),
        )
        for table, rows in tables:
            if rows:
                yield table.name, pa.RecordBatch.from_pylist(rows, schema=table.arrow)

    def _learn_served(self, group: Sequence[tuple[PlacedCall, Identity | None]]) -> Iterator[IssueRow]:
        """Who answers calls of an interface listens for all of its clients."""
        for placed, identity in group:
            row = served_row(placed, identity, self._captures)
            if row is not None and not self.announced.note(row):
                yield from self._not_learned(row)

    def _not_learned(self, row: Announcement) -> Iterator[IssueRow]:
        """Once for each server."""
        server = row["id"]["resp_h"]
        if server not in self._told_of:
            self._told_of.add(server)
            detail = (
                f"{server} announces more than {MAX_LEARNED_OF_A_SERVER} endpoints; from here on they are not followed"
            )
            capture = self._captures.capture_of(row["capture_id"])
            yield self._captures.issue(
                row["uid"], "endpoints-not-followed", detail, capture, row["frame"], None, row["call_uid"]
            )

    def _hold(self, placed: PlacedCall, identity: Identity | None) -> None:
        key = _group_of(placed.call, identity)
        if key is None or identity is None:
            self._unreadable.append((placed, identity))
        else:
            self._groups[key].append((placed, identity))
        self._held_calls += 1
        self._held_bytes += _stub_bytes(placed.call)

    def _bound(self, binding: Binding) -> Identity:
        """Calls of a context share their binding."""
        known = self._identities.get(id(binding))
        if known is None or known[0] is not binding:
            known = self._identities[id(binding)] = binding, Identity.of(binding)
        return known[1]

    def _consider(self, placed: PlacedCall) -> None:
        call = placed.call
        guess = self._guesses.get(call.ctx_id)
        if guess is None:
            bound = call.binding and call.binding.interface.uuid
            guess = open_syntax(bound) if bound else self._first_guess(placed)
            self._guesses[call.ctx_id] = guess
        guess.consider(call.opnum or 0, _whole_parts(call), faulted=call.fault is not None)
        self._undecided.append(placed)
        self._undecided_bytes += _stub_bytes(call)
        while len(self._undecided) > MAX_UNDECIDED_CALLS or self._undecided_bytes > MAX_UNDECIDED_BYTES:
            earliest = self._undecided.popleft()
            self._undecided_bytes -= _stub_bytes(earliest.call)
            self._hold(earliest, self._guessed(earliest.call))

    def _first_guess(self, placed: PlacedCall) -> ContextGuess:
        place = placed.place
        announced = () if placed.after_settling else self._choice.announced(place.server, place.began_ns)
        return first_guess(place.server, announced)

    def _guessed(self, call: Call) -> Identity | None:
        guess = self._guesses[call.ctx_id]
        found = guess.only_one_left
        if found is None:
            return Identity.of(call.binding) if call.binding else None
        interface = INTERFACES[found.interface_uuid]
        return Identity(interface.uuid, "{}.{}".format(*interface.version), str(found.syntax), guess.source)

    def _opaque(self, placed: PlacedCall, identity: Identity | None) -> Row:
        operation = _operation(placed.call, identity)
        name = operation.name if operation else None
        return call_row(placed, identity, name, None, DecodeState.OPAQUE, self._captures)

    def _opaque_fact(self, placed: PlacedCall, identity: Identity | None) -> Fact | None:
        operation = _operation(placed.call, identity)
        name = operation.name if operation else None
        com = None
        uuid = identity.interface_uuid if identity is not None else ""
        if is_resolver(uuid) or is_orpc(uuid, placed.call):
            # Where no bind tells the interface, the object may.
            com = opaque_com(uuid, placed.call, *((identity.version,) if identity else ()))
        return call_fact(placed, identity, name, None, (None, None), (False, False), self._captures, com=com)


def _portions(group: list[tuple[PlacedCall, Identity]]) -> Iterator[list[tuple[PlacedCall, Identity]]]:
    """Values of a few calls at a time: a hostile one can hold a million."""
    begun, size = 0, 0
    for number, (placed, _) in enumerate(group):
        octets = _stub_bytes(placed.call)
        if size and size + octets > MAX_BYTES_DECODED:
            yield group[begun:number]
            begun, size = number, 0
        size += octets
    yield group[begun:]


def _group_of(call: Call, identity: Identity | None) -> OperationKey | None:
    """None: there is nothing to decode it with."""
    if identity is None or identity.syntax is None or call.opnum is None:
        return None
    request, response = call.request, call.response
    if (request or response) and (request is None or request.sealed) and (response is None or response.sealed):
        return None
    declares = _declaring(call, identity)
    return None if declares is None else (declares, call.opnum, call.callback)


def _operation(call: Call, identity: Identity | None) -> Operation | None:
    declares = _declaring(call, identity)
    if declares is None or call.opnum is None:
        return None
    return operation_of(declares, call.opnum, callback=call.callback)


def _declaring(call: Call, identity: Identity | None) -> str | None:
    """UUID of the interface that declares its operation: its own, or one that this is derived from."""
    if identity is None or call.opnum is None:
        return None
    return _declared_by(identity.interface_uuid, identity.version, call.opnum, call.callback)


@lru_cache(maxsize=_OPERATIONS_REMEMBERED)
def _declared_by(interface_uuid: str, version: str, opnum: int, callback: bool) -> str | None:
    if registered(interface_uuid, version) is None:
        return None
    if callback:
        return interface_uuid if operation_of(interface_uuid, opnum, callback=True) else None
    return declaring(interface_uuid, opnum)


def _whole_parts(call: Call) -> Iterator[tuple[Direction, bytes, ByteOrder]]:
    for direction, part in ((Direction.IN, call.request), (Direction.OUT, call.response)):
        if part is not None and part.complete:
            yield direction, part.stub, part.byte_order


def _stub_bytes(call: Call) -> int:
    request, response = call.request, call.response
    return (0 if request is None else len(request.stub)) + (0 if response is None else len(response.stub))
