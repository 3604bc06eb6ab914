"""Properties named, with their values as text."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from decoders.limits import MAX_PROPERTY_ROWS
from decoders.msmq.blobs import connection_history, eod_source_info, sequence_info
from decoders.msmq.directory_properties import DIRECTORY_PROPERTIES
from decoders.msmq.properties import PROPERTIES
from decoders.msmq.variants import variant_text, variant_value, vt_name
from schemas.model import LONG, STRING, UNSIGNED_LONG, Column
from schemas.tables.derived_model import Derived, Values, and_others, struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from decoders.msmq.blobs import ConnectionRecord, EodSource
    from decoders.msmq.properties import Property

_PROPERTY: Final = struct(
    propid=LONG,
    name=STRING,
    vt=STRING,
    text=STRING,
    sequence_info=struct(sequence_id=LONG, sequence_number=LONG, previous_number=LONG),
    eod_source_info=pa.list_(
        struct(
            format_name=STRING,
            sender_id=STRING,
            sequence_id=UNSIGNED_LONG,
            sequence_number=LONG,
            last_access_time=LONG,
            message_reject_count=LONG,
        )
    ),
    connection_history=pa.list_(
        struct(status=LONG, status_name=STRING, time=LONG, error=LONG, error_name=STRING, addresses=pa.list_(STRING))
    ),
    problem=STRING,
)
_SEQUENCES: Final = frozenset(
    f"PROPID_MGMT_QUEUE_EOD_{name}" for name in ("LAST_ACK", "FIRST_NON_ACK", "LAST_NON_ACK", "NEXT_SEQ")
)


def _managed(request: Values, response: Values) -> list[Values] | None:
    kind = (request.get("pObjectFormat") or {}).get("type", 0)
    return _named(request, response, lambda propid: PROPERTIES.get((kind, propid)))


def _asked(request: Values, response: Values) -> list[Values] | None:
    return _named(request, response, DIRECTORY_PROPERTIES.get)


def _given(request: Values, _: Values) -> list[Values] | None:
    return _named(request, request, DIRECTORY_PROPERTIES.get)


def _named(request: Values, held: Values, entry_of: Callable[[int], Property | None]) -> list[Values] | None:
    """Numbers of the request with values of the side that holds them, position by position."""
    asked = request.get("aProp")
    if asked is None:
        return None
    values = held.get("apVar") or ()
    return [
        _property(entry_of(propid), propid, values[place] if place < len(values) else None)
        for place, propid in enumerate(asked[:MAX_PROPERTY_ROWS])
    ]


def _property(entry: Property | None, propid: int, variant: Values | None) -> Values:
    name = entry.name if entry else None
    row: Values = {"propid": propid, "name": name}
    if variant is None or variant.get("vt") is None:
        return row
    value = variant_value(variant)
    row |= {"vt": vt_name(variant["vt"]), "text": value_text(entry, variant)}
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


def value_text(entry: Property | None, variant: Values) -> str:
    """The name of a number stands in front of it."""
    text = variant_text(variant)
    value = variant_value(variant)
    meaning = entry.meanings.get(value) if entry and isinstance(value, int) else None
    return f"{meaning} ({text})" if meaning else text


def _rows(found: Sequence[EodSource | ConnectionRecord] | None) -> list[Values] | None:
    return None if found is None else [asdict(one) for one in found]


def _property_problems(properties: list[Values] | None) -> Iterable[tuple[str, str]]:
    odd = [(row["name"], row["problem"]) for row in properties or () if row.get("problem")]
    if odd:
        yield "property-malformed", f"{odd[0][0]}: {odd[0][1]}" + and_others(odd)


def _column(doc: str, of: Callable[[Values, Values], Any]) -> Derived:
    return Derived(Column("properties", pa.list_(_PROPERTY), doc), of, _property_problems)


MANAGED: Final = _column(
    "Each property asked for, named by the kind of object, with its answer as text; sequence information, "
    "exactly-once sources and connection history taken apart. Times are Unix seconds.",
    _managed,
)
ASKED: Final = _column("Each property asked for, named, with its answer as text.", _asked)
GIVEN: Final = _column("Each property given, named, with its value as text.", _given)
