"""The calls of one operation that were held together, decoded: their rows in every table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from decoders.ndr.model import Direction
from decoders.registry import DCOM, REGISTRY
from pipelines.calls.act_values import act_values
from pipelines.calls.call_facts import call_fact
from pipelines.calls.call_rows import DecodeState, call_row, first_ts_ns
from pipelines.calls.com import com_of
from pipelines.calls.com_references import at_home
from pipelines.calls.endpoints import endpoint_rows, exporter_rows
from pipelines.calls.messages import carries_messages, find_message, sighting, summary
from pipelines.calls.stubs import declared, stub_reader
from schemas.idl_types import without_payload
from schemas.model import TIMESTAMP
from schemas.tables.derived import derived_columns
from schemas.tables.typed import TYPED
from schemas.times import NO_TIME, micros, nanos

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from decoders.dcerpc.call_model import Part
    from pipelines.calls.call_rows import Identity
    from pipelines.calls.connection import Captures, PlacedCall
    from pipelines.calls.messages import CarriedMessage
    from pipelines.calls.stubs import Values
    from pipelines.facts.com import Com
    from pipelines.facts.model import BlindFact, CallFact
    from schemas.tables.endpoints import EndpointRow
    from schemas.tables.issues import IssueRow
    from schemas.tables.message_rows import SightingRow

Row = dict[str, Any]


@dataclass(slots=True)
class _Call:
    """One of them, and all that its rows say."""

    placed: PlacedCall
    identity: Identity
    uid: str
    ts_ns: int
    request: Values
    response: Values
    state: DecodeState
    status: int | None
    message: CarriedMessage | None
    derived: list[Any]
    com: Com | None

    @property
    def values(self) -> tuple[Row, Row]:
        return self.request.values or {}, self.response.values or {}

    @property
    def message_part(self) -> Part | None:
        """Where the message is."""
        if self.message is None:
            return None
        return self.placed.call.request if self.message.in_request else self.placed.call.response


class OperationBatch:
    def __init__(
        self,
        interface_uuid: str,
        opnum: int,
        callback: bool,
        group: Sequence[tuple[PlacedCall, Identity]],
        captures: Captures,
        *,
        keep_payload: bool,
    ) -> None:
        self._table = TYPED[interface_uuid, opnum, callback]
        self._interface, self._operation = declared(interface_uuid, opnum, callback=callback)
        self._captures, self._keep_payload = captures, keep_payload
        self._of_dcom = REGISTRY[interface_uuid].family in DCOM
        self._derived = derived_columns(self._interface, self._operation)
        self._has_messages = carries_messages(self._interface.name, self._operation.name)
        self._request, self._response = (
            stub_reader(
                interface_uuid, opnum, direction, callback=callback, keep_payload=keep_payload or self._has_messages
            )
            for direction in (Direction.IN, Direction.OUT)
        )
        self._calls = [self._decoded(placed, identity) for placed, identity in group]

    def _decoded(self, placed: PlacedCall, identity: Identity) -> _Call:
        call = placed.call
        syntax = identity.syntax
        if syntax is None:
            raise ValueError(f"a call of {self._table.name} in a transfer syntax that nobody declared")
        asked, told = self._request.read(call.request, syntax), self._response.read(call.response, syntax)
        request, response = asked.values or {}, told.values or {}
        whole = (call.request is None or asked.whole) and (call.response is None or told.whole)
        return _Call(
            placed=placed,
            identity=identity,
            uid=placed.place.call_uid(call.key),
            ts_ns=first_ts_ns(call),
            request=asked,
            response=told,
            state=DecodeState.FULL if whole else DecodeState.PARTIAL,
            status=response.get(self._operation.status) if self._operation.status else None,
            message=find_message(self._interface.name, self._operation.name, request, response)
            if self._has_messages
            else None,
            derived=[one.of(request, response) for one in self._derived],
            com=self._com(identity, placed, asked, told) if self._of_dcom else None,
        )

    def call_rows(self) -> Iterator[Row]:
        name = self._operation.name
        for one in self._calls:
            yield call_row(one.placed, one.identity, name, one.status, one.state, self._captures)

    def issues(self) -> Iterator[IssueRow]:
        for one in self._calls:
            yield from self._derived_issues(one)
            yield from self._message_issues(one)
            sides = (
                ("request", one.placed.call.request, one.request),
                ("response", one.placed.call.response, one.response),
            )
            for side, part, found in sides:
                if found.problems and part is not None:
                    yield from self._stub_issues(one, side, part, found)

    def _stub_issues(self, one: _Call, side: str, part: Part, found: Values) -> Iterator[IssueRow]:
        capture, frame = part.frames[0]
        for problem in found.problems:
            where = f"{self._table.name} {side}, {problem.path}" if problem.path else f"{self._table.name} {side}"
            detail, place = f"{where}: {problem.detail}", problem.offset
            yield self._captures.issue(one.placed.place.uid, problem.code, detail, capture, frame, place, one.uid)

    def _derived_issues(self, one: _Call) -> Iterator[IssueRow]:
        part = one.placed.call.response or one.placed.call.request
        if part is None:
            return
        for derived, value in zip(self._derived, one.derived, strict=True):
            for code, detail in derived.problems(value):
                text = f"{self._table.name}, {derived.column.name}: {detail}"
                yield self._captures.issue(one.placed.place.uid, code, text, *part.frames[0], None, one.uid)

    def _message_issues(self, one: _Call) -> Iterator[IssueRow]:
        part = one.message_part
        if one.message is None or part is None:
            return
        for problem in one.message.problems:
            text = f"{self._table.name}, message: {problem.detail}"
            where = *part.frames[0], problem.offset
            yield self._captures.issue(one.placed.place.uid, problem.code, text, *where, one.uid)

    def typed_batch(self) -> pa.RecordBatch:
        calls = self._calls
        times = np.array([one.ts_ns for one in calls], np.int64)
        timeless = times == NO_TIME
        columns: dict[str, Any] = {
            "call_uid": [one.uid for one in calls],
            "ts": pa.array(times // 1000, TIMESTAMP, mask=timeless),
            "ts_ns": pa.array(times, mask=timeless),
            "uid": [one.placed.place.uid for one in calls],
            "id": [one.placed.place.id for one in calls],
            "interface_source": [one.identity.source for one in calls],
            "outcome": [one.placed.call.outcome for one in calls],
            "decode_state": [one.state for one in calls],
            "request": self._shown(pa.array([one.request.values for one in calls], self._request.type)),
            "response": self._shown(pa.array([one.response.values for one in calls], self._response.type)),
            "capture_id": [self._captures.capture_id(one.placed.capture) for one in calls],
        }
        for number, derived in enumerate(self._derived):
            columns[derived.column.name] = [one.derived[number] for one in calls]
        arrays = [
            values if isinstance(values := columns[column.name], pa.Array) else pa.array(values, column.type)
            for column in self._table.columns
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._table.arrow)

    def _shown(self, column: pa.Array) -> pa.Array:
        return column if self._keep_payload or not self._has_messages else without_payload(column)

    def sightings(self) -> Iterator[SightingRow]:
        for one in self._calls:
            part = one.message_part
            if one.message is None or part is None:
                continue
            place, call = one.placed.place, one.placed.call
            yield {
                **sighting(one.message, self._operation.name, one.uid, keep_payload=self._keep_payload),
                "ts": micros(part.first_ts_ns),
                "ts_ns": nanos(part.first_ts_ns),
                "uid": place.uid,
                "id": place.id,
                "username": call.username,
                "domain": call.domain,
                "capture_id": self._captures.capture_id(one.placed.capture),
            }

    def endpoints(self) -> Iterator[EndpointRow]:
        announced = endpoint_rows(self._interface.name, self._operation.name)
        if announced is None and not self._of_dcom:
            return
        for one in self._calls:
            place, answer = one.placed.place, one.placed.call.response
            if answer is None:
                continue
            capture, frame = answer.frames[0]
            server = place.id["resp_h"]
            for told in announced(*one.values, server) if announced else exporter_rows(one.com, server):
                yield {
                    **told,
                    "ts": micros(answer.first_ts_ns),
                    "ts_ns": nanos(answer.first_ts_ns),
                    "uid": place.uid,
                    "call_uid": one.uid,
                    "id": place.id,
                    "source": self._operation.name,
                    "frame": frame,
                    "capture_id": self._captures.capture_id(capture),
                }

    def _com(self, identity: Identity, placed: PlacedCall, asked: Values, told: Values) -> Com:
        found = com_of(identity, self._interface.name, self._operation, placed.call, asked, told)
        return at_home(found, placed.place.id["resp_h"])

    def facts(self) -> Iterator[CallFact | BlindFact]:
        name = self._operation.name
        columns = [one.column.name for one in self._derived]
        for one in self._calls:
            fact = call_fact(
                one.placed,
                one.identity,
                name,
                one.status,
                (one.request.values, one.response.values),
                (one.request.explained, one.response.explained),
                self._captures,
                summary(one.message) if one.message else None,
                act_values(dict(zip(columns, one.derived, strict=True))) if columns else None,
                one.com,
                unexplained=one.request.goes_on or one.response.goes_on,
            )
            if fact is not None:
                yield fact
