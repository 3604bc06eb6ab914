"""One table an operation: `<endpoint>_<operation>`, made from the interface's declaration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.interfaces import INTERFACES
from decoders.ndr.model import Direction
from decoders.registry import DCOM, REGISTRY
from schemas.idl_bounds import bounded
from schemas.idl_types import IdlTypes
from schemas.model import LONG, STRING, TIMESTAMP, Column, Table
from schemas.shared_columns import CALL_UID, CAPTURE_ID, ID, OF_CALL, OF_CAPTURE, OF_FLOW, UID
from schemas.tables.derived import derived_columns
from schemas.vocabulary import CALL_OUTCOMES, INTERFACE_SOURCES

if TYPE_CHECKING:
    from decoders.ndr.model import Interface, Operation


OperationKey: TypeAlias = tuple[str, int, bool]
"""Interface, opnum, and whether it is a callback's."""

COMMON_COLUMNS = (
    CALL_UID,
    Column("ts", TIMESTAMP, "Time of the call's first PDU."),
    Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
    UID,
    ID,
    Column(
        "interface_source",
        STRING,
        "How the interface is known; anything but `bind` is inferred, see `calls`.",
        required=True,
        values=INTERFACE_SOURCES,
    ),
    Column("outcome", STRING, "What became of the call, as in `calls`.", required=True, values=CALL_OUTCOMES),
    Column("decode_state", STRING, "`full` or `partial`, as in `calls`.", required=True, values=("full", "partial")),
    CAPTURE_ID,
)


def typed_name(interface: Interface, operation: Operation) -> str:
    return f"{interface.name}_{operation.name}"


def typed_table(interface: Interface, operation: Operation, *, callback: bool = False) -> Table:
    # By identity: revisions of an interface share operations, and hashing one costs as much as it saves.
    known = _columns_of.get(id(operation))
    if known is None:
        known = _columns_of[id(operation)] = operation, _columns(interface, operation)
    return Table(
        typed_name(interface, operation),
        f"One {'callback' if callback else 'call'} of opnum {operation.opnum} of {interface.name}, "
        f"[{interface.document}] {operation.section}: {operation.doc}",
        known[1],
        key=("call_uid",),
        relations=(OF_CALL, OF_FLOW, OF_CAPTURE),
        only_with_rows=REGISTRY[interface.uuid].family in DCOM,
    )


_columns_of: dict[int, tuple[Operation, tuple[Column, ...]]] = {}


def _columns(interface: Interface, operation: Operation) -> tuple[Column, ...]:
    arrow = IdlTypes(interface.types)
    members = {direction: operation.on_the_wire(direction) for direction in (Direction.IN, Direction.OUT)}
    sent = {direction: arrow.struct(found) for direction, found in members.items()}
    bounds = {direction: tuple(bounded(interface.types, found)) for direction, found in members.items()}
    return (
        *COMMON_COLUMNS,
        Column(
            "request",
            sent[Direction.IN],
            "[in] parameters; null where the request was not captured.",
            inside=bounds[Direction.IN],
        ),
        Column(
            "response",
            sent[Direction.OUT],
            "[out] parameters and `return_value`; null where the call faulted or the response was not captured.",
            inside=bounds[Direction.OUT],
        ),
        *(derived.column for derived in derived_columns(interface, operation)),
    )


TYPED: Final[dict[OperationKey, Table]] = {
    (interface.uuid, operation.opnum, callback): typed_table(interface, operation, callback=callback)
    for interface in INTERFACES.values()
    for callback, operations in ((False, interface.operations), (True, interface.callbacks))
    for operation in operations
}
