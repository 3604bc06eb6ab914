"""Calls to batches of `calls`, of the typed tables and of `endpoints`: decoded many at a time."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from decoders.interfaces import INTERFACES, operation_of
from decoders.ndr.model import Direction
from pipelines.decode.call_rows import DecodeState, Identity, call_row, first_ts_ns
from pipelines.decode.endpoints import Announced, endpoint_rows
from pipelines.decode.inference import first_guess
from pipelines.decode.stubs import Stub, declared, decode_stubs
from pipelines.decode.times import micros, nanos
from schemas.tables.calls import CALLS
from schemas.tables.derived import DERIVED
from schemas.tables.endpoints import ENDPOINTS
from schemas.tables.issues import ISSUES
from schemas.tables.typed import TYPED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from decoders.dcerpc.call_model import Call, Part
    from decoders.ndr.model import Operation
    from ingest.choice import Endpoint
    from pipelines.decode.connection import Captures, PlacedCall
    from pipelines.decode.inference import Guess
    from pipelines.decode.stubs import ByteOrder, DecodedStubs

Row = dict[str, Any]
Batch = tuple[str, pa.RecordBatch]
MAX_CALLS_HELD: Final = 4_096
MAX_BYTES_HELD: Final = 32 * 1024 * 1024
"""Stub bytes of calls that wait to be decoded together."""
MAX_UNDECIDED_CALLS: Final = 1_000
MAX_UNDECIDED_BYTES: Final = 8 * 1024 * 1024
"""Of one connection: calls whose interface may become known by a later one."""


class CallBatches:
    def __init__(
        self, captures: Captures, learned: Mapping[Endpoint, frozenset[str]], *, keep_payload: bool = False
    ) -> None:
        self._captures, self._learned, self._keep_payload = captures, learned, keep_payload
        self._groups: dict[tuple[str, int] | None, list[tuple[PlacedCall, Identity | None]]] = defaultdict(list)
        self._held_calls = self._held_bytes = 0
        self._guesses: dict[int | None, Guess] = {}
        """By presentation context of the connection at hand: connections come one after the other."""
        self._undecided: list[PlacedCall] = []
        self._undecided_bytes = 0
        self.announced = Announced()

    def add(self, placed: PlacedCall) -> Iterator[Batch]:
        call = placed.call
        if call.binding is not None:
            self._hold(placed, Identity.of(call.binding))
        elif call.encrypted or call.opnum is None:
            self._hold(placed, None)
        else:
            self._consider(placed)
        if self._held_calls >= MAX_CALLS_HELD or self._held_bytes >= MAX_BYTES_HELD:
            yield from self.flush()

    def end_of_connection(self) -> None:
        """Calls that waited for a decision get it, or none."""
        for placed in self._undecided:
            self._hold(placed, self._guessed(placed.call))
        self._undecided, self._undecided_bytes, self._guesses = [], 0, {}

    def flush(self) -> Iterator[Batch]:
        groups, self._groups = self._groups, defaultdict(list)
        self._held_calls = self._held_bytes = 0
        calls: list[Row] = []
        issues: list[Row] = []
        endpoints: list[Row] = []
        for key, group in groups.items():
            if key is None:
                calls += (self._opaque(*one) for one in group)
                continue
            decoded = _Decoded(*key, group, self._captures, keep_payload=self._keep_payload)
            calls += decoded.call_rows()
            issues += decoded.issues()
            for row in decoded.endpoints():
                self.announced.note(row)
                endpoints.append(row)
            yield TYPED[key].name, decoded.typed_batch()
        for table, rows in ((CALLS, calls), (ISSUES, issues), (ENDPOINTS, endpoints)):
            if rows:
                yield table.name, pa.RecordBatch.from_pylist(rows, schema=table.arrow)

    def _hold(self, placed: PlacedCall, identity: Identity | None) -> None:
        self._groups[_group_of(placed.call, identity)].append((placed, identity))
        self._held_calls += 1
        self._held_bytes += _stub_bytes(placed.call)

    def _consider(self, placed: PlacedCall) -> None:
        call = placed.call
        guess = self._guesses.get(call.ctx_id)
        if guess is None:
            guess = self._guesses[call.ctx_id] = first_guess(placed.place.server, self._learned)
        guess.consider(call.opnum or 0, _whole(call.request), _whole(call.response))
        self._undecided.append(placed)
        self._undecided_bytes += _stub_bytes(call)
        if len(self._undecided) > MAX_UNDECIDED_CALLS or self._undecided_bytes > MAX_UNDECIDED_BYTES:
            earliest = self._undecided.pop(0)
            self._undecided_bytes -= _stub_bytes(earliest.call)
            self._hold(earliest, self._guessed(earliest.call))

    def _guessed(self, call: Call) -> Identity | None:
        guess = self._guesses[call.ctx_id]
        if guess.found is None:
            return None
        interface = INTERFACES[guess.found.interface_uuid]
        version = "{}.{}".format(*interface.version)
        return Identity(interface.uuid, version, str(guess.found.syntax), guess.source)

    def _opaque(self, placed: PlacedCall, identity: Identity | None) -> Row:
        operation = _operation(placed.call, identity)
        name = operation.name if operation else None
        return call_row(placed, identity, name, None, DecodeState.OPAQUE, self._captures)


class _Decoded:
    """The calls of one operation that were held together."""

    def __init__(
        self,
        interface_uuid: str,
        opnum: int,
        group: Sequence[tuple[PlacedCall, Identity | None]],
        captures: Captures,
        *,
        keep_payload: bool,
    ) -> None:
        self._table = TYPED[interface_uuid, opnum]
        self._interface, self._operation = declared(interface_uuid, opnum)
        self._group, self._captures = group, captures
        calls = [placed.call for placed, _ in group]
        self._parts: dict[Direction, list[Part | None]] = {
            Direction.IN: [call.request for call in calls],
            Direction.OUT: [call.response for call in calls],
        }
        self._decoded: dict[Direction, DecodedStubs] = {
            direction: decode_stubs(
                interface_uuid, opnum, direction, [_stub(part, one[1]) for part, one in zip(parts, group, strict=True)],
                keep_payload=keep_payload,
            )
            for direction, parts in self._parts.items()
        }  # fmt: skip

    def state(self, number: int) -> DecodeState:
        for direction, parts in self._parts.items():
            part = parts[number]
            if part is not None and (not part.complete or number in self._decoded[direction].incomplete):
                return DecodeState.PARTIAL
        return DecodeState.FULL

    def call_rows(self) -> Iterator[Row]:
        statuses: list[int | None] = [None] * len(self._group)
        if self._operation.status:
            column = pc.struct_field(self._decoded[Direction.OUT].column, self._operation.status)
            statuses = column.to_pylist()
        for number, (placed, identity) in enumerate(self._group):
            operation, status, state = self._operation.name, statuses[number], self.state(number)
            yield call_row(placed, identity, operation, status, state, self._captures)

    def issues(self) -> Iterator[Row]:
        for direction, decoded in self._decoded.items():
            for number, problems in decoded.problems.items():
                placed, part = self._group[number][0], self._parts[direction][number]
                if part is None:
                    continue
                capture, frame = part.frames[0]
                call = placed.place.call_uid(placed.call.key)
                side = "request" if direction is Direction.IN else "response"
                for one in problems:
                    where = f"{self._table.name} {side}, {one.path}" if one.path else f"{self._table.name} {side}"
                    detail = f"{where}: {one.detail}"
                    yield self._captures.issue(placed.place.uid, one.code, detail, capture, frame, one.offset, call)

    def typed_batch(self) -> pa.RecordBatch:
        placed = [one for one, _ in self._group]
        times = [first_ts_ns(one.call) for one in placed]
        columns: dict[str, Any] = {
            "call_uid": [one.place.call_uid(one.call.key) for one in placed],
            "ts": [micros(ts_ns) for ts_ns in times],
            "ts_ns": [nanos(ts_ns) for ts_ns in times],
            "uid": [one.place.uid for one in placed],
            "id": [one.place.id for one in placed],
            "decode_state": [str(self.state(number)) for number in range(len(placed))],
            "request": self._decoded[Direction.IN].column,
            "response": self._decoded[Direction.OUT].column,
            "capture_id": [self._captures.capture_id(one.capture) for one in placed],
        }
        derived = DERIVED.get((self._interface.name, self._operation.name), ())
        if derived:
            for one in derived:
                columns[one.column.name] = [one.of(*values) for values in self._values()]
        arrays = [
            columns[column.name]
            if isinstance(columns[column.name], pa.Array)
            else pa.array(columns[column.name], column.type)
            for column in self._table.columns
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._table.arrow)

    def endpoints(self) -> Iterator[Row]:
        announced = endpoint_rows(self._interface.name, self._operation.name)
        if announced is None:
            return
        for (placed, _), (request, response) in zip(self._group, self._values(), strict=True):
            if placed.call.response is None:
                continue
            capture, frame = placed.call.response.frames[0]
            ts_ns = placed.call.response.first_ts_ns
            for row in announced(request, response, placed.place.id["resp_h"]):
                yield row | {
                    "ts": micros(ts_ns),
                    "ts_ns": nanos(ts_ns),
                    "uid": placed.place.uid,
                    "call_uid": placed.place.call_uid(placed.call.key),
                    "id": placed.place.id,
                    "source": self._operation.name,
                    "frame": frame,
                    "capture_id": self._captures.capture_id(capture),
                }

    def _values(self) -> list[tuple[Row, Row]]:
        both = (self._decoded[direction].column.to_pylist() for direction in (Direction.IN, Direction.OUT))
        return [(_plain(request) or {}, _plain(response) or {}) for request, response in zip(*both, strict=True)]


def _plain(value: object) -> Any:  # noqa: ANN401 - rows of any table
    """Arrow's Decimal is an integer to everybody else."""
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _group_of(call: Call, identity: Identity | None) -> tuple[str, int] | None:
    """None: there is nothing to decode it with."""
    if identity is None or identity.syntax is None or call.encrypted or call.opnum is None:
        return None
    return (identity.interface_uuid, call.opnum) if _operation(call, identity) else None


def _operation(call: Call, identity: Identity | None) -> Operation | None:
    interface = INTERFACES.get(identity.interface_uuid) if identity else None
    if identity is None or interface is None or call.opnum is None or call.callback:
        return None
    # Another major version is another interface: [C706] 6.1.2.
    same = identity.version.split(".")[0] == str(interface.version[0])
    return operation_of(interface.uuid, call.opnum) if same else None


def _stub(part: Part | None, identity: Identity | None) -> Stub | None:
    if part is None or identity is None or identity.syntax is None:
        return None
    return Stub(part.stub, identity.syntax, part.byte_order)


def _whole(part: Part | None) -> tuple[bytes, ByteOrder] | None:
    return (part.stub, part.byte_order) if part is not None and part.complete else None


def _stub_bytes(call: Call) -> int:
    return sum(len(part.stub) for part in (call.request, call.response) if part is not None)
