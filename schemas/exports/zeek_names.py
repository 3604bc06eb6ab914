"""Zeek's names of interfaces other than MSMQ's, for runs with --scope rpc: those that rules for dce_rpc.log ask for.

Opnums are those of [MS-SCMR] 3.1.4, [MS-TSCH] 3.2.5, [MS-RPRN] 3.1.4, [MS-PAR] 3.1.4, [MS-SAMR] 3.1.5, [MS-LSAT] 3.1.4,
[MS-DRSR] 4.1, [MS-EFSR] 3.1.4, [MS-WMI] 3.1.4, [MS-RSP] 3.1.4 and [MS-EVEN] 3.1.4; some names are shorter in Zeek.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Named(NamedTuple):
    endpoint: str
    operations: dict[int, str]


_EFS: Final = Named(
    "efsrpc",
    dict(
        enumerate(
            (
                *("EfsRpcOpenFileRaw", "EfsRpcReadFileRaw", "EfsRpcWriteFileRaw", "EfsRpcCloseRaw"),
                *("EfsRpcEncryptFileSrv", "EfsRpcDecryptFileSrv", "EfsRpcQueryUsersOnFile"),
                *("EfsRpcQueryRecoveryAgents", "EfsRpcRemoveUsersFromFile", "EfsRpcAddUsersToFile"),
            )
        )
    ),
)
OTHERS: Final = {
    "367abb81-9844-35f1-ad32-98f038001003": Named(
        "svcctl", {12: "CreateServiceW", 19: "StartServiceW", 24: "CreateServiceA", 31: "StartServiceA"}
    ),
    "86d35949-83c9-4044-b424-db363231fd0c": Named(
        "ITaskSchedulerService", {1: "SchRpcRegisterTask", 12: "SchRpcRun", 13: "SchRpcDelete", 19: "SchRpcEnableTask"}
    ),
    "1ff70682-0a51-30e8-076d-740be8cee98b": Named("atsvc", {0: "NetrJobAdd", 1: "NetrJobDel", 2: "NetrJobEnum"}),
    "9556dc99-828c-11cf-a37e-00aa003240c7": Named(
        "IWbemServices", {20: "ExecQuery", 24: "ExecMethod", 25: "ExecMethodAsync"}
    ),
    "12345678-1234-abcd-ef00-0123456789ab": Named(
        "spoolss",
        {9: "RpcAddPrinterDriver", 14: "RpcAddPrintProcessor", 46: "RpcAddMonitor", 89: "RpcAddPrinterDriverEx"},
    ),
    "76f03f96-cdfd-44fc-a22c-64950a001209": Named(
        "IRemoteWinspool",
        {
            39: "RpcAsyncAddPrinterDriver",
            44: "RpcAsyncAddPrintProcessor",
            51: "RpcAsyncAddMonitor",
            62: "RpcAsyncInstallPrinterDriverFromPackage",
        },
    ),
    "12b81e99-f207-4a4c-85d3-77b42f76fd14": Named("ISeclogon", {}),
    "12345778-1234-abcd-ef00-0123456789ac": Named(
        "samr",
        {
            3: "SamrQuerySecurityObject",
            6: "SamrEnumerateDomainsInSamServer",
            17: "SamrLookupNamesInDomain",
            18: "SamrLookupIdsInDomain",
            20: "SamrQueryInformationGroup",
            39: "SamrGetGroupsForUser",
        },
    ),
    "12345778-1234-abcd-ef00-0123456789ab": Named("lsarpc", {68: "LsarLookupNames3", 76: "LsarLookupSids3"}),
    "e3514235-4b06-11d1-ab04-00c04fc2dcd2": Named("drsuapi", {2: "DRSReplicaSync", 3: "DRSGetNCChanges"}),
    "894de0c0-0d55-11d3-a322-00c04fa321a1": Named(
        "InitShutdown", {0: "BaseInitiateShutdown", 1: "BaseAbortShutdown", 2: "BaseInitiateShutdownEx"}
    ),
    "82273fdc-e32a-18c3-3f78-827929dc23ea": Named("eventlog", {0: "ElfrClearELFW"}),
    "c681d488-d850-11d0-8c52-00c04fd90f7e": _EFS,
    "df1941c5-fe89-4e79-bf10-463657acf44d": _EFS,
}
