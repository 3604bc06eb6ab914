"""One table an operation: `<endpoint>_<operation>`, made from the interface's declaration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.interfaces import INTERFACES
from decoders.ndr.model import Direction
from schemas.idl_types import IdlTypes
from schemas.model import LONG, STRING, TIMESTAMP, Column, Table
from schemas.shared_columns import CALL_UID, CAPTURE_ID, ID, UID
from schemas.tables.derived import DERIVED

if TYPE_CHECKING:
    from decoders.ndr.model import Interface, Operation


COMMON_COLUMNS = (
    CALL_UID,
    Column("ts", TIMESTAMP, "Time of the call's first PDU."),
    Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
    UID,
    ID,
    Column("interface_source", STRING, "How the interface is known; anything but `bind` is inferred, see `calls`."),
    Column("outcome", STRING, "What became of the call, as in `calls`."),
    Column("decode_state", STRING, "`full` or `partial`, as in `calls`."),
    CAPTURE_ID,
)


def typed_name(interface: Interface, operation: Operation) -> str:
    return f"{interface.name}_{operation.name}"


def typed_table(interface: Interface, operation: Operation) -> Table:
    arrow = IdlTypes(interface.types)
    sent = {direction: arrow.struct(operation.on_the_wire(direction)) for direction in (Direction.IN, Direction.OUT)}
    return Table(
        typed_name(interface, operation),
        f"One call of opnum {operation.opnum} of {interface.name}, [{interface.document}] {operation.section}: "
        f"{operation.doc}",
        (
            *COMMON_COLUMNS,
            Column("request", sent[Direction.IN], "[in] parameters; null where the request was not captured."),
            Column(
                "response",
                sent[Direction.OUT],
                "[out] parameters and `return_value`; null where the call faulted or the response was not captured.",
            ),
            *(derived.column for derived in DERIVED.get((interface.name, operation.name), ())),
        ),
    )


TYPED = {
    (interface.uuid, operation.opnum): typed_table(interface, operation)
    for interface in INTERFACES.values()
    for operation in interface.operations
}
