"""dscomm, by which queue managers ask the directory of message queuing and change it: [MS-MQDS] section 6."""

from __future__ import annotations

from typing import Final

from decoders.interfaces import mqds, mqmq
from decoders.interfaces.dscomm_callbacks import CALLBACKS
from decoders.interfaces.dscomm_objects import (
    BY_GUID,
    BY_PATH,
    GET_SECURITY,
    GIVEN,
    MOST_BYTES,
    OBJECT_GUID,
    OBJECT_TYPE,
)
from decoders.interfaces.mqds import SERVER_AUTH, SIGNED, optional_path, path
from decoders.interfaces.parameters import pointer, reference, value
from decoders.ndr.base_types import BOOL, GUID, HRESULT, UNSIGNED_CHAR, UNSIGNED_LONG, WCHAR
from decoders.ndr.model import (
    Array,
    ContextHandle,
    Direction,
    Interface,
    Member,
    Named,
    Operation,
    Parameter,
    Pointer,
    PointerKind,
    Scalar,
    String,
)
from decoders.registry import DSCOMM

BOUNDED_PROPERTIES = Scalar("BOUNDED_PROPERTIES", 4, range=(0, 128))
LPBOUNDED_PROPERTIES: Final = Pointer(BOUNDED_PROPERTIES, PointerKind.REF)
PCONTEXT_HANDLE_TYPE = ContextHandle("PCONTEXT_HANDLE_TYPE")
PPCONTEXT_HANDLE_TYPE: Final = Pointer(PCONTEXT_HANDLE_TYPE, PointerKind.REF, written=True)
PPCONTEXT_HANDLE_SERVER_AUTH_TYPE: Final = Pointer(mqds.PCONTEXT_HANDLE_SERVER_AUTH_TYPE, PointerKind.REF, written=True)

_IN: Final = Direction.IN
_OUT: Final = Direction.OUT
_IN_OUT: Final = Direction.IN | Direction.OUT
_UNIQUE: Final = PointerKind.UNIQUE
_CONTEXT: Final = value("dwContext", UNSIGNED_LONG)

