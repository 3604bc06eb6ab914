"""Every interface that is known: the one place that says what it is, who serves it and where it is described.

What is decoded of one is declared in `decoders/interfaces`; what makes a conversation ours is in `well_known`.
"""

from __future__ import annotations

import enum
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping


class Family(enum.Enum):
    ENDPOINT_MAPPER = enum.auto()
    MSMQ = enum.auto()
    DCOM_ACTIVATION = enum.auto()
    """The object resolver's: native RPC."""
    COM = enum.auto()
    """COM's own, which objects of any class have: they make no conversation ours."""
    MSMQ_COM = enum.auto()


_ORPC: Final = frozenset((Family.COM, Family.MSMQ_COM))
DCOM: Final = _ORPC | {Family.DCOM_ACTIVATION}


class Identity(TypedDict):
    """What a declaration of operations takes from here."""

    name: str
    uuid: str
    version: tuple[int, int]
    document: str
    base: str


class Registered(NamedTuple):
    uuid: str
    name: str
    version: tuple[int, int]
    family: Family
    document: str
    """Short name of the specification, e.g. `MS-MQQP`."""
    port: int = 0
    """Where its server listens by default; 0: nobody says so."""
    base: str = ""
    """Name of the interface whose operations come before its own; COM's begin with IUnknown."""
    served_as: str = ""
    """Role of a host that serves it, of table `hosts`."""
    called_as: str = ""
    """The same of a host that calls it."""
    reads: bool = False
    """Queues are opened and read by it."""
    judged: bool = False
    """Rules look at what its calls say; others are judged by how they are made only."""

    @property
    def is_com(self) -> bool:
        """Its calls go to objects, and their stubs begin with ORPCTHIS and ORPCTHAT: [MS-DCOM] 2.2.13."""
        return self.family in _ORPC

    @property
    def identity(self) -> Identity:
        return {
            "name": self.name,
            "uuid": self.uuid,
            "version": self.version,
            "document": self.document,
            "base": self.base,
        }


EPM: Final = Registered(
    "e1af8308-5d1f-11c9-91a4-08002b14a0fa", "epm", (3, 0), Family.ENDPOINT_MAPPER, "MS-RPCE", 135,
    served_as="endpoint_mapper",
)  # fmt: skip

# [MS-MQQP] 3.1.4.8, [MS-MQMP] 3.1.4.24, [MS-MQRR] 3.1.4.1; of the directory, KB 178517.
QM2QM: Final = Registered(
    "1088a980-eae5-11d0-8d9b-00a02453c337", "qm2qm", (1, 0), Family.MSMQ, "MS-MQQP", 2105,
    served_as="queue_server", called_as="remote_reader", reads=True, judged=True,
)  # fmt: skip
QMMGMT: Final = Registered(
    "41208ee0-e970-11d1-9b9e-00e02c064c39", "qmmgmt", (1, 0), Family.MSMQ, "MS-MQMR", 2103,
    served_as="management_server", called_as="management_client", judged=True,
)  # fmt: skip
QMCOMM: Final = Registered(
    "fdb3a030-065f-11d1-bb9b-00a024ea5525", "qmcomm", (1, 0), Family.MSMQ, "MS-MQMP", 2103,
    served_as="queue_server", called_as="application", reads=True, judged=True,
)  # fmt: skip
QMCOMM2: Final = Registered(
    "76d12b80-3467-11d3-91ff-0090272f9ea3", "qmcomm2", (1, 0), Family.MSMQ, "MS-MQMP", 2103,
    served_as="supporting_server", called_as="application", reads=True, judged=True,
)  # fmt: skip
REMOTE_READ: Final = Registered(
    "1a9134dd-7b39-45ba-ad88-44d01ca47f28", "RemoteRead", (1, 0), Family.MSMQ, "MS-MQRR", 2103,
    served_as="queue_server", called_as="remote_reader", reads=True, judged=True,
)  # fmt: skip
DSCOMM: Final = Registered(
    "77df7a80-f298-11d0-8358-00a024c480a8", "dscomm", (1, 0), Family.MSMQ, "MS-MQDS", 2101,
    served_as="directory_server", called_as="directory_client",
)  # fmt: skip
DSCOMM2: Final = Registered(
    "708cca10-9569-11d1-b2a5-0060977d8118", "dscomm2", (1, 0), Family.MSMQ, "MS-MQDS", 2101,
    served_as="directory_server", called_as="directory_client",
)  # fmt: skip

# [MS-DCOM] 1.9. The version of all of them is 0.0: [MS-DCOM] 2.1.
_DCOM_ACTIVATION: Final = {
    "4d9f4ab8-7d1c-11cf-861e-0020af6e7c57": "IActivation",
    "000001a0-0000-0000-c000-000000000046": "IRemoteSCMActivator",
    "99fcfec4-5260-101b-bbcb-00aa0021347a": "IObjectExporter",
}

