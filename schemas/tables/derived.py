"""Columns of typed tables that say in people's words what the parameters hold."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from decoders.dcerpc.names import TRANSFER_SYNTAX
from decoders.dcerpc.well_known import INTERFACES
from decoders.interfaces.qmmgmt import MgmtObjectType
from decoders.limits import MAX_PROPERTY_ROWS
from decoders.msmq.blobs import connection_history, eod_source_info, sequence_info
from decoders.msmq.format_names import format_name
from decoders.msmq.properties import property_name
from decoders.msmq.towers import parse_tower
from decoders.msmq.variants import variant_text, variant_value, vt_name
from schemas.model import INT, LONG, STRING, UNSIGNED_LONG, Column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from decoders.msmq.blobs import ConnectionRecord, EodSource

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Derived:
    column: Column
    of: Callable[[Values, Values], Any]
    """From the decoded request and response, either empty where it is missing."""
    problems: Callable[[Any], Iterable[tuple[str, str]]] = lambda _: ()
    """(issue code, detail) for what does not read as it should."""


def _struct(**fields: pa.DataType) -> pa.StructType:
    return pa.struct([pa.field(name, kind) for name, kind in fields.items()])


_TOWER: Final = _struct(
    interface_uuid=STRING,
    interface_version=STRING,
    endpoint=STRING,
    transfer_syntax=STRING,
    protocol=STRING,
    host=STRING,
    port=INT,
    named_pipe=STRING,
    netbios_name=STRING,
    object_uuid=STRING,
    annotation=STRING,
    problems=pa.list_(STRING),
)
_PROPERTY: Final = _struct(
    propid=LONG,
    name=STRING,
    vt=STRING,
    text=STRING,
    sequence_info=_struct(sequence_id=LONG, sequence_number=LONG, previous_number=LONG),
    eod_source_info=pa.list_(
        _struct(
            format_name=STRING,
            sender_id=STRING,
            sequence_id=UNSIGNED_LONG,
            sequence_number=LONG,
            last_access_time=LONG,
            message_reject_count=LONG,
        )
    ),
    connection_history=pa.list_(
        _struct(status=LONG, status_name=STRING, time=LONG, error=LONG, error_name=STRING, addresses=pa.list_(STRING))
    ),
    problem=STRING,
)
_SEQUENCES: Final = frozenset(
    f"PROPID_MGMT_QUEUE_EOD_{name}" for name in ("LAST_ACK", "FIRST_NON_ACK", "LAST_NON_ACK", "NEXT_SEQ")
)
_OBJECT_TYPES: Final = {number: name for name, number in MgmtObjectType.members}


def tower_row(octets: bytes, object_uuid: str | None = None, annotation: str | None = None) -> Values:
    tower = parse_tower(octets)
    interface, syntax = tower.interface, tower.transfer_syntax
    return {
        "interface_uuid": interface.uuid if interface else None,
        "interface_version": f"{interface.major}.{interface.minor}" if interface else None,
        "endpoint": INTERFACES.get(interface.uuid) if interface else None,
        "transfer_syntax": TRANSFER_SYNTAX.get(syntax.uuid, syntax.uuid) if syntax else None,
        "protocol": tower.protocol_sequence,
        "host": tower.host,
        "port": tower.port,
        "named_pipe": tower.named_pipe,
        "netbios_name": tower.netbios_name,
        "object_uuid": object_uuid,
        "annotation": annotation,
        "problems": list(tower.problems),
    }


def asked_tower(request: Values, _: Values) -> Values | None:
    tower = request.get("map_tower")
    return _of(tower) if tower else None


def mapped_towers(_: Values, response: Values) -> list[Values]:
    return [_of(tower) for tower in response.get("ITowers") or () if tower]


def looked_up_towers(_: Values, response: Values) -> list[Values]:
    return list(_of_entries(response.get("entries") or ()))


def given_towers(request: Values, _: Values) -> list[Values]:
    return list(_of_entries(request.get("entries") or ()))


def _tower_problems(towers: list[Values]) -> Iterable[tuple[str, str]]:
    """One for all: a hostile answer has hundreds of towers."""
    odd = [(number, tower["problems"][0]) for number, tower in enumerate(towers) if tower["problems"]]
    if odd:
        yield "tower-malformed", f"tower {odd[0][0]}: {odd[0][1]}" + _and_others(odd)


def _asked_problems(tower: Values | None) -> Iterable[tuple[str, str]]:
    return _tower_problems([tower]) if tower else ()


def _property_problems(properties: list[Values] | None) -> Iterable[tuple[str, str]]:
    odd = [(row["name"], row["problem"]) for row in properties or () if row.get("problem")]
    if odd:
        yield "property-malformed", f"{odd[0][0]}: {odd[0][1]}" + _and_others(odd)


def _and_others(odd: list[tuple[Any, str]]) -> str:
    return f" (and {len(odd) - 1} others)" if len(odd) > 1 else ""


def _of_entries(entries: Iterable[Values | None]) -> Iterable[Values]:
    for entry in entries:
        if entry and entry["tower"]:
            yield _of(entry["tower"], entry["object"], entry["annotation"])


def _of(tower: Values, object_uuid: str | None = None, annotation: str | None = None) -> Values:
    return tower_row(tower.get("tower_octet_string") or b"", object_uuid, annotation)


def _object_type(request: Values, _: Values) -> str | None:
    return _OBJECT_TYPES.get((request.get("pObjectFormat") or {}).get("type", 0))


def _queue(request: Values, _: Values) -> str | None:
    queue = (request.get("pObjectFormat") or {}).get("pQueueFormat")
    return format_name(queue) if queue else None


def _properties(request: Values, response: Values) -> list[Values] | None:
    """Asked for in the request, answered in the response, position by position."""
    asked = request.get("aProp")
    if asked is None:
        return None
    kind = (request.get("pObjectFormat") or {}).get("type")
    answers = response.get("apVar") or ()
    return [
        _property(kind, propid, answers[place] if place < len(answers) else None)
        for place, propid in enumerate(asked[:MAX_PROPERTY_ROWS])
    ]


def _property(kind: int | None, propid: int, variant: Values | None) -> Values:
    name = property_name(kind or 0, propid)
    row: Values = {"propid": propid, "name": name}
    if variant is None or variant.get("vt") is None:
        return row
    row |= {"vt": vt_name(variant["vt"]), "text": variant_text(variant)}
    value = variant_value(variant)
    if value is None:
        return row
    if name in _SEQUENCES:
        found, problem = sequence_info(value if isinstance(value, bytes) else None)
        return row | {"sequence_info": asdict(found) if found else None, "problem": problem or None}
    if name == "PROPID_MGMT_QUEUE_EOD_SOURCE_INFO":
        sources, problem = eod_source_info(variant)
        return row | {"eod_source_info": _rows(sources), "problem": problem or None}
    if name == "PROPID_MGMT_QUEUE_CONNECTION_HISTORY":
        records, problem = connection_history(variant)
        return row | {"connection_history": _rows(records), "problem": problem or None}
    return row


def _rows(found: Sequence[EodSource | ConnectionRecord] | None) -> list[Values] | None:
    return None if found is None else [asdict(one) for one in found]


_OBJECT: Final = (
    Derived(
        Column(
            "object_type",
            STRING,
            "What the call is about: MGMT_MACHINE, MGMT_QUEUE, MGMT_SESSION.",
            values=tuple(_OBJECT_TYPES.values()),
        ),
        _object_type,
    ),
    Derived(
        Column("format_name", STRING, "The queue's format name, e.g. `DIRECT=OS:srv01\\private$\\orders`."), _queue
    ),
)
_TOWERS_DOC: Final = "protocol towers taken apart: interface, transfer syntax, protocol, address"

DERIVED: Final[dict[tuple[str, str], tuple[Derived, ...]]] = {
    ("epm", "ept_map"): (
        Derived(
            Column("asked", _TOWER, "The request's tower taken apart: which interface is looked for."),
            asked_tower,
            _asked_problems,
        ),
        Derived(Column("towers", pa.list_(_TOWER), f"The answer's {_TOWERS_DOC}."), mapped_towers, _tower_problems),
    ),
    ("epm", "ept_lookup"): (
        Derived(Column("towers", pa.list_(_TOWER), f"The answer's {_TOWERS_DOC}."), looked_up_towers, _tower_problems),
    ),
    ("epm", "ept_insert"): (
        Derived(Column("towers", pa.list_(_TOWER), f"The request's {_TOWERS_DOC}."), given_towers, _tower_problems),
    ),
    ("epm", "ept_delete"): (
        Derived(Column("towers", pa.list_(_TOWER), f"The request's {_TOWERS_DOC}."), given_towers, _tower_problems),
    ),
    ("qmmgmt", "R_QMMgmtGetInfo"): (
        *_OBJECT,
        Derived(
            Column(
                "properties",
                pa.list_(_PROPERTY),
                "Each property asked for, named by the kind of object, with its answer as text; sequence information, "
                "exactly-once sources and connection history taken apart. Times are Unix seconds.",
            ),
            _properties,
            _property_problems,
        ),
    ),
    ("qmmgmt", "R_QMMgmtAction"): _OBJECT,
}
