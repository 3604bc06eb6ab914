"""What DCOM's stubs say of objects, whatever is in them: it is told in time, and fits the fact it goes into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import msgpack

from decoders.dcerpc.call_model import Call, CallOutcome
from decoders.limits import MAX_REFERENCES_OF_A_CALL
from decoders.ndr.model import Direction
from decoders.registry import DCOM, REGISTRY
from pipelines.calls.call_rows import Identity
from pipelines.calls.com import com_of
from pipelines.calls.com_arguments import MAX_ARGUMENTS
from pipelines.calls.endpoints import exporter_rows
from pipelines.calls.stubs import NO_VALUES, Values
from pipelines.facts.com import Com
from tests.builders.com_values import ipid
from tests.fuzz.findings import Broken
from tests.timing import quickest

if TYPE_CHECKING:
    from decoders.ndr.interpreter import Decoded
    from tests.fuzz.stub_seeds import Wire

_SLOW_SECONDS = 0.5
_EMPTY: dict[str, Any] = dict.fromkeys(Call._fields)
_CALL = Call(**_EMPTY)._replace(object_uuid=ipid(1), outcome=CallOutcome.ANSWERED)
_unpack = msgpack.Decoder(Com).decode


def is_of_dcom(wire: Wire) -> bool:
    known = REGISTRY.get(wire.interface.uuid)
    return known is not None and known.family in DCOM


def look(wire: Wire, decoded: Decoded) -> None:
    found, seconds = quickest(lambda: com_of_stub(wire, decoded.values), _SLOW_SECONDS)
    if seconds > _SLOW_SECONDS:
        raise Broken("what a stub says of objects takes longer than half a second", f"{seconds:.3f} s")
    if _unpack(msgpack.encode(found)) != found:
        raise Broken("what a stub says of objects is not what is stored of it", found)
    if max(len(found.references), len(found.counted)) > 2 * MAX_REFERENCES_OF_A_CALL:
        raise Broken("more references than the limit", len(found.references))
    if len(found.arguments) > MAX_ARGUMENTS:
        raise Broken("more arguments than the limit", len(found.arguments))
    for row in exporter_rows(found, "10.0.0.2"):
        if not 0 < (row["port"] or 0) < 1 << 16:
            raise Broken("an exporter at a port that there is not", row)


def com_of_stub(wire: Wire, values: dict[str, Any]) -> Com:
    read = Values(values, (), whole=True, goes_on=False, raw=values)
    both = (read, NO_VALUES) if wire.direction is Direction.IN else (NO_VALUES, read)
    identity = Identity(wire.interface.uuid, "0.0", str(wire.syntax), "bind")
    return com_of(identity, wire.interface.name, wire.operation, _CALL, *both)
