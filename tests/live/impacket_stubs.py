"""Values of the story through impacket's NDR engine, with the structures of samples/."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from impacket.dcerpc.v5.dtypes import GUID
from impacket.dcerpc.v5.ndr import NDR, NDRPOINTER, NULL

from decoders.ndr.model import Direction
from samples import mgmt_ndr, msmq_ndr
from samples.ndr_base import ContextHandle, encode

if TYPE_CHECKING:
    from tests.live.model import Call, Values

_MODULES = {"qm2qm": msmq_ndr, "qmmgmt": mgmt_ndr}
_UNIONS = {"type": "u", "m_qft": "u", "vt": "_varUnion"}
"""Discriminants, and how samples/ calls the union behind each."""


def stub(call: Call, direction: Direction) -> bytes:
    name = call.operation if direction is Direction.IN else f"{call.operation}Response"
    structure = getattr(_MODULES[call.interface.name], name)()
    _fill(structure, call.request if direction is Direction.IN else call.response)
    return encode(structure)


def _fill(structure: NDR, values: Values) -> None:
    named = dict(values)
    for switch, union in _UNIONS.items():
        if switch in named:
            structure[switch] = structure[union]["tag"] = named.pop(switch)
            arms = named.pop(union, named)
            for name in [name for name in arms if name in structure[union].fields]:
                _put(structure[union], name, arms.pop(name) if arms is named else arms[name])
    for name, value in named.items():
        _put(structure, name, value)


def _put(holder: NDR, name: str, value: Any) -> None:  # noqa: ANN401
    field = holder.fields[name]
    if isinstance(field, NDRPOINTER):
        if value is None:
            holder[name] = NULL
        else:
            _put(field, "Data", value)
    elif isinstance(field, ContextHandle):
        field["uuid"] = bytes(16) if value is None else uuid.UUID(value).bytes_le
    elif isinstance(value, dict):
        _fill(field, value)
    elif isinstance(value, list):
        field["Data"] = [_element(field.item, one) for one in value]
    else:
        field["Data"] = _leaf(field, value)


def _element(kind: type[NDR], value: Any) -> NDR:  # noqa: ANN401
    element = kind()
    if isinstance(value, dict):
        _fill(element, value)
    elif isinstance(element, NDRPOINTER):
        _put(element, "Data", value)
    else:
        element["Data"] = _leaf(element, value)
    return element


def _leaf(field: NDR, value: Any) -> Any:  # noqa: ANN401
    """A string of the wire counts its terminator; impacket adds none."""
    if isinstance(field, GUID):
        return uuid.UUID(value).bytes_le
    return f"{value}\0" if isinstance(value, str) else value