# [MS-DCOM] 1.9, [MS-OAUT] 1.9, [MC-MQAC] section 6: name, base, document.
_COM: Final = {
    "00000001-0000-0000-c000-000000000046": ("IClassFactory", "IUnknown", "MS-DCOM"),
    "00000131-0000-0000-c000-000000000046": ("IRemUnknown", "IUnknown", "MS-DCOM"),
    "00000143-0000-0000-c000-000000000046": ("IRemUnknown2", "IRemUnknown", "MS-DCOM"),
    "00020400-0000-0000-c000-000000000046": ("IDispatch", "IUnknown", "MS-OAUT"),
    "00020401-0000-0000-c000-000000000046": ("ITypeInfo", "IUnknown", "MS-OAUT"),
    "00020404-0000-0000-c000-000000000046": ("IEnumVARIANT", "IUnknown", "MS-OAUT"),
    "0fb15084-af41-11ce-bd2b-204c4f4f5020": ("ITransaction", "IUnknown", "MC-MQAC"),
    "b196b284-bab4-101a-b69c-00aa00341d07": ("IConnectionPointContainer", "IUnknown", "MC-MQAC"),
    "b196b285-bab4-101a-b69c-00aa00341d07": ("IEnumConnectionPoints", "IUnknown", "MC-MQAC"),
    "b196b286-bab4-101a-b69c-00aa00341d07": ("IConnectionPoint", "IUnknown", "MC-MQAC"),
    "b196b287-bab4-101a-b69c-00aa00341d07": ("IEnumConnections", "IUnknown", "MC-MQAC"),
}
_JUDGED_DOCUMENTS: Final = frozenset(("MS-DCOM", "MS-OAUT"))

REMOTE_UNKNOWN: Final = "00000131-0000-0000-c000-000000000046"
"""IRemUnknown: every exporter has it."""

# [MC-MQAC] section 6: the COM objects an activation leads to.
_MSMQ_COM: Final = {
    "d7d6e085-dccd-11d0-aa4b-0060970debae": "IMSMQApplication",
    "12a30900-7300-11d2-b0e6-00e02c074f6b": "IMSMQApplication2",
    "eba96b1f-2168-11d3-898c-00e02c074f6b": "IMSMQApplication3",
    "be5f0241-e489-4957-8cc4-a452fcf3e23e": "IMSMQManagement",
    "7fbe7759-5760-444d-b8a5-5e7ab9a84cce": "IMSMQQueueManagement",
    "64c478fb-f9b0-4695-8a7f-439ac94326d3": "IMSMQOutgoingQueueManagement",
    "d7d6e083-dccd-11d0-aa4b-0060970debae": "IMSMQTransactionDispenser",
    "eba96b11-2168-11d3-898c-00e02c074f6b": "IMSMQTransactionDispenser2",
    "eba96b15-2168-11d3-898c-00e02c074f6b": "IMSMQTransactionDispenser3",
    "d7d6e081-dccd-11d0-aa4b-0060970debae": "IMSMQCoordinatedTransactionDispenser",
    "eba96b10-2168-11d3-898c-00e02c074f6b": "IMSMQCoordinatedTransactionDispenser2",
    "eba96b14-2168-11d3-898c-00e02c074f6b": "IMSMQCoordinatedTransactionDispenser3",
    "d7d6e07f-dccd-11d0-aa4b-0060970debae": "IMSMQTransaction",
    "2ce0c5b0-6e67-11d2-b0e6-00e02c074f6b": "IMSMQTransaction2",
    "eba96b13-2168-11d3-898c-00e02c074f6b": "IMSMQTransaction3",
    "d7d6e07b-dccd-11d0-aa4b-0060970debae": "IMSMQQueueInfo",
    "fd174a80-89cf-11d2-b0f2-00e02c074f6b": "IMSMQQueueInfo2",
    "eba96b1d-2168-11d3-898c-00e02c074f6b": "IMSMQQueueInfo3",
    "eba96b21-2168-11d3-898c-00e02c074f6b": "IMSMQQueueInfo4",
    "d7d6e076-dccd-11d0-aa4b-0060970debae": "IMSMQQueue",
    "ef0574e0-06d8-11d3-b100-00e02c074f6b": "IMSMQQueue2",
    "eba96b1b-2168-11d3-898c-00e02c074f6b": "IMSMQQueue3",
    "eba96b20-2168-11d3-898c-00e02c074f6b": "IMSMQQueue4",
    "eba96b16-2168-11d3-898c-00e02c074f6b": "IMSMQDestination",
    "eba96b17-2168-11d3-898c-00e02c074f6b": "IMSMQPrivateDestination",
    "d7d6e072-dccd-11d0-aa4b-0060970debae": "IMSMQQuery",
    "eba96b0e-2168-11d3-898c-00e02c074f6b": "IMSMQQuery2",
    "eba96b19-2168-11d3-898c-00e02c074f6b": "IMSMQQuery3",
    "eba96b24-2168-11d3-898c-00e02c074f6b": "IMSMQQuery4",
    "d7d6e07d-dccd-11d0-aa4b-0060970debae": "IMSMQQueueInfos",
    "eba96b0f-2168-11d3-898c-00e02c074f6b": "IMSMQQueueInfos2",
    "eba96b1e-2168-11d3-898c-00e02c074f6b": "IMSMQQueueInfos3",
    "eba96b22-2168-11d3-898c-00e02c074f6b": "IMSMQQueueInfos4",
    "0188ac2f-ecb3-4173-9779-635ca2039c72": "IMSMQCollection",
    "d7d6e077-dccd-11d0-aa4b-0060970debae": "IMSMQEvent",
    "eba96b12-2168-11d3-898c-00e02c074f6b": "IMSMQEvent2",
    "eba96b1c-2168-11d3-898c-00e02c074f6b": "IMSMQEvent3",
    "d7ab3341-c9d3-11d1-bb47-0080c7c5a2c0": "IMSMQPrivateEvent",
    "d7d6e078-dccd-11d0-aa4b-0060970debae": "_DMSMQEventEvents",
    "d7d6e074-dccd-11d0-aa4b-0060970debae": "IMSMQMessage",
    "d9933be0-a567-11d2-b0f3-00e02c074f6b": "IMSMQMessage2",
    "eba96b1a-2168-11d3-898c-00e02c074f6b": "IMSMQMessage3",
    "eba96b23-2168-11d3-898c-00e02c074f6b": "IMSMQMessage4",
}

