"""The operations of qmcomm on private queues themselves: [MS-MQMP] 3.1.4.5 to 3.1.4.11."""

from __future__ import annotations

from typing import Final

from decoders.interfaces import mqmp
from decoders.interfaces.parameters import pointer, reference, value
from decoders.ndr.base_types import DTYP_WCHAR, DWORD, HRESULT, UNSIGNED_CHAR
from decoders.ndr.model import Array, Direction, Member, Named, Operation, Parameter, Pointer, PointerKind, String

_IN: Final = Direction.IN
_OUT: Final = Direction.OUT
_IN_OUT: Final = Direction.IN | Direction.OUT
_UNIQUE: Final = PointerKind.UNIQUE
_MOST_SECURITY: Final = (0, 524_288)

_OBJECT: Final = reference(_IN, "pObjectFormat", mqmp.OBJECT_FORMAT)
_SECURITY: Final = (
    value("SDSize", DWORD, _MOST_SECURITY),
    pointer(_IN, _UNIQUE, "pSecurityDescriptor", Array(UNSIGNED_CHAR, size_is="SDSize")),
)
_PATH: Final = Parameter(_IN, Member("lpwcsPathName", Pointer(String(DTYP_WCHAR), PointerKind.REF)), const=True)
_CP: Final = value("cp", DWORD, (1, 128))
_PROPERTIES: Final = Array(DWORD, size_is="cp")
_VALUES: Final = Array(Named("PROPVARIANT"), size_is="cp")

OPERATIONS: Final = (
    Operation(
        6,
        "R_QMCreateObjectInternal",
        (
            value("dwObjectType", DWORD),
            _PATH,
            *_SECURITY,
            _CP,
            value("aProp", _PROPERTIES),
            value("apVar", _VALUES),
        ),
        HRESULT,
        "3.1.4.5",
        "Creates a private queue.",
    ),
    Operation(
        7,
        "R_QMSetObjectSecurityInternal",
        (_OBJECT, value("SecurityInformation", DWORD), *_SECURITY),
        HRESULT,
        "3.1.4.6",
        "Changes owner, group or access list of a private queue.",
    ),
    Operation(
        8,
        "R_QMGetObjectSecurityInternal",
        (
            _OBJECT,
            value("RequestedInformation", DWORD),
            reference(_OUT, "pSecurityDescriptor", Array(UNSIGNED_CHAR, size_is="nLength")),
            value("nLength", DWORD, _MOST_SECURITY),
            reference(_OUT, "lpnLengthNeeded", DWORD),
        ),
        HRESULT,
        "3.1.4.7",
        "Asks for owner, group or access list of a private queue.",
    ),
    Operation(9, "R_QMDeleteObject", (_OBJECT,), HRESULT, "3.1.4.8", "Deletes a private queue."),
    Operation(
        10,
        "R_QMGetObjectProperties",
        (_OBJECT, _CP, value("aProp", _PROPERTIES), Parameter(_IN_OUT, Member("apVar", _VALUES))),
        HRESULT,
        "3.1.4.9",
        "Asks for properties of a private queue.",
    ),
    Operation(
        11,
        "R_QMSetObjectProperties",
        (_OBJECT, _CP, pointer(_IN, _UNIQUE, "aProp", _PROPERTIES), pointer(_IN, _UNIQUE, "apVar", _VALUES)),
        HRESULT,
        "3.1.4.10",
        "Changes properties of a private queue.",
    ),
    Operation(
        12,
        "R_QMObjectPathToObjectFormat",
        (_PATH, reference(_IN_OUT, "pObjectFormat", mqmp.OBJECT_FORMAT)),
        HRESULT,
        "3.1.4.11",
        "Asks for the format name of a private queue by its path.",
    ),
)
