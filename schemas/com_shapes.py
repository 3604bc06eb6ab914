"""Columns of COM's values, which are not kept as declared: VARIANTs contain VARIANTs, and people want the value.

What an interface pointer's column holds is decided in `_POINTER` and `_pointer` alone.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from decoders.ndr.model import CutBytes, InterfacePointer, Named, ObjrefBytes, Pointer, Struct
from decoders.oaut.texts import variant_text, variant_type
from decoders.oaut.types import FLAGGED_WORD_BLOB
from decoders.oaut.values import bstr_value, variant_content
from decoders.oaut.variant import WIRE_VARIANT
from schemas.model import BINARY, INT, LONG, STRING

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
an array of bytes that was captured whole."""
_POINTER: Final = pa.struct([pa.field("size", LONG), pa.field("bytes", BINARY)])


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


def _pointer(objref: bytes) -> dict[str, Any]:
    return {"size": len(objref), "bytes": bytes(objref)}


_STRUCTURES: Final = {
    FLAGGED_WORD_BLOB.name: Shaped(STRING, bstr_value),
    WIRE_VARIANT.name: Shaped(VARIANT, variant_row),
}


def special(declared: Type) -> Shaped | None:
    """None: its column is made of its declaration."""
    match declared:
        case InterfacePointer():
            return Shaped(_POINTER, _pointer)
        case Struct(name=name):
            return _STRUCTURES.get(name)
    return None


def is_variant(declared: Type, types: Mapping[str, Type]) -> bool:
    """Also behind pointers."""
    while isinstance(declared, Named | Pointer):
        declared = types[declared.name] if isinstance(declared, Named) else declared.to
    return isinstance(declared, Struct) and declared.name == WIRE_VARIANT.name
