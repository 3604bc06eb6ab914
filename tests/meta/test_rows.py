"""Types of rows against the tables that they are rows of."""

from __future__ import annotations

import importlib
import pkgutil
from decimal import Decimal
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import pyarrow as pa
import pytest

import schemas
from schemas.internal import ANNOUNCED, ASIDES, FACTS, STREAM_FLOWS, VERSIONS
from schemas.internal_rows import AnnouncedRow, AsideRow, CountRow, FactRow, StreamFlowRow, VersionRow
from schemas.model import BINARY, BOOL, DOUBLE, INT, LONG, STRING, TIMESTAMP, UNSIGNED_LONG, Column, Table
from schemas.shared_columns import FOR_WHOM, NAMING, ConnectionId, ForWhom, Naming
from schemas.state import (
    CARRIED_CAPTURES,
    HOST_NOTES,
    QUEUE_NOTES,
    TALLIES,
    CarriedCaptureRow,
    HostNoteRow,
    QueueNoteRow,
    TallyRow,
)
from schemas.tables.accounting import ACCOUNTING, AccountRow
from schemas.tables.captures import CAPTURES, CaptureRow
from schemas.tables.com_calls import COM_CALLS, ArgumentRow, ComCallRow
from schemas.tables.com_objects import COM_OBJECTS, ComObjectRow, ExporterRow, GivenInterface
from schemas.tables.endpoints import ENDPOINTS, EndpointRow
from schemas.tables.findings import FINDINGS, VERDICTS, Evidence, EvidenceValue, FindingRow, VerdictRow
from schemas.tables.issues import ISSUES, IssueRow
from schemas.tables.message_rows import (
    MessageContent,
    MessageRow,
    MessageSaid,
    SeenCall,
    SeenRow,
    SightingRow,
    TransactionHeader,
)
from schemas.tables.messages import CONTENT, MESSAGES, SEEN, SIGHTINGS
from schemas.tables.pdus import PDUS, ContextAnswer, FrameElsewhere, Negotiated, PduRow, ProposedContext

if TYPE_CHECKING:
    from collections.abc import Iterator


def _some(table: Table, row: type) -> Table:
    """Columns of which one module makes a part of a row."""
    return Table("some", table.doc, tuple(one for one in table.columns if one.name in row.__annotations__))


ROWS: Final[dict[type, Table]] = {
    AccountRow: ACCOUNTING,
    AnnouncedRow: ANNOUNCED,
    AsideRow: ASIDES,
    CaptureRow: CAPTURES,
    CarriedCaptureRow: CARRIED_CAPTURES,
    ComCallRow: COM_CALLS,
    ComObjectRow: COM_OBJECTS,
    EndpointRow: ENDPOINTS,
    FactRow: FACTS,
    FindingRow: FINDINGS,
    ForWhom: Table("for whom", "Columns that several tables have.", FOR_WHOM),
    HostNoteRow: HOST_NOTES,
    IssueRow: ISSUES,
    MessageContent: Table("content", "Columns that several tables have.", CONTENT),
    MessageRow: MESSAGES,
    MessageSaid: _some(SIGHTINGS, MessageSaid),
    Negotiated: _some(PDUS, Negotiated),
    Naming: Table("naming", "Columns that several tables have.", NAMING),
    PduRow: PDUS,
    QueueNoteRow: QUEUE_NOTES,
    SeenRow: SEEN,
    SightingRow: SIGHTINGS,
    StreamFlowRow: STREAM_FLOWS,
    TallyRow: TALLIES,
    VerdictRow: VERDICTS,
    VersionRow: VERSIONS,
}
INSIDE: Final[frozenset[type]] = frozenset(
    (
        *(ConnectionId, ContextAnswer, CountRow, Evidence, EvidenceValue, FrameElsewhere, ProposedContext),
        *(SeenCall, TransactionHeader, ArgumentRow, ExporterRow, GivenInterface),
    )
)
"""Structures in columns; they are compared with the column that has them."""
PLAIN: Final = {
    STRING: str,
    LONG: int,
    INT: int,
    BOOL: bool,
    BINARY: bytes,
    DOUBLE: float,
    UNSIGNED_LONG: Decimal,
    TIMESTAMP: int,  # microseconds, as rows are made
}


def test_every_type_of_a_row_is_compared_with_a_table() -> None:
    assert set(_declared()) == ROWS.keys() | INSIDE


@pytest.mark.parametrize(("row", "table"), ROWS.items(), ids=lambda one: getattr(one, "__name__", one.__class__))
def test_a_row_has_the_columns_of_its_table(row: type, table: Table) -> None:
    assert list(_differences(row, table)) == []


def test_differences_are_found() -> None:
    wrong = Table(
        "wrong",
        "Columns of another type, null where it is not said, and one too many.",
        (
            Column("capture_id", LONG, "", required=True),
            Column("stage", STRING, ""),
            Column("counter", STRING, "", required=True),
            Column("count", LONG, "", required=True),
        ),
    )
    assert list(_differences(AccountRow, wrong)) == [
        "no such column: value",
        "no such key: count",
        "capture_id: str in place of int64",
        "stage: may be null, or not?",
    ]


def _differences(row: type, table: Table) -> Iterator[str]:
    hints = get_type_hints(row, include_extras=True)
    yield from (f"no such column: {name}" for name in sorted(hints.keys() - set(table.names)))
    yield from (f"no such key: {name}" for name in sorted(set(table.names) - hints.keys()))
    for column in table.columns:
        if column.name not in hints:
            continue
        hint = hints[column.name]
        left_out = get_origin(hint) is NotRequired
        inner, null = _without_none(get_args(hint)[0] if left_out else hint)
        if not _fits(inner, column.type):
            yield f"{column.name}: {getattr(inner, '__name__', inner)} in place of {column.type}"
        if (null or left_out) == column.required:
            yield f"{column.name}: may be null, or not?"


def _fits(hint: Any, arrow: pa.DataType) -> bool:  # noqa: ANN401 - a type of any form
    if pa.types.is_list(arrow):
        return get_origin(hint) is list and _fits(_without_none(get_args(hint)[0])[0], arrow.value_type)
    if pa.types.is_struct(arrow):
        members = {field.name: field.type for field in arrow}
        hints = get_type_hints(hint) if is_typeddict(hint) else {}
        return hints.keys() == members.keys() and all(
            _fits(_without_none(one)[0], members[name]) for name, one in hints.items()
        )
    return PLAIN.get(arrow) is hint


def _without_none(hint: Any) -> tuple[Any, bool]:  # noqa: ANN401 - a type of any form
    if not isinstance(hint, UnionType):
        return hint, False
    others = [one for one in get_args(hint) if one is not NoneType]
    return (others[0] if len(others) == 1 else hint), len(others) < len(get_args(hint))


def _declared() -> Iterator[type]:
    for module in pkgutil.walk_packages(schemas.__path__, "schemas."):
        names = vars(importlib.import_module(module.name))
        yield from (one for one in names.values() if is_typeddict(one) and one.__module__ == module.name)