INTERFACE: Final = Interface(
    **DSCOMM.identity,
    doc="Queue managers look up, create, change and delete objects of message queuing's directory.",
    operations=(
        *BY_PATH,
        Operation(
            6,
            "S_DSLookupBegin",
            (
                Parameter(_OUT, Member("pHandle", Named("PPCONTEXT_HANDLE_TYPE"))),
                optional_path(_UNIQUE, "pwcsContext", const=False),
                pointer(_IN, _UNIQUE, "pRestriction", mqds.MQRESTRICTION),
                pointer(_IN, PointerKind.REF, "pColumns", mqds.MQCOLUMNSET),
                pointer(_IN, _UNIQUE, "pSort", mqds.MQSORTSET),
                SERVER_AUTH,
            ),
            HRESULT,
            "3.1.4.17",
            "Begins a search of the directory.",
        ),
        Operation(
            7,
            "S_DSLookupNext",
            (
                value("Handle", PCONTEXT_HANDLE_TYPE),
                value("dwSize", Named("LPBOUNDED_PROPERTIES")),
                reference(_OUT, "dwOutSize", UNSIGNED_LONG),
                Parameter(
                    _OUT, Member("pbBuffer", Array(Named("PROPVARIANT"), size_is="*dwSize", length_is="*dwOutSize"))
                ),
                *SIGNED,
            ),
            HRESULT,
            "3.1.4.18",
            "Asks for the next results of a search.",
        ),
        Operation(
            8,
            "S_DSLookupEnd",
            (Parameter(_IN_OUT, Member("phContext", Named("PPCONTEXT_HANDLE_TYPE"))),),
            HRESULT,
            "3.1.4.19",
            "Ends a search.",
        ),
        *BY_GUID,
        Operation(
            19,
            "S_DSQMSetMachineProperties",
            (path(), *GIVEN, _CONTEXT),
            HRESULT,
            "3.1.4.16",
            "Changes properties of the queue manager's own object; obsolete.",
        ),
        Operation(
            20,
            "S_DSCreateServersCache",
            (
                reference(_IN_OUT, "pdwIndex", UNSIGNED_LONG),
                pointer(_IN_OUT, PointerKind.FULL, "lplpSiteServers", Pointer(String(WCHAR))),
                *SIGNED,
            ),
            HRESULT,
            "3.1.4.20",
            "Asks for the directory servers of one site after the other.",
        ),
        Operation(
            21,
            "S_DSQMGetObjectSecurity",
            (OBJECT_TYPE, OBJECT_GUID, *GET_SECURITY, _CONTEXT, *SIGNED),
            HRESULT,
            "3.1.4.15",
            "Asks for the security descriptor of a queue or of the queue manager's own object.",
        ),
        Operation(
            22,
            "S_DSValidateServer",
            (
                reference(_IN, "pguidEnterpriseId", GUID, const=True),
                value("fSetupMode", BOOL),
                _CONTEXT,
                value("dwClientBuffMaxSize", UNSIGNED_LONG, MOST_BYTES),
                reference(
                    _IN,
                    "pClientBuff",
                    Array(UNSIGNED_CHAR, size_is="dwClientBuffMaxSize", length_is="dwClientBuffSize"),
                ),
                value("dwClientBuffSize", UNSIGNED_LONG, MOST_BYTES),
                Parameter(_OUT, Member("pphServerAuth", Named("PPCONTEXT_HANDLE_SERVER_AUTH_TYPE"))),
            ),
            HRESULT,
            "3.1.4.2",
            "Lets the server prove who it is, before it is asked anything.",
        ),
        Operation(
            23,
            "S_DSCloseServerHandle",
            (Parameter(_IN_OUT, Member("pphServerAuth", Named("PPCONTEXT_HANDLE_SERVER_AUTH_TYPE"))),),
            HRESULT,
            "3.1.4.3",
            "Gives back what S_DSValidateServer returned.",
            takes_handle_t=False,
        ),
        Operation(
            27,
            "S_DSGetServerPort",
            (value("fIP", UNSIGNED_LONG, (0, 1)),),
            UNSIGNED_LONG,
            "3.1.4.1",
            "Asks for the port of this interface; 0 where there is none.",
            status="",
        ),
    ),
    types={
        **mqmq.TYPES,
        "MQPROPERTYRESTRICTION": mqds.MQPROPERTYRESTRICTION,
        "MQRESTRICTION": mqds.MQRESTRICTION,
        "MQCOLUMNSET": mqds.MQCOLUMNSET,
        "MQSORTKEY": mqds.MQSORTKEY,
        "MQSORTSET": mqds.MQSORTSET,
        "BOUNDED_SIGNATURE_SIZE": mqds.BOUNDED_SIGNATURE_SIZE,
        "LPBOUNDED_SIGNATURE_SIZE": mqds.LPBOUNDED_SIGNATURE_SIZE,
        "BOUNDED_PROPERTIES": BOUNDED_PROPERTIES,
        "LPBOUNDED_PROPERTIES": LPBOUNDED_PROPERTIES,
        "PCONTEXT_HANDLE_TYPE": PCONTEXT_HANDLE_TYPE,
        "PPCONTEXT_HANDLE_TYPE": PPCONTEXT_HANDLE_TYPE,
        "PCONTEXT_HANDLE_SERVER_AUTH_TYPE": mqds.PCONTEXT_HANDLE_SERVER_AUTH_TYPE,
        "PPCONTEXT_HANDLE_SERVER_AUTH_TYPE": PPCONTEXT_HANDLE_SERVER_AUTH_TYPE,
        "PCONTEXT_HANDLE_DELETE_TYPE": mqds.PCONTEXT_HANDLE_DELETE_TYPE,
        "PPCONTEXT_HANDLE_DELETE_TYPE": mqds.PPCONTEXT_HANDLE_DELETE_TYPE,
    },
    callbacks=CALLBACKS,
    constants=(*mqds.RELATIONS, *mqds.SORT_ORDERS),
)
