"""The operations of dscomm on objects of the directory, by path and by GUID: [MS-MQDS] 3.1.4.4 to 3.1.4.14."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqds import OBJECT_TYPES, SIGNED, optional_path, path, properties
from decoders.interfaces.parameters import pointer, reference, value
from decoders.ndr.base_types import GUID, HRESULT, UNSIGNED_CHAR, UNSIGNED_LONG
from decoders.ndr.model import Array, Direction, Operation, PointerKind

_IN: Final = Direction.IN
_OUT: Final = Direction.OUT
_IN_OUT: Final = Direction.IN | Direction.OUT
_UNIQUE: Final = PointerKind.UNIQUE

MOST_BYTES: Final = (0, 524_288)
OBJECT_TYPE: Final = value("dwObjectType", UNSIGNED_LONG, OBJECT_TYPES)
OBJECT_GUID: Final = reference(_IN, "pGuid", GUID, const=True)
GIVEN: Final = properties(UNSIGNED_LONG, UNSIGNED_LONG, _IN)
_ASKED: Final = properties(UNSIGNED_LONG, UNSIGNED_LONG, _IN_OUT)
GET_SECURITY: Final = (
    value("SecurityInformation", UNSIGNED_LONG),
    reference(_OUT, "pSecurityDescriptor", Array(UNSIGNED_CHAR, size_is="nLength")),
    value("nLength", UNSIGNED_LONG, MOST_BYTES),
    reference(_OUT, "lpnLengthNeeded", UNSIGNED_LONG),
)
_SET_SECURITY: Final = (
    value("SecurityInformation", UNSIGNED_LONG),
    pointer(_IN, _UNIQUE, "pSecurityDescriptor", Array(UNSIGNED_CHAR, size_is="nLength")),
    value("nLength", UNSIGNED_LONG, MOST_BYTES),
)

BY_PATH: Final = (
    Operation(
        0,
        "S_DSCreateObject",
        (
            OBJECT_TYPE,
            optional_path(_UNIQUE),
            value("dwSDLength", UNSIGNED_LONG, MOST_BYTES),
            pointer(_IN, _UNIQUE, "SecurityDescriptor", Array(UNSIGNED_CHAR, size_is="dwSDLength")),
            *GIVEN,
            pointer(_IN_OUT, _UNIQUE, "pObjGuid", GUID),
        ),
        HRESULT,
        "3.1.4.4",
        "Creates an object of the directory.",
    ),
    Operation(1, "S_DSDeleteObject", (OBJECT_TYPE, path()), HRESULT, "3.1.4.5", "Deletes an object by its path."),
    Operation(
        2,
        "S_DSGetProps",
        (OBJECT_TYPE, path(), *_ASKED, *SIGNED),
        HRESULT,
        "3.1.4.7",
        "Asks for properties of an object by its path.",
    ),
    Operation(
        3,
        "S_DSSetProps",
        (OBJECT_TYPE, path(), *GIVEN),
        HRESULT,
        "3.1.4.9",
        "Changes properties of an object by its path.",
    ),
    Operation(
        4,
        "S_DSGetObjectSecurity",
        (OBJECT_TYPE, path(), *GET_SECURITY, *SIGNED),
        HRESULT,
        "3.1.4.11",
        "Asks for the security descriptor or a public key of an object by its path.",
    ),
    Operation(
        5,
        "S_DSSetObjectSecurity",
        (OBJECT_TYPE, path(), *_SET_SECURITY),
        HRESULT,
        "3.1.4.13",
        "Changes the security descriptor or a public key of an object by its path.",
    ),
)

BY_GUID: Final = (
    Operation(
        10, "S_DSDeleteObjectGuid", (OBJECT_TYPE, OBJECT_GUID), HRESULT, "3.1.4.6", "Deletes an object by its GUID."
    ),
    Operation(
        11,
        "S_DSGetPropsGuid",
        (OBJECT_TYPE, pointer(_IN, _UNIQUE, "pGuid", GUID, const=True), *_ASKED, *SIGNED),
        HRESULT,
        "3.1.4.8",
        "Asks for properties of an object by its GUID.",
    ),
    Operation(
        12,
        "S_DSSetPropsGuid",
        (OBJECT_TYPE, OBJECT_GUID, *GIVEN),
        HRESULT,
        "3.1.4.10",
        "Changes properties of an object by its GUID.",
    ),
    Operation(
        13,
        "S_DSGetObjectSecurityGuid",
        (OBJECT_TYPE, OBJECT_GUID, *GET_SECURITY, *SIGNED),
        HRESULT,
        "3.1.4.12",
        "Asks for the security descriptor or a public key of an object by its GUID.",
    ),
    Operation(
        14,
        "S_DSSetObjectSecurityGuid",
        (OBJECT_TYPE, OBJECT_GUID, *_SET_SECURITY),
        HRESULT,
        "3.1.4.14",
        "Changes the security descriptor or a public key of an object by its GUID.",
    ),
)
