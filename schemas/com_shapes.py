"""Columns of COM's values, which are not kept as declared: VARIANTs contain VARIANTs, and people want the value."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from decoders.dcom.asked_for import asked_for
from decoders.dcom.classes import class_name, com_interface_name
from decoders.dcom.objref import parse_objref
from decoders.dcom.types import MInterfacePointer
from decoders.ndr.model import CutBytes, InterfacePointer, Named, ObjrefBytes, Pointer, Struct
from decoders.oaut.texts import variant_text, variant_type
from decoders.oaut.types import FLAGGED_WORD_BLOB
from decoders.oaut.values import bstr_value, variant_content
from decoders.oaut.variant import WIRE_VARIANT
from schemas.model import INT, LONG, STRING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from decoders.ndr.model import Type

VARIANT: Final = pa.struct(
    [
        pa.field("vt", INT),
        pa.field("type", STRING),
        pa.field("value", STRING),
        pa.field("size", LONG),
        pa.field("sha256", STRING),
    ]
)
"""`size`: bytes of a BSTR, an array of bytes or an object reference, elements of another array; else null. `sha256`: of
a BSTR or an array of bytes that was captured whole."""
_ASKED_FOR: Final = pa.struct(
    [
        pa.field("clsid", STRING),
        pa.field("class", STRING),
        pa.field("iids", pa.list_(STRING)),
        pa.field("server_name", STRING),
    ]
)
POINTER: Final = pa.struct(
    [
        pa.field("form", STRING),
        pa.field("iid", STRING),
        pa.field("interface", STRING),
        pa.field("clsid", STRING),
        pa.field("oxid", STRING),
        pa.field("oid", STRING),
        pa.field("ipid", STRING),
        pa.field("public_refs", LONG),
        pa.field("size", LONG),
        pa.field("activates", _ASKED_FOR),
    ]
)
"""Of an OBJREF, [MS-DCOM] 2.2.18; numbers in hexadecimal as in `com_objects`. `activates`: what an activation wants."""


class Shaped(NamedTuple):
    arrow: pa.DataType
    shape: Callable[[Any], Any]
    """From a decoded value that is there."""


def variant_row(variant: Mapping[str, Any], *, keep: bool = True) -> dict[str, Any]:
    """`keep`: the value itself is shown. It is not where it is a message and nobody asked for its bytes."""
    vt = variant.get("vt")
    content = variant_content(variant)
    digest = None
    if isinstance(content, bytes) and not isinstance(content, CutBytes | ObjrefBytes):
        digest = hashlib.sha256(content).hexdigest()
    return {
        "vt": vt,
        "type": None if vt is None else variant_type(vt),
        "value": variant_text(variant) if keep else None,
        "size": len(content) if isinstance(content, bytes) else content,
        "sha256": digest,
    }


def pointer_row(objref: bytes) -> dict[str, Any]:
    found = parse_objref(objref)
    std, wanted = found.std, asked_for(found)
    return {
        "form": None if found.form is None else found.form.name.lower(),
        "iid": found.iid,
        "interface": com_interface_name(found.iid) if found.iid else None,
        "clsid": found.clsid,
        "oxid": None if std is None else f"{std.oxid:016x}",
        "oid": None if std is None else f"{std.oid:016x}",
        "ipid": None if std is None else std.ipid,
        "public_refs": None if std is None else std.public_refs,
        "size": len(objref),
        "activates": None
        if wanted is None
        else {
            "clsid": wanted.clsid,
            "class": class_name(wanted.clsid) if wanted.clsid else None,
            "iids": list(wanted.iids),
            "server_name": wanted.server_name,
        },
    }


def _declared_pointer(value: Mapping[str, Any]) -> dict[str, Any] | None:
    data = value.get("abData")
    return None if data is None else pointer_row(data)


_STRUCTURES: Final = {
    FLAGGED_WORD_BLOB.name: Shaped(STRING, bstr_value),
    WIRE_VARIANT.name: Shaped(VARIANT, variant_row),
    MInterfacePointer.name: Shaped(POINTER, _declared_pointer),
}


def special(declared: Type) -> Shaped | None:
    """None: its column is made of its declaration."""
    match declared:
        case InterfacePointer():
            return Shaped(POINTER, pointer_row)
        case Struct(name=name):
            return _STRUCTURES.get(name)
    return None


def is_variant(declared: Type, types: Mapping[str, Type]) -> bool:
    """Also behind pointers."""
    while isinstance(declared, Named | Pointer):
        declared = types[declared.name] if isinstance(declared, Named) else declared.to
    return isinstance(declared, Struct) and declared.name == WIRE_VARIANT.name