# [MC-MQAC] section 6: all others begin with IDispatch.
_MSMQ_COM_BASES: Final = {
    "IMSMQApplication2": "IMSMQApplication",
    "IMSMQApplication3": "IMSMQApplication2",
    "IMSMQQueueManagement": "IMSMQManagement",
    "IMSMQOutgoingQueueManagement": "IMSMQManagement",
    "IMSMQTransaction2": "IMSMQTransaction",
    "IMSMQTransaction3": "IMSMQTransaction2",
    "IMSMQEvent2": "IMSMQEvent",
    "IMSMQEvent3": "IMSMQEvent2",
}


_SINK: Final = "_DMSMQEventEvents"
"""[MC-MQAC] 3.16.4.4: the client serves it, and is told of events."""


def _resolver(uuid: str, name: str) -> Registered:
    return Registered(uuid, name, (0, 0), Family.DCOM_ACTIVATION, "MS-DCOM", EPM.port, judged=True)


def _com(uuid: str, name: str, base: str, document: str) -> Registered:
    judged = document in _JUDGED_DOCUMENTS
    return Registered(uuid, name, (0, 0), Family.COM, document, base=base, judged=judged)


def _msmq_com(uuid: str, name: str) -> Registered:
    base = _MSMQ_COM_BASES.get(name, "IDispatch")
    roles = ("object_server", "object_client")
    served_as, called_as = reversed(roles) if name == _SINK else roles
    return Registered(
        uuid, name, (0, 0), Family.MSMQ_COM, "MC-MQAC", base=base, served_as=served_as, called_as=called_as
    )


REGISTRY: Final[Mapping[str, Registered]] = {
    one.uuid: one
    for one in (
        *(EPM, QM2QM, QMMGMT, QMCOMM, QMCOMM2, REMOTE_READ, DSCOMM, DSCOMM2),
        *(_resolver(uuid, name) for uuid, name in _DCOM_ACTIVATION.items()),
        *(_com(uuid, *said) for uuid, said in _COM.items()),
        *(_msmq_com(uuid, name) for uuid, name in _MSMQ_COM.items()),
    )
}
"""By UUID."""
BY_NAME: Final[Mapping[str, Registered]] = {one.name: one for one in REGISTRY.values()}


def registered(uuid: str, version: str) -> Registered | None:
    """What a UUID with a version, as in `1.0`, stands for.

    [C706] 6.1.2: another major version is another interface. It may have other operations under the same numbers.
    """
    found = REGISTRY.get(uuid)
    return found if found is not None and str(found.version[0]) == version.partition(".")[0] else None


@cache
def lineage(name: str) -> tuple[str, ...]:
    """The interface and those that it is derived from, itself first."""
    found = [name]
    while (known := BY_NAME.get(found[-1])) is not None and known.base:
        found.append(known.base)
    return tuple(found)
