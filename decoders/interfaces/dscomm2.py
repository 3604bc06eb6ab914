"""dscomm2, what Windows 2000 added to dscomm: [MS-MQDS] section 6."""

from __future__ import annotations

from typing import Final

from decoders.interfaces import mqds, mqmq
from decoders.interfaces.mqds import OBJECT_TYPES, SERVER_AUTH, SIGNED, optional_path, path, properties
from decoders.interfaces.parameters import pointer, reference, value
from decoders.ndr.base_types import DWORD, GUID, HRESULT, LONG, WCHAR
from decoders.ndr.model import (
    Array,
    Direction,
    Interface,
    Member,
    Named,
    Operation,
    Parameter,
    Pointer,
    PointerKind,
    String,
)
from decoders.registry import DSCOMM2

_OUT: Final = Direction.OUT
_IN_OUT: Final = Direction.IN | Direction.OUT
_TYPE: Final = value("dwObjectType", DWORD, OBJECT_TYPES)
_ASKED: Final = properties(DWORD, mqmq.PROPID, _IN_OUT)
_SITES: Final = "*pdwNumberOfSites"

INTERFACE: Final = Interface(
    **DSCOMM2.identity,
    doc="More questions to the directory: sites, extended properties, global catalogs; and notes on deletion.",
    operations=(
        Operation(
            0,
            "S_DSGetComputerSites",
            (
                optional_path(PointerKind.UNIQUE),
                reference(_OUT, "pdwNumberOfSites", DWORD),
                reference(_OUT, "ppguidSites", Pointer(Array(GUID, size_is=_SITES, length_is=_SITES))),
                *SIGNED,
            ),
            HRESULT,
            "3.3.4.1",
            "Asks for the sites that a computer belongs to.",
        ),
        Operation(
            1,
            "S_DSGetPropsEx",
            (_TYPE, path(), *_ASKED, *SIGNED),
            HRESULT,
            "3.3.4.2",
            "Asks for extended properties of an object by its path.",
        ),
        Operation(
            2,
            "S_DSGetPropsGuidEx",
            (_TYPE, pointer(Direction.IN, PointerKind.UNIQUE, "pGuid", GUID, const=True), *_ASKED, *SIGNED),
            HRESULT,
            "3.3.4.3",
            "Asks for extended properties of an object by its GUID.",
        ),
        Operation(
            3,
            "S_DSBeginDeleteNotification",
            (path(), Parameter(_OUT, Member("pHandle", Named("PPCONTEXT_HANDLE_DELETE_TYPE"))), SERVER_AUTH),
            HRESULT,
            "3.3.4.4",
            "Announces that a queue or a machine is about to be deleted.",
        ),
        Operation(
            4,
            "S_DSNotifyDelete",
            (value("Handle", mqds.PCONTEXT_HANDLE_DELETE_TYPE),),
            HRESULT,
            "3.3.4.5",
            "Says that what was announced has been deleted.",
        ),
        Operation(
            5,
            "S_DSEndDeleteNotification",
            (Parameter(_IN_OUT, Member("pHandle", Named("PPCONTEXT_HANDLE_DELETE_TYPE"))),),
            None,
            "3.3.4.6",
            "Ends what S_DSBeginDeleteNotification began.",
            status="",
        ),
        Operation(6, "S_DSIsServerGC", (), LONG, "3.3.4.7", "Asks whether the server is a global catalog.", status=""),
        Operation(
            8,
            "S_DSGetGCListInDomain",
            (
                optional_path(PointerKind.FULL, "lpwszComputerName"),
                optional_path(PointerKind.FULL, "lpwszDomainName"),
                reference(_OUT, "lplpwszGCList", Pointer(String(WCHAR))),
                *SIGNED,
            ),
            HRESULT,
            "3.3.4.8",
            "Asks for the global catalogs of a domain.",
        ),
    ),
    types={
        **mqmq.TYPES,
        "BOUNDED_SIGNATURE_SIZE": mqds.BOUNDED_SIGNATURE_SIZE,
        "LPBOUNDED_SIGNATURE_SIZE": mqds.LPBOUNDED_SIGNATURE_SIZE,
        "PCONTEXT_HANDLE_SERVER_AUTH_TYPE": mqds.PCONTEXT_HANDLE_SERVER_AUTH_TYPE,
        "PCONTEXT_HANDLE_DELETE_TYPE": mqds.PCONTEXT_HANDLE_DELETE_TYPE,
        "PPCONTEXT_HANDLE_DELETE_TYPE": mqds.PPCONTEXT_HANDLE_DELETE_TYPE,
    },
)
