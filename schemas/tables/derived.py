"""Which typed tables have columns that say in people's words what the parameters hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schemas.tables import derived_objects as objects
from schemas.tables import derived_properties as properties
from schemas.tables import derived_security as security
from schemas.tables import derived_towers as towers
from schemas.tables.derived_enumerations import named_values

if TYPE_CHECKING:
    from decoders.ndr.model import Interface, Operation
    from schemas.tables.derived_model import Derived

_MANAGED: Final = (objects.MANAGED_TYPE, objects.OBJECT_QUEUE)
_DIRECTORY: Final = (objects.DIRECTORY_TYPE,)
_READ: Final = (*_DIRECTORY, properties.ASKED)
_WRITTEN: Final = (*_DIRECTORY, properties.GIVEN)

_OF: Final[dict[str, dict[str, tuple[Derived, ...]]]] = {
    "epm": {
        "ept_map": (towers.ASKED, towers.MAPPED),
        "ept_lookup": (towers.LOOKED_UP,),
        "ept_insert": (towers.GIVEN,),
        "ept_delete": (towers.GIVEN,),
    },
    "qmmgmt": {
        "R_QMMgmtGetInfo": (*_MANAGED, properties.MANAGED),
        "R_QMMgmtAction": _MANAGED,
    },
    "qmcomm": {
        "R_QMOpenRemoteQueue": (objects.QUEUE,),
        "R_QMCreateObjectInternal": (properties.GIVEN, security.GIVEN),
        "R_QMSetObjectSecurityInternal": (objects.OBJECT_QUEUE, security.GIVEN),
        "R_QMGetObjectSecurityInternal": (objects.OBJECT_QUEUE, security.TOLD),
        "R_QMDeleteObject": (objects.OBJECT_QUEUE,),
        "R_QMGetObjectProperties": (objects.OBJECT_QUEUE, properties.ASKED),
        "R_QMSetObjectProperties": (objects.OBJECT_QUEUE, properties.GIVEN),
        "R_QMObjectPathToObjectFormat": (objects.OBJECT_QUEUE,),
        "rpc_QMOpenQueueInternal": (objects.QUEUE,),
        "rpc_ACHandleToFormatName": (objects.HANDLE_QUEUE,),
    },
    "qmcomm2": {
        "QMSendMessageInternalEx": (objects.QUEUE, objects.ADMIN_QUEUE, objects.RESPONSE_QUEUE),
        "rpc_ACSendMessageEx": (objects.ADMIN_QUEUE, objects.RESPONSE_QUEUE),
    },
    "RemoteRead": {
        "R_OpenQueue": (objects.QUEUE,),
        "R_OpenQueueForMove": (objects.QUEUE,),
        "R_QMEnlistRemoteTransaction": (objects.QUEUE,),
    },
    "dscomm": {
        "S_DSCreateObject": (*_WRITTEN, security.GIVEN),
        "S_DSDeleteObject": _DIRECTORY,
        "S_DSGetProps": _READ,
        "S_DSSetProps": _WRITTEN,
        "S_DSGetObjectSecurity": (*_DIRECTORY, security.TOLD),
        "S_DSSetObjectSecurity": (*_DIRECTORY, security.GIVEN),
        "S_DSLookupBegin": (objects.RESTRICTION, objects.COLUMNS, objects.SORT),
        "S_DSDeleteObjectGuid": _DIRECTORY,
        "S_DSGetPropsGuid": _READ,
        "S_DSSetPropsGuid": _WRITTEN,
        "S_DSGetObjectSecurityGuid": (*_DIRECTORY, security.TOLD),
        "S_DSSetObjectSecurityGuid": (*_DIRECTORY, security.GIVEN),
        "S_DSQMSetMachineProperties": (properties.GIVEN,),
        "S_DSQMGetObjectSecurity": (*_DIRECTORY, security.TOLD),
    },
    "dscomm2": {
        "S_DSGetPropsEx": _READ,
        "S_DSGetPropsGuidEx": _READ,
    },
}

DERIVED: Final[dict[tuple[str, str], tuple[Derived, ...]]] = {
    (interface, operation): columns
    for interface, operations in _OF.items()
    for operation, columns in operations.items()
}


def derived_columns(interface: Interface, operation: Operation) -> tuple[Derived, ...]:
    return (*DERIVED.get((interface.name, operation.name), ()), *named_values(operation))
