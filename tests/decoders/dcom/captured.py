"""Stubs of DCOM's own interfaces out of real captures, where those lie beside the project."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import pytest

from decoders.dcom.orpc import Implicit, read_implicit
from decoders.interfaces import (
    activation,
    class_factory,
    object_exporter,
    remote_scm_activator,
    remote_unknown,
    remote_unknown2,
)
from decoders.ndr.interpreter import Decoded, decode
from decoders.ndr.model import Direction, Interface, Operation, Syntax
from ingest.captures import UnreadableCapture, open_capture
from ingest.choice import Choice, Scope
from ingest.splits import plan
from pipelines.calls.connection import PlacedCall
from pipelines.connections.assembler import Assembler
from pipelines.connections.decoding import segment_rows
from tests.conftest import ROOT
from tests.local import _LARGE, _scanned, _segments, _sorted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from decoders.dcerpc.call_model import Call
    from decoders.ndr.interpreter import ByteOrder

SHARED = ROOT.parent / "shared"
NATIVE = (object_exporter.INTERFACE, activation.INTERFACE, remote_scm_activator.INTERFACE)
ORPC = (remote_unknown.INTERFACE, remote_unknown2.INTERFACE, class_factory.INTERFACE)
INTERFACES = {one.uuid: one for one in (*NATIVE, *ORPC)}

needed = pytest.mark.skipif(not (SHARED / "captures-dcom").is_dir(), reason="the captures are not there")


class Stub(NamedTuple):
    path: Path
    frame: int
    interface: Interface
    operation: Operation
    direction: Direction
    data: bytes
    byte_order: ByteOrder

    def implicit(self) -> Implicit | None:
        return read_implicit(self.direction, self.data, self.byte_order) if self.interface in ORPC else None

    def decoded(self) -> Decoded:
        implicit = self.implicit()
        start = 0 if implicit is None else implicit.size
        types = self.interface.types
        return decode(self.operation, self.direction, self.data, types, Syntax.NDR, self.byte_order, start=start)


@cache
def paths() -> tuple[Path, ...]:
    return tuple(sorted(path for path in SHARED.glob("captures*/*") if "cap" in path.suffix))


@cache
def stubs() -> tuple[Stub, ...]:
    """Of every readable and whole request and response."""
    return tuple(stub for path in paths() for call in _calls(path) for stub in _stubs(path, call))


def _calls(path: Path) -> Iterator[Call]:
    try:
        splits = list(plan(open_capture(str(path)), 0, _LARGE))
    except UnreadableCapture:
        return
    conversations, untidy = _scanned(splits)
    keys = {row["key"] for row in conversations if row["may_be_rpc"] or row["well_known_port"]}
    assembler = Assembler(Choice(scope=Scope.RPC), [path.name], [path.name], untidy, in_bulk=False)
    for table, row in assembler.run(segment_rows(_sorted(_segments(splits, keys)))):
        if table == "calls":
            assert isinstance(row, PlacedCall)
            yield row.call


def _stubs(path: Path, call: Call) -> Iterator[Stub]:
    interface = INTERFACES.get(call.binding.interface.uuid) if call.binding else None
    if interface is None:
        return
    operation = next((one for one in interface.operations if one.opnum == call.opnum), None)
    for direction, part in ((Direction.IN, call.request), (Direction.OUT, call.response)):
        if operation is None or part is None or part.sealed or not part.complete:
            continue
        frame = part.frames[-1][1]
        yield Stub(path, frame, interface, operation, direction, part.stub, part.byte_order)
