"""What scripts say in errands of one object: members in their order, which their revision may lack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.conforming import mqac_values as v
from tests.conforming.mqac_queue import PEEK, RECEIVE, SEND
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.conforming.transport import Values

    Saying = Sequence[tuple[str, Values]]

GUID: Final = text("{8f2d1c44-2d6b-4f0a-9a55-1d2c3b4a5968}")
_SEVERAL: Final = text("DIRECT=HTTP://far1/msmq/private$/sink")
_FAR: Final = text("far1")


def with_(member: str, **values: Any) -> tuple[str, Values]:  # noqa: ANN401 - as scripts write them
    return member, values


ALONE: Final[Mapping[str, tuple[str, Saying]]] = {
    "unimplemented": ("MSMQMessage", [with_("get_Properties")]),
    "security": ("MSMQQueueInfo", [with_("get_Security")]),
    "empty transaction": ("MSMQTransaction", [with_("Commit"), with_("Abort")]),
    "no source": ("MSMQTransaction", [with_("InitNew", varTransaction=text("none"))]),
    "other machine": (
        "MSMQApplication",
        [
            with_("put_Machine", bstrMachine=_FAR),
            with_("get_Machine"),
            with_("get_MSMQVersionMajor"),
            with_("RegisterCertificate", Flags=1),
        ],
    ),
    "certificates": (
        "MSMQApplication",
        [
            with_("RegisterCertificate", Flags=1),
            with_("RegisterCertificate", Flags=2, ExternalCertificate=v.octets(b"cert")),
        ],
    ),
    "machine": (
        "MSMQApplication",
        [
            with_("MachineIdOfMachineName", MachineName=text("srv0")),
            with_("get_PrivateQueues"),
            with_("get_DirectoryServiceServer"),
        ],
    ),
    "init in vain": (
        "MSMQManagement",
        [with_("Init", FormatName=text("DIRECT=OS:nowhere\\private$\\none")), with_("get_MessageCount")],
    ),
    "init of two": (
        "MSMQManagement",
        [with_("Init", Pathname=text("a\\private$\\b"), FormatName=text("DIRECT=OS:a\\private$\\b"))],
    ),
    "nameless": ("MSMQQueueInfo", [with_("get_Label"), with_("get_Quota")]),
    "several": ("MSMQQueueInfo", [with_("put_FormatName", bstrFormatName=_SEVERAL), with_("Refresh"), with_("Update")]),
    "several to read": (
        "MSMQQueueInfo",
        [with_("put_FormatName", bstrFormatName=_SEVERAL), with_("Open", Access=RECEIVE, ShareMode=0)],
    ),
    "no computer": ("MSMQQueueInfo", [with_("put_PathName", bstrPathName=text("\\private$\\x")), with_("Refresh")]),
    "priority": (
        "MSMQQueueInfo",
        [
            with_("put_FormatName", bstrFormatName=text("PUBLIC=8f2d1c44-2d6b-4f0a-9a55-1d2c3b4a5968")),
            with_("put_BasePriority", lBasePriority=40_000),
            with_("put_BasePriority", lBasePriority=12),
        ],
    ),
    "blank queue": ("MSMQQueue", [with_("Peek", ReceiveTimeout=0), with_("Reset")]),
    "values": (
        "MSMQMessage",
        [
            with_("put_PrivLevel", lPrivLevel=2),
            with_("put_AuthLevel", lAuthLevel=3),
            with_("put_Delivery", lDelivery=7),
            with_("put_Trace", lTrace=5),
            with_("put_Priority", lPriority=9),
            with_("put_Journal", lJournal=4),
            with_("put_Ack", lAck=0x40),
            with_("put_Label", bstrLabel=text("l" * 300)),
            with_("put_Body", varBody="[10, 5]"),
        ],
    ),
    "kept": (
        "MSMQMessage",
        [
            with_("put_Label", bstrLabel=text("once")),
            with_("put_Priority", lPriority=5),
            with_("put_ConnectorTypeGuid", bstrGuidConnectorType=GUID),
            with_("get_Label"),
            with_("get_Priority"),
            with_("get_ConnectorTypeGuid"),
        ],
    ),
    "to nobody": ("MSMQMessage", [with_("put_Label", bstrLabel=text("lost")), with_("Send")]),
    "results of nothing": ("MSMQQueueInfos", [with_("Reset"), with_("Next")]),
    "collection": ("MSMQCollection", [with_("get_Count"), with_("Item", Index=text("SeqID"))]),
}
"""What is said to an object that is activated for it."""
OPENED: Final[Mapping[str, tuple[int, Saying]]] = {
    "receive to peek": (PEEK, [with_("Receive", ReceiveTimeout=0, Transaction=0), with_("Purge")]),
    "peek to send": (SEND, [with_("Peek", ReceiveTimeout=0), with_("PeekCurrent", ReceiveTimeout=0)]),
    "lookup of zero": (PEEK, [with_("PeekByLookupId", LookupId="[VT_UI8, 0]")]),
    "next of reset": (PEEK, [with_("Reset"), with_("PeekNext", ReceiveTimeout=0)]),
    "how opened": (PEEK, [with_("get_ShareMode"), with_("get_Access"), with_("get_IsOpen")]),
    "patient": (PEEK, [with_("Peek", ReceiveTimeout=30_000)]),
    "no event": (PEEK, [with_("EnableNotification", ReceiveTimeout=0)]),
}
"""What is said to an open queue."""
UNNAMED: Final[Mapping[str, tuple[str, Saying]]] = {
    "created without a name": ("MSMQQueueInfo", [with_("put_Label", bstrLabel=text("new")), with_("Create")]),
    "opened without a name": (
        "MSMQQueueInfo",
        [with_("put_Label", bstrLabel=text("new")), with_("Update"), with_("Refresh")],
    ),
}
"""What no client that keeps to the documents does: 3.10.3."""
