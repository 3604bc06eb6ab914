"""The calls of one operation that were held together, decoded: their rows in every table."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from decoders.ndr.model import Direction
from pipelines.calls.act_values import act_values
from pipelines.calls.call_facts import call_fact
from pipelines.calls.call_rows import DecodeState, call_row, first_ts_ns
from pipelines.calls.endpoints import endpoint_rows
from pipelines.calls.messages import carries_messages, find_message, sighting, summary
from pipelines.calls.stubs import Stub, declared, decode_stubs, decoder_of
from schemas.idl_types import without_payload
from schemas.tables.derived import DERIVED
from schemas.tables.typed import TYPED
from schemas.times import micros, nanos

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from decoders.dcerpc.call_model import Part
    from decoders.ndr.interpreter import Decoder
    from decoders.ndr.model import Syntax
    from pipelines.calls.call_rows import Identity
    from pipelines.calls.connection import Captures, PlacedCall
    from pipelines.calls.messages import Seen
    from pipelines.calls.stubs import ByteOrder, DecodedStubs
    from pipelines.facts.model import BlindFact, CallFact
    from schemas.tables.derived_model import Derived
    from schemas.tables.endpoints import EndpointRow
    from schemas.tables.issues import IssueRow
    from schemas.tables.message_rows import SightingRow

Row = dict[str, Any]
_TRAILING: Final = "ndr-trailing-bytes"
_MOST_PADDING: Final = 15
"""Up to a multiple of 16, the largest alignment of security trailers."""


class OperationBatch:
    def __init__(
        self,
        interface_uuid: str,
        opnum: int,
        callback: bool,
        group: Sequence[tuple[PlacedCall, Identity | None]],
        captures: Captures,
        *,
        keep_payload: bool,
    ) -> None:
        self._table = TYPED[interface_uuid, opnum, callback]
        self._interface, self._operation = declared(interface_uuid, opnum, callback=callback)
        self._group, self._captures = group, captures
        calls = [placed.call for placed, _ in group]
        self._parts: dict[Direction, list[Part | None]] = {
            Direction.IN: [call.request for call in calls],
            Direction.OUT: [call.response for call in calls],
        }
        self._keep_payload = keep_payload
        self._has_messages = carries_messages(self._operation.name)
        self._decoded: dict[Direction, DecodedStubs] = {}
        for direction, parts in self._parts.items():
            decoder = partial(decoder_of, interface_uuid, opnum, direction, callback=callback)
            stubs = [_stub(part, identity, decoder) for part, (_, identity) in zip(parts, group, strict=True)]
            self._decoded[direction] = decode_stubs(
                interface_uuid,
                opnum,
                direction,
                stubs,
                keep_payload=keep_payload or self._has_messages,
                callback=callback,
            )

    def state(self, number: int) -> DecodeState:
        for direction, parts in self._parts.items():
            if parts[number] is not None and not self._is_whole(direction, number):
                return DecodeState.PARTIAL
        return DecodeState.FULL

    def _statuses(self) -> list[int | None]:
        if not self._operation.status:
            return [None] * len(self._group)
        column = pc.struct_field(self._decoded[Direction.OUT].column, self._operation.status)
        found: list[int | None] = column.to_pylist()
        return found

    def call_rows(self) -> Iterator[Row]:
        statuses = self._statuses()
        for number, (placed, identity) in enumerate(self._group):
            operation, status, state = self._operation.name, statuses[number], self.state(number)
            yield call_row(placed, identity, operation, status, state, self._captures)

    def issues(self) -> Iterator[IssueRow]:
        yield from self._derived_issues()
        yield from self._message_issues()
        for direction, decoded in self._decoded.items():
            for number, problems in decoded.problems.items():
                placed, part = self._group[number][0], self._parts[direction][number]
                if part is None:
                    continue
                capture, frame = part.frames[0]
                call = placed.place.call_uid(placed.call.key)
                side = "request" if direction is Direction.IN else "response"
                for one in problems:
                    if one.code == _TRAILING and _is_padding(part, one.offset):
                        continue
                    where = f"{self._table.name} {side}, {one.path}" if one.path else f"{self._table.name} {side}"
                    detail = f"{where}: {one.detail}"
                    yield self._captures.issue(placed.place.uid, one.code, detail, capture, frame, one.offset, call)

    def _derived_issues(self) -> Iterator[IssueRow]:
        for one, column in self._derived:
            for (placed, _), value in zip(self._group, column, strict=True):
                for code, detail in one.problems(value):
                    part = placed.call.response or placed.call.request
                    if part is not None:
                        call = placed.place.call_uid(placed.call.key)
                        where = *part.frames[0], None
                        text = f"{self._table.name}, {one.column.name}: {detail}"
                        yield self._captures.issue(placed.place.uid, code, text, *where, call)

    def typed_batch(self) -> pa.RecordBatch:
        placed = [one for one, _ in self._group]
        times = [first_ts_ns(one.call) for one in placed]
        columns: dict[str, Any] = {
            "call_uid": [one.place.call_uid(one.call.key) for one in placed],
            "ts": [micros(ts_ns) for ts_ns in times],
            "ts_ns": [nanos(ts_ns) for ts_ns in times],
            "uid": [one.place.uid for one in placed],
            "id": [one.place.id for one in placed],
            "interface_source": [identity.source if identity else None for _, identity in self._group],
            "outcome": [str(one.call.outcome) for one in placed],
            "decode_state": [str(self.state(number)) for number in range(len(placed))],
            "request": self._shown(Direction.IN),
            "response": self._shown(Direction.OUT),
            "capture_id": [self._captures.capture_id(one.capture) for one in placed],
        }
        columns |= {one.column.name: values for one, values in self._derived}
        arrays = [
            columns[column.name]
            if isinstance(columns[column.name], pa.Array)
            else pa.array(columns[column.name], column.type)
            for column in self._table.columns
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._table.arrow)

    def _shown(self, direction: Direction) -> pa.Array:
        column = self._decoded[direction].column
        return column if self._keep_payload or not self._has_messages else without_payload(column)

    def sightings(self) -> Iterator[SightingRow]:
        for (placed, _), seen in zip(self._group, self._messages, strict=True):
            part = placed.call.request if seen and seen.in_request else placed.call.response
            if seen is None or part is None:
                continue
            call = placed.place.call_uid(placed.call.key)
            yield {
                **sighting(seen, self._operation.name, call, keep_payload=self._keep_payload),
                "ts": micros(part.first_ts_ns),
                "ts_ns": nanos(part.first_ts_ns),
                "uid": placed.place.uid,
                "id": placed.place.id,
                "username": placed.call.username,
                "domain": placed.call.domain,
                "capture_id": self._captures.capture_id(placed.capture),
            }

    @cached_property
    def _messages(self) -> list[Seen | None]:
        if not self._has_messages:
            return [None] * len(self._group)
        name = self._operation.name
        return [find_message(name, request or {}, response or {}) for request, response in self._values()]

    def _message_issues(self) -> Iterator[IssueRow]:
        for (placed, _), seen in zip(self._group, self._messages, strict=True):
            part = placed.call.request if seen and seen.in_request else placed.call.response
            if seen is None or part is None:
                continue
            call = placed.place.call_uid(placed.call.key)
            for one in seen.problems:
                text = f"{self._table.name}, message: {one.detail}"
                yield self._captures.issue(placed.place.uid, one.code, text, *part.frames[0], one.offset, call)

    def endpoints(self) -> Iterator[EndpointRow]:
        announced = endpoint_rows(self._interface.name, self._operation.name)
        if announced is None:
            return
        for (placed, _), (request, response) in zip(self._group, self._values(), strict=True):
            if placed.call.response is None:
                continue
            capture, frame = placed.call.response.frames[0]
            ts_ns = placed.call.response.first_ts_ns
            for told in announced(request or {}, response or {}, placed.place.id["resp_h"]):
                yield {
                    **told,
                    "ts": micros(ts_ns),
                    "ts_ns": nanos(ts_ns),
                    "uid": placed.place.uid,
                    "call_uid": placed.place.call_uid(placed.call.key),
                    "id": placed.place.id,
                    "source": self._operation.name,
                    "frame": frame,
                    "capture_id": self._captures.capture_id(capture),
                }

    def facts(self) -> Iterator[CallFact | BlindFact]:
        statuses = self._statuses()
        for number, ((placed, identity), values) in enumerate(zip(self._group, self._values(), strict=True)):
            whole = self._is_explained(Direction.IN, number), self._is_explained(Direction.OUT, number)
            status, name = statuses[number], self._operation.name
            seen = self._messages[number]
            message = summary(seen) if seen else None
            told = act_values({one.column.name: column[number] for one, column in self._derived})
            unexplained = any(self._goes_on(direction, number) for direction in self._parts)
            fact = call_fact(
                placed, identity, name, status, values, whole, self._captures, message, told, unexplained=unexplained
            )
            if fact is not None:
                yield fact

    def _is_whole(self, direction: Direction, number: int) -> bool:
        part = self._parts[direction][number]
        readable = part is not None and part.complete and not part.sealed
        return readable and number not in self._decoded[direction].incomplete

    def _goes_on(self, direction: Direction, number: int) -> bool:
        """Whether the stub has bytes that its declaration does not explain: it may be another operation's."""
        part, problems = self._parts[direction][number], self._decoded[direction].problems.get(number, ())
        return part is not None and any(one.code == _TRAILING and not _is_padding(part, one.offset) for one in problems)

    def _is_explained(self, direction: Direction, number: int) -> bool:
        return self._is_whole(direction, number) and not self._goes_on(direction, number)

    def _values(self) -> Iterator[tuple[Row | None, Row | None]]:
        """Call by call: a hostile one can hold a million values."""
        both = (self._decoded[direction].column for direction in (Direction.IN, Direction.OUT))
        for request, response in zip(*both, strict=True):
            yield _plain(request.as_py()), _plain(response.as_py())

    @cached_property
    def _derived(self) -> list[tuple[Derived, list[Any]]]:
        derived = DERIVED.get((self._interface.name, self._operation.name), ())
        found: list[tuple[Derived, list[Any]]] = [(one, []) for one in derived]
        if found:
            for values in self._values():
                request, response = (one or {} for one in values)
                for one, column in found:
                    column.append(one.of(request, response))
        return found


def _is_padding(part: Part, offset: int) -> bool:
    """[MS-RPCE] 2.2.2.13: in front of a verification trailer the stub is padded."""
    return part.verification is not None and len(part.stub) - offset <= _MOST_PADDING


def _plain(value: object) -> Any:  # noqa: ANN401 - rows of any table
    """Arrow's Decimal is an integer to everybody else."""
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list) and value and not isinstance(value[0], int | str):
        return [_plain(inner) for inner in value]
    return value


def _stub(part: Part | None, identity: Identity | None, decoder: Callable[[Syntax, ByteOrder], Decoder]) -> Stub | None:
    if part is None or identity is None or identity.syntax is None or part.sealed:
        return None
    data = part.stub
    if part.trailer:
        decode = decoder(identity.syntax, part.byte_order)
        # [MS-RPCE] 2.2.2.13: the trailer follows the stub. What parameters reach into is none, whatever it looks like.
        if not decode(data).complete and decode(data + part.trailer).complete:
            data += part.trailer
    return Stub(data, identity.syntax, part.byte_order, part.complete)
