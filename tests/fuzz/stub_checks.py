"""What holds for every stub, whatever its bytes; what is costly is checked for many at once."""

from __future__ import annotations

import tracemalloc
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from decoders.limits import MAX_NDR_PROBLEMS
from decoders.msmq.properties import PROPERTIES
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import Direction
from decoders.ndr.problems import PROBLEMS
from schemas.idl_types import IdlTypes
from schemas.tables.derived import derived_columns
from schemas.value_shapes import ValueShapes
from tests.fuzz.com_checks import is_of_dcom, look
from tests.fuzz.findings import Broken
from tests.fuzz.value_shapes import Shapes
from tests.timing import quickest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from decoders.ndr.interpreter import Decoded, Decoder
    from tests.fuzz.stub_seeds import Wire

SLOW_SECONDS = 0.5
MEMORY_FLOOR = 1_000_000
MEMORY_FACTOR = 20
MEMORY_STUB_BYTES = 4_096
"""Memory is checked for stubs below this size."""
_ASKED = {
    "pObjectFormat": {"type": 2},
    "aProp": [propid for kind, propid in sorted(PROPERTIES, reverse=True) if kind == 2],
}
"""The request that a response of R_QMMgmtGetInfo is read with: those properties first that are tables in themselves."""


class Checks:
    def __init__(self, wire: Wire) -> None:
        types = wire.interface.types
        call = wire.operation, wire.direction, types, wire.syntax, wire.byte_order
        self.wire = wire
        self.decode: Decoder = compile_decoder(*call)
        self._shapes = Shapes(types)
        self._shape = ValueShapes(types).of(wire.members)
        self._type = IdlTypes(types).struct(wire.members)
        self._derived = derived_columns(wire.interface, wire.operation)
        self._of_dcom = is_of_dcom(wire)

    def one(self, stub: bytes) -> tuple[Decoded, float]:
        """The interpreter's values and CPU seconds."""
        decoded, seconds = quickest(lambda: self.decode(stub), SLOW_SECONDS)
        if seconds > SLOW_SECONDS:
            raise Broken("a stub takes longer than half a second", f"{seconds:.3f} s for {len(stub)} bytes")
        self._well_formed(stub, decoded)
        if self._of_dcom:
            look(self.wire, decoded)
        return decoded, seconds

    def _well_formed(self, stub: bytes, decoded: Decoded) -> None:
        codes = [problem.code for problem in decoded.problems]
        if unknown := set(codes) - PROBLEMS.keys():
            raise Broken("a problem has a code that nobody declared", unknown)
        stops = [place for place, code in enumerate(codes) if PROBLEMS[code].stops]
        if stops != ([] if decoded.complete else [len(codes) - 1]):
            raise Broken("complete and the problems that stop decoding contradict each other", codes)
        if len(codes) > MAX_NDR_PROBLEMS + 2:
            raise Broken("more problems than the limit", len(codes))
        if not 0 <= decoded.consumed <= len(stub):
            raise Broken("more bytes consumed than there are", decoded.consumed)
        left, told = decoded.complete and decoded.consumed < len(stub), "ndr-trailing-bytes" in codes
        if left != told and "ndr-problems-omitted" not in codes:
            raise Broken("bytes were left and not told, or told and not left", codes)
        if not all(0 <= problem.offset <= len(stub) for problem in decoded.problems):
            raise Broken("a problem lies outside its stub", decoded.problems)
        whole = decoded.complete and not set(codes) - {"ndr-trailing-bytes"}
        if wrong := self._shapes.wrong(self.wire.members, decoded.values, whole=whole):
            raise Broken("a decoded value is not what its declaration says", wrong)

    def memory(self, stub: bytes) -> None:
        if len(stub) >= MEMORY_STUB_BYTES:
            return
        peak = _peak(lambda: self.decode(stub))
        if peak > MEMORY_FLOOR + MEMORY_FACTOR * len(stub):
            raise Broken("a stub takes more memory than it may", f"{peak} bytes for a stub of {len(stub)}")

    def together(self, decoded: Sequence[Decoded]) -> None:
        """The values in Arrow, and the columns derived from them."""
        shaped = [self._shape(one.values) for one in decoded]
        pa.array(shaped, self._type).validate(full=True)
        self._derive(shaped)

    def _derive(self, values: Sequence[dict[str, Any]]) -> None:
        given = self.wire.direction is Direction.IN
        pairs = [(row, {}) if given else (_ASKED, row) for row in values]
        for one in self._derived:
            pa.array([one.of(*pair) for pair in pairs], one.column.type).validate(full=True)


def _peak(act: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@cache
def checks_of(wire_name: str) -> Checks:
    from tests.fuzz.stub_seeds import BY_NAME

    return Checks(BY_NAME[wire_name])
