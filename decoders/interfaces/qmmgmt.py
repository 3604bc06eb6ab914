"""qmmgmt, by which a queue manager and its queues are inspected and controlled: [MS-MQMR] section 6."""

from __future__ import annotations

from typing import Final

from decoders.interfaces import mqmq
from decoders.ndr.base_types import DWORD, HRESULT, ULONG, WCHAR
from decoders.ndr.model import (
    Arm,
    Array,
    Direction,
    Enum,
    Interface,
    Member,
    Named,
    Operation,
    Parameter,
    Pointer,
    PointerKind,
    String,
    Struct,
    Union,
)
from decoders.registry import QMMGMT

MgmtObjectType = Enum(
    "MgmtObjectType", (("MGMT_MACHINE", 1), ("MGMT_QUEUE", 2), ("MGMT_SESSION", 3)), tag="__MgmtObjectType"
)

MGMT_OBJECT = Struct(
    "MGMT_OBJECT",
    (
        Member("type", MgmtObjectType),
        Member(
            "",
            Union(
                "",
                MgmtObjectType,
                (
                    Arm((2,), Member("pQueueFormat", Pointer(mqmq.QUEUE_FORMAT)), ("MGMT_QUEUE",)),
                    Arm((1,), Member("Reserved1", DWORD), ("MGMT_MACHINE",)),
                    Arm((3,), Member("Reserved2", DWORD), ("MGMT_SESSION",)),
                ),
            ),
            switch_is="type",
        ),
    ),
    tag="_MGMT_OBJECT",
)

_OBJECT: Final = Parameter(Direction.IN, Member("pObjectFormat", Pointer(MGMT_OBJECT, PointerKind.REF)), const=True)

INTERFACE: Final = Interface(
    **QMMGMT.identity,
    doc="Inspects a queue manager or a queue, and pauses, resumes, tidies, connects or disconnects it.",
    operations=(
        Operation(
            0,
            "R_QMMgmtGetInfo",
            (
                _OBJECT,
                Parameter(Direction.IN, Member("cp", DWORD, range=(1, 128))),
                Parameter(Direction.IN, Member("aProp", Array(ULONG, size_is="cp"))),
                Parameter(Direction.IN | Direction.OUT, Member("apVar", Array(Named("PROPVARIANT"), size_is="cp"))),
            ),
            HRESULT,
            "3.1.4.1",
            "Asks for properties of the queue manager or of one queue.",
        ),
        Operation(
            1,
            "R_QMMgmtAction",
            (
                _OBJECT,
                # [MS-MQMR] 3.1.4.2 calls it a null-terminated string, its IDL does not.
                Parameter(
                    Direction.IN,
                    Member("lpwszAction", Pointer(String(WCHAR, written=False), PointerKind.REF)),
                    const=True,
                ),
            ),
            HRESULT,
            "3.1.4.2",
            "Tells the queue manager to do something to itself or to one queue.",
        ),
    ),
    types={**mqmq.TYPES, "MgmtObjectType": MgmtObjectType, "MGMT_OBJECT": MGMT_OBJECT},
)
