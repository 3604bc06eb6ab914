"""What dscomm and dscomm2 share: the types of [MS-MQDS] section 6, and the parameters of calls that read."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqmq import PROPID
from decoders.interfaces.parameters import pointer, reference, value
from decoders.ndr.base_types import UNSIGNED_CHAR, UNSIGNED_LONG, WCHAR
from decoders.ndr.model import (
    Array,
    Constant,
    ContextHandle,
    Direction,
    Member,
    Named,
    Parameter,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Type,
)


def _numbered(*names: str) -> tuple[Constant, ...]:
    return tuple(Constant(name, UNSIGNED_LONG, number) for number, name in enumerate(names))


RELATIONS: Final = _numbered("PRLT", "PRLE", "PRGT", "PRGE", "PREQ", "PRNE")
SORT_ORDERS: Final = _numbered("QUERY_SORTASCEND", "QUERY_SORTDESCEND")


def _counted(name: str, count: str, elements: str, of: Type) -> Struct:
    return Struct(
        name,
        (Member(count, UNSIGNED_LONG, range=(0, 128)), Member(elements, Pointer(Array(of, size_is=count)))),
        tag=f"tag{name}",
    )


MQPROPERTYRESTRICTION = Struct(
    "MQPROPERTYRESTRICTION",
    (Member("rel", UNSIGNED_LONG), Member("prop", UNSIGNED_LONG), Member("prval", Named("PROPVARIANT"))),
    tag="tagMQPROPERTYRESTRICTION",
)
MQRESTRICTION = _counted("MQRESTRICTION", "cRes", "paPropRes", MQPROPERTYRESTRICTION)
MQCOLUMNSET = _counted("MQCOLUMNSET", "cCol", "aCol", PROPID)
MQSORTKEY = Struct(
    "MQSORTKEY", (Member("propColumn", UNSIGNED_LONG), Member("dwOrder", UNSIGNED_LONG)), tag="tagMQSORTKEY"
)
MQSORTSET = _counted("MQSORTSET", "cCol", "aCol", MQSORTKEY)

BOUNDED_SIGNATURE_SIZE = Scalar("BOUNDED_SIGNATURE_SIZE", 4, range=(0, 131_072))
LPBOUNDED_SIGNATURE_SIZE: Final = Pointer(BOUNDED_SIGNATURE_SIZE, PointerKind.REF)
"""Named pointers without an attribute stand at the top level only, where they are [ref]."""

PCONTEXT_HANDLE_SERVER_AUTH_TYPE = ContextHandle("PCONTEXT_HANDLE_SERVER_AUTH_TYPE")
PCONTEXT_HANDLE_DELETE_TYPE = ContextHandle("PCONTEXT_HANDLE_DELETE_TYPE")
PPCONTEXT_HANDLE_DELETE_TYPE: Final = Pointer(PCONTEXT_HANDLE_DELETE_TYPE, PointerKind.REF, written=True)

_IN: Final = Direction.IN
_OUT: Final = Direction.OUT
_IN_OUT: Final = Direction.IN | Direction.OUT

OBJECT_TYPES: Final = (1, 58)
PATH: Final = String(WCHAR, written=False)
"""[MS-MQDS] calls each of them a null-terminated string, its IDL does not."""

SERVER_AUTH: Final = value("phServerAuth", PCONTEXT_HANDLE_SERVER_AUTH_TYPE)
SIGNED: Final = (
    SERVER_AUTH,
    reference(_OUT, "pbServerSignature", Array(UNSIGNED_CHAR, size_is="*pdwServerSignatureSize")),
    Parameter(_IN_OUT, Member("pdwServerSignatureSize", Named("LPBOUNDED_SIGNATURE_SIZE"))),
)
"""How a server proves what it answers, in every call that reads: [MS-MQDS] 3.1.4.2."""


def path(name: str = "pwcsPathName") -> Parameter:
    return reference(_IN, name, PATH, const=True)


def optional_path(kind: PointerKind, name: str = "pwcsPathName", *, const: bool = True) -> Parameter:
    return pointer(_IN, kind, name, PATH, const=const)


def properties(count: Scalar, identifier: Scalar, direction: Direction) -> tuple[Parameter, ...]:
    """Values go the way of `direction`."""
    return (
        value("cp", count, (1, 128)),
        value("aProp", Array(identifier, size_is="cp")),
        Parameter(direction, Member("apVar", Array(Named("PROPVARIANT"), size_is="cp"))),
    )
