"""Names of COM classes and interfaces by UUID. One that nobody listed has no name, never a wrong one."""

from __future__ import annotations

from typing import Final

from decoders.registry import BY_NAME, REGISTRY

MSMQ_CLASSES: Final = {
    "d7d6e073-dccd-11d0-aa4b-0060970debae": "MSMQQuery",
    "d7d6e075-dccd-11d0-aa4b-0060970debae": "MSMQMessage",
    "d7d6e079-dccd-11d0-aa4b-0060970debae": "MSMQQueue",
    "d7d6e07a-dccd-11d0-aa4b-0060970debae": "MSMQEvent",
    "d7d6e07c-dccd-11d0-aa4b-0060970debae": "MSMQQueueInfo",
    "d7d6e07e-dccd-11d0-aa4b-0060970debae": "MSMQQueueInfos",
    "d7d6e080-dccd-11d0-aa4b-0060970debae": "MSMQTransaction",
    "d7d6e082-dccd-11d0-aa4b-0060970debae": "MSMQCoordinatedTransactionDispenser",
    "d7d6e084-dccd-11d0-aa4b-0060970debae": "MSMQTransactionDispenser",
    "d7d6e086-dccd-11d0-aa4b-0060970debae": "MSMQApplication",
    "eba96b18-2168-11d3-898c-00e02c074f6b": "MSMQDestination",
    "f72b9031-2f0c-43e8-924e-e6052cdc493f": "MSMQCollection",
    "39ce96fe-f4c5-4484-a143-4c2d5d324229": "MSMQManagement",
    "0188401c-247a-4fed-99c6-bf14119d7055": "MSMQOutgoingQueueManagement",
    "33b6d07e-f27d-42fa-b2d7-bf82e11e9374": "MSMQQueueManagement",
}
"""[MC-MQAC] section 6."""
MSMQ_DEFAULT: Final = {clsid: BY_NAME[f"I{name}"].uuid for clsid, name in MSMQ_CLASSES.items()}
"""The first interface of each class."""

REMOTE_EXECUTION_CLASSES: Final = {
    "49b2791a-b1ae-4c90-9b8e-e860ba07f889": "MMC20.Application",
    "9ba05972-f6a8-11cf-a442-00a0c90a8f39": "ShellWindows",
    "c08afd90-f2a1-11d1-8455-00a0c91f3880": "ShellBrowserWindow",
    "00024500-0000-0000-c000-000000000046": "Excel.Application",
    # Class InternetExplorer of the type library eab22ac0-30c1-11cf-a7eb-0000c05bae0b; activated in a public capture of
    # an attack by a library of Internet Explorer.
    "0002df01-0000-0000-c000-000000000046": "InternetExplorer.Application",
    "8bc3f05e-d86b-11d0-a075-00c04fb68820": "WbemLevel1Login",
}
"""Classes that run commands or code for whoever may activate them."""

_OTHER_CLASSES: Final = {
    "4590f812-1d3a-11d0-891f-00aa004b2e24": "WbemClassObject",
    "c49e32c6-bc8b-11d2-85d4-00105a1f8304": "WbemBackupRestore",
    "4e14fba2-2e22-11d1-9964-00c04fbbb345": "EventSystem",
    "cdbec9c0-7a68-11d1-88f9-0080c7d771bf": "EventClass",
    "7542e960-79c7-11d1-88f9-0080c7d771bf": "EventSubscription",
    "0b5a2c52-3eb9-470a-96e2-6c6d4570e40f": "ShadowCopyProvider",
    "7d1933cb-86f6-4a98-8628-01be94c9a575": "VirtualDiskService",
    # Unmarshalers: [MS-OAUT] 1.9, which gives RecordInfo's number to its interface as well, and [MS-DCOM] 1.9.
    "0000002f-0000-0000-c000-000000000046": "RecordInfo",
    "0000031b-0000-0000-c000-000000000046": "ErrorObject",
    "00000338-0000-0000-c000-000000000046": "ActivationPropertiesIn",
    "00000339-0000-0000-c000-000000000046": "ActivationPropertiesOut",
    "0000033b-0000-0000-c000-000000000046": "ContextMarshaler",
}

CLASSES: Final = MSMQ_CLASSES | REMOTE_EXECUTION_CLASSES | _OTHER_CLASSES

COM_INTERFACES: Final = {
    # [MS-DCOM] 1.9
    "00000000-0000-0000-c000-000000000046": "IUnknown",
    "000001a2-0000-0000-c000-000000000046": "IActivationPropertiesIn",
    "000001a3-0000-0000-c000-000000000046": "IActivationPropertiesOut",
    "000001c0-0000-0000-c000-000000000046": "IContext",
    # [MS-OAUT] 1.9
    "0000002f-0000-0000-c000-000000000046": "IRecordInfo",
    "00020402-0000-0000-c000-000000000046": "ITypeLib",
    "00020403-0000-0000-c000-000000000046": "ITypeComp",
    "00020411-0000-0000-c000-000000000046": "ITypeLib2",
    "00020412-0000-0000-c000-000000000046": "ITypeInfo2",
    # As Wireshark has it.
    "b196b283-bab4-101a-b69c-00aa00341d07": "IProvideClassInfo",
    # Those of WMI, as impacket has them.
    "f309ad18-d86a-11d0-a075-00c04fb68820": "IWbemLevel1Login",
    "d4781cd6-e5d3-44df-ad94-930efe48a887": "IWbemLoginClientID",
    "541679ab-2e5f-11d3-b34e-00104bcc4b4a": "IWbemLoginHelper",
    "9556dc99-828c-11cf-a37e-00aa003240c7": "IWbemServices",
    "c49e32c7-bc8b-11d2-85d4-00105a1f8304": "IWbemBackupRestore",
    "a359dec5-e813-4834-8a2a-ba7f1d777d76": "IWbemBackupRestoreEx",
    "dc12a681-737f-11cf-884d-00aa004b2e24": "IWbemClassObject",
    "44aca674-e8fc-11d0-a07c-00c04fb68820": "IWbemContext",
    "027947e1-d731-11ce-a357-000000000001": "IEnumWbemClassObject",
    "44aca675-e8fc-11d0-a07c-00c04fb68820": "IWbemCallResult",
    "1c1c45ee-4395-11d2-b60b-00104b703efd": "IWbemFetchSmartEnum",
    "423ec01e-2e35-11d2-b604-00104b703efd": "IWbemWCOSmartEnum",
}
"""Those that are decoded, MSMQ's own and those of activation are in the registry."""


def class_name(clsid: str) -> str | None:
    return CLASSES.get(clsid)


def com_interface_name(iid: str) -> str | None:
    found = COM_INTERFACES.get(iid)
    if found is None and iid in REGISTRY:
        return REGISTRY[iid].name
    return found
