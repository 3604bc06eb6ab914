"""What an activation asks and answers, as the IDL of [MS-DCOM] section 6 declares it: 2.2.22.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.dcom.types import CLSID, COMVERSION, DUALSTRINGARRAY, IID, IPID, OXID, MInterfacePointer
from decoders.ndr.base_types import DWORD, GUID, HRESULT, LONG, UNSIGNED_LONG, UNSIGNED_SHORT, WCHAR
from decoders.ndr.model import Array, Member, Pointer, Scalar, String, Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Type

MAX_REQUESTED: Final = 0x8000
"""MAX_REQUESTED_INTERFACES and MAX_REQUESTED_PROTSEQS: 2.2.28.1."""
_INTERFACES: Final = (1, MAX_REQUESTED)
_PROTSEQS: Final = (0, MAX_REQUESTED)
UNSIGNED_INT64 = Scalar("unsigned __int64", 8)


def _text(name: str) -> Member:
    return Member(name, Pointer(String(WCHAR)))


def _reserved(name: str = "pdwReserved") -> Member:
    return Member(name, Pointer(DWORD))


COSERVERINFO = Struct(
    "COSERVERINFO",
    (Member("dwReserved1", DWORD), _text("pwszName"), _reserved(), Member("dwReserved2", DWORD)),
    tag="_COSERVERINFO",
)

REMOTE_REQUEST_SCM_INFO = Struct(
    "customREMOTE_REQUEST_SCM_INFO",
    (
        Member("ClientImpLevel", DWORD),
        Member("cRequestedProtseqs", UNSIGNED_SHORT, range=_PROTSEQS),
        Member("pRequestedProtseqs", Pointer(Array(UNSIGNED_SHORT, size_is="cRequestedProtseqs"))),
    ),
    tag="_customREMOTE_REQUEST_SCM_INFO",
)

REMOTE_REPLY_SCM_INFO = Struct(
    "customREMOTE_REPLY_SCM_INFO",
    (
        Member("Oxid", OXID),
        Member("pdsaOxidBindings", Pointer(DUALSTRINGARRAY)),
        Member("ipidRemUnknown", IPID),
        Member("authnHint", DWORD),
        Member("serverVersion", COMVERSION),
    ),
    tag="_customREMOTE_REPLY_SCM_INFO",
)

InstantiationInfoData = Struct(
    "InstantiationInfoData",
    (
        Member("classId", CLSID),
        Member("classCtx", DWORD),
        Member("actvflags", DWORD),
        Member("fIsSurrogate", LONG),
        Member("cIID", DWORD, range=_INTERFACES),
        Member("instFlag", DWORD),
        Member("pIID", Pointer(Array(IID, size_is="cIID"))),
        Member("thisSize", DWORD),
        Member("clientCOMVersion", COMVERSION),
    ),
    tag="tagInstantiationInfoData",
)

LocationInfoData = Struct(
    "LocationInfoData",
    (
        _text("machineName"),
        Member("processId", DWORD),
        Member("apartmentId", DWORD),
        Member("contextId", DWORD),
    ),
    tag="tagLocationInfoData",
)

ActivationContextInfoData = Struct(
    "ActivationContextInfoData",
    (
        Member("clientOK", LONG),
        Member("bReserved1", LONG),
        Member("dwReserved1", DWORD),
        Member("dwReserved2", DWORD),
        Member("pIFDClientCtx", Pointer(MInterfacePointer)),
        Member("pIFDPrototypeCtx", Pointer(MInterfacePointer)),
    ),
    tag="tagActivationContextInfoData",
)

CustomHeader = Struct(
    "CustomHeader",
    (
        Member("totalSize", DWORD),
        Member("headerSize", DWORD),
        Member("dwReserved", DWORD),
        Member("destCtx", DWORD),
        Member("cIfs", DWORD, range=(1, 10)),
        Member("classInfoClsid", CLSID),
        Member("pclsid", Pointer(Array(CLSID, size_is="cIfs"))),
        Member("pSizes", Pointer(Array(DWORD, size_is="cIfs"))),
        _reserved(),
    ),
    tag="tagCustomHeader",
)

PropsOutInfo = Struct(
    "PropsOutInfo",
    (
        Member("cIfs", DWORD, range=_INTERFACES),
        Member("piid", Pointer(Array(IID, size_is="cIfs"))),
        Member("phresults", Pointer(Array(HRESULT, size_is="cIfs"))),
        Member("ppIntfData", Pointer(Array(Pointer(MInterfacePointer), size_is="cIfs"))),
    ),
    tag="tagPropsOutInfo",
)

SecurityInfoData = Struct(
    "SecurityInfoData",
    (Member("dwAuthnFlags", DWORD), Member("pServerInfo", Pointer(COSERVERINFO)), _reserved()),
    tag="tagSecurityInfoData",
)

ScmRequestInfoData = Struct(
    "ScmRequestInfoData",
    (_reserved(), Member("remoteRequest", Pointer(REMOTE_REQUEST_SCM_INFO))),
    tag="tagScmRequestInfoData",
)

ScmReplyInfoData = Struct(
    "ScmReplyInfoData",
    (_reserved(), Member("remoteReply", Pointer(REMOTE_REPLY_SCM_INFO))),
    tag="tagScmReplyInfoData",
)

InstanceInfoData = Struct(
    "InstanceInfoData",
    (
        _text("fileName"),
        Member("mode", DWORD),
        Member("ifdROT", Pointer(MInterfacePointer)),
        Member("ifdStg", Pointer(MInterfacePointer)),
    ),
    tag="tagInstanceInfoData",
)

_SPECIAL: Final = (
    Member("dwSessionId", UNSIGNED_LONG),
    Member("fRemoteThisSessionId", LONG),
    Member("fClientImpersonating", LONG),
    Member("fPartitionIDPresent", LONG),
    Member("dwDefaultAuthnLvl", DWORD),
    Member("guidPartition", GUID),
    Member("dwPRTFlags", DWORD),
    Member("dwOrigClsctx", DWORD),
    Member("dwFlags", DWORD),
)
SpecialPropertiesData = Struct(
    "SpecialPropertiesData",
    (
        *_SPECIAL,
        Member("Reserved1", DWORD),
        Member("Reserved2", UNSIGNED_INT64),
        Member("Reserved3", Array(DWORD, bound=5)),
    ),
    tag="tagSpecialPropertiesData",
)
SpecialPropertiesData_Alternate = Struct(
    "SpecialPropertiesData_Alternate",
    (*_SPECIAL, Member("Reserved3", Array(DWORD, bound=8))),
    tag="tagSpecialPropertiesData_Alternate",
)
ALTERNATE_BYTES: Final = 80
"""ObjectBufferLength of the alternate form; the other takes 88."""

_DECLARED: Final = (
    *(COSERVERINFO, REMOTE_REQUEST_SCM_INFO, REMOTE_REPLY_SCM_INFO, InstantiationInfoData),
    *(LocationInfoData, ActivationContextInfoData, CustomHeader, PropsOutInfo, SecurityInfoData, ScmRequestInfoData),
    *(ScmReplyInfoData, InstanceInfoData, SpecialPropertiesData, SpecialPropertiesData_Alternate),
)
TYPES: Final[Mapping[str, Type]] = {declared.name: declared for declared in _DECLARED}
"""In the document's order."""


class Property(NamedTuple):
    name: str
    declared: Struct


PROPERTIES: Final[Mapping[str, Property]] = {
    f"{first}-0000-0000-c000-000000000046": Property(name, declared)
    for first, name, declared in (
        ("000001b9", "SpecialSystemProperties", SpecialPropertiesData),
        ("000001ab", "InstantiationInfo", InstantiationInfoData),
        ("000001a5", "ActivationContextInfo", ActivationContextInfoData),
        ("000001a6", "SecurityInfo", SecurityInfoData),
        ("000001a4", "ServerLocationInfo", LocationInfoData),
        ("000001aa", "ScmRequestInfo", ScmRequestInfoData),
        ("000001ad", "InstanceInfo", InstanceInfoData),
        ("000001b6", "ScmReplyInfo", ScmReplyInfoData),
        ("00000339", "PropsOutInfo", PropsOutInfo),
    )
}
"""By CLSID: [MS-DCOM] 1.9."""
