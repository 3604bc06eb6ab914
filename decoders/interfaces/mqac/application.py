"""IMSMQApplication: [MC-MQAC] 3.2. A queue manager: what it holds, whether it is connected, and certificates."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqac.enumerations import MQCERT_REGISTER
from decoders.interfaces.mqac.slots import (
    BSTR,
    VARIANT,
    derived,
    get,
    gives,
    gives_object,
    method,
    optional,
    put,
    takes,
)
from decoders.ndr.base_types import SHORT
from decoders.oaut.types import VARIANT_BOOL

_DOC: Final = "A queue manager: describes, connects and disconnects it."
_MACHINE: Final = "the computer of the queue manager"

INTERFACES: Final = (
    derived(
        "IMSMQApplication",
        "3.2.4.1",
        (
            method(
                "MachineIdOfMachineName",
                (takes("MachineName", BSTR), gives("pbstrGuid", BSTR)),
                "Asks for a queue manager's GUID by its computer's name.",
            ),
        ),
        _DOC,
    ),
    derived(
        "IMSMQApplication2",
        "3.2.4.2",
        (
            method(
                "RegisterCertificate",
                (optional("Flags", MQCERT_REGISTER), optional("ExternalCertificate")),
                "Registers a certificate of the user in the directory.",
            ),
            method(
                "MachineNameOfMachineId",
                (takes("bstrGuid", BSTR), gives("pbstrMachineName", BSTR)),
                "Asks for a computer's name by its queue manager's GUID.",
            ),
            get("MSMQVersionMajor", 1, gives("psMSMQVersionMajor", SHORT), "the major version"),
            get("MSMQVersionMinor", 2, gives("psMSMQVersionMinor", SHORT), "the minor version"),
            get("MSMQVersionBuild", 3, gives("psMSMQVersionBuild", SHORT), "the build"),
            get("IsDsEnabled", 4, gives("pfIsDsEnabled", VARIANT_BOOL), "whether it uses a directory"),
            get(
                "Properties",
                0,
                gives_object("ppcolProperties", "IDispatch"),
                "a collection of properties, which nobody implements",
            ),
        ),
        _DOC,
        8,
    ),
    derived(
        "IMSMQApplication3",
        "3.2.4.3",
        (
            method(
                "ActiveQueues",
                (gives("pvActiveQueues", VARIANT),),
                "Gets the format names of all active queues.",
                dispid=5,
            ),
            get("PrivateQueues", 6, gives("pvPrivateQueues", VARIANT), "the path names of all private queues"),
            get("DirectoryServiceServer", 7, gives("pbstrDirectoryServiceServer", BSTR), "the directory server"),
            get("IsConnected", 8, gives("pfIsConnected", VARIANT_BOOL), "whether it is connected to the network"),
            get("BytesInAllQueues", 9, gives("pvBytesInAllQueues", VARIANT), "how many bytes all queues hold"),
            put("Machine", 10, takes("bstrMachine", BSTR), _MACHINE),
            get("Machine", 10, gives("pbstrMachine", BSTR), _MACHINE),
            method("Connect", (), "Connects the queue manager to the network and the directory."),
            method("Disconnect", (), "Disconnects the queue manager from the network and the directory."),
            method("Tidy", (), "Frees what the queue manager does not use."),
        ),
        _DOC,
        15,
    ),
)
