"""Columns of the endpoint mapper's tables: protocol towers taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from decoders.dcerpc.names import TRANSFER_SYNTAX
from decoders.dcerpc.well_known import INTERFACES
from decoders.msmq.towers import parse_tower
from schemas.model import INT, STRING, Column
from schemas.tables.derived_model import Derived, Values, and_others, struct

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOWER: Final = struct(
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
        yield "tower-malformed", f"tower {odd[0][0]}: {odd[0][1]}" + and_others(odd)


def _asked_problems(tower: Values | None) -> Iterable[tuple[str, str]]:
    return _tower_problems([tower]) if tower else ()


def _of_entries(entries: Iterable[Values | None]) -> Iterable[Values]:
    for entry in entries:
        if entry and entry["tower"]:
            yield _of(entry["tower"], entry["object"], entry["annotation"])


def _of(tower: Values, object_uuid: str | None = None, annotation: str | None = None) -> Values:
    return tower_row(tower.get("tower_octet_string") or b"", object_uuid, annotation)


_DOC: Final = "protocol towers taken apart: interface, transfer syntax, protocol, address"

ASKED: Final = Derived(
    Column("asked", _TOWER, "The request's tower taken apart: which interface is looked for."),
    asked_tower,
    _asked_problems,
)
MAPPED: Final = Derived(Column("towers", pa.list_(_TOWER), f"The answer's {_DOC}."), mapped_towers, _tower_problems)
LOOKED_UP: Final = Derived(
    Column("towers", pa.list_(_TOWER), f"The answer's {_DOC}."), looked_up_towers, _tower_problems
)
GIVEN: Final = Derived(Column("towers", pa.list_(_TOWER), f"The request's {_DOC}."), given_towers, _tower_problems)
