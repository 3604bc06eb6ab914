"""[MC-MQAC] 3.1.4.3 and what no server implements: how any method answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces.mqac.members import Meaning
from decoders.ndr.model import MemberKind
from pipelines.facts.reasons import Reason
from pipelines.rules.model import RESPONSE, Broken, Level
from pipelines.rules.mqac.demands import (
    E_NOTIMPL,
    MQ_ERROR_INVALID_HANDLE,
    OLE_E_BLANK,
    Demand,
    answered,
    gets,
    is_below,
    is_failure,
    methods,
    of_server,
    puts,
    refused,
)
from pipelines.rules.mqac.every_member import EVERY

if TYPE_CHECKING:
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_S_FALSE: Final = 1
_CERTIFICATE_THERE: Final = 0x400E_000A
_OTHER_SUCCESS: Final = {
    **dict.fromkeys(methods("MSMQDestination", "Open", "Close"), _S_FALSE),
    **dict.fromkeys(methods("MSMQApplication", "RegisterCertificate"), _CERTIFICATE_THERE),
}
"""3.12.4.1.1, 3.12.4.1.2, 3.2.4.2.1: the methods that have one."""
_CLASSES_WITH_PROPERTIES: Final = (
    "MSMQApplication",
    "MSMQTransactionDispenser",
    "MSMQCoordinatedTransactionDispenser",
    "MSMQTransaction",
    "MSMQQueueInfo",
    "MSMQQueue",
    "MSMQDestination",
    "MSMQQuery",
    "MSMQQueueInfos",
    "MSMQEvent",
    "MSMQMessage",
)
_NEVER: Final = (
    *(one for cls in _CLASSES_WITH_PROPERTIES for one in gets(cls, "Properties")),
    *gets("MSMQQueueInfo", "Security"),
    *puts("MSMQQueueInfo", "Security"),
    *gets("MSMQDestination", "IADs", "Destinations"),
    *(Meaning("MSMQDestination", name, MemberKind.PUTREF) for name in ("IADs", "Destinations")),
)
_ALWAYS: Final = (
    *gets("MSMQQueueInfo", "FormatName", "IsWorldReadable"),
    *puts(
        "MSMQQueueInfo",
        "ServiceTypeGuid",
        "Label",
        "PathName",
        "FormatName",
        "PrivLevel",
        "Journal",
        "Quota",
        "Authenticate",
        "JournalQuota",
        "MulticastAddress",
    ),
)


def _kind(step: MqacStep) -> Answer:
    code = step.code
    if step.call.fault is not None or code is None:
        return None
    if not code or is_failure(code) or code == _OTHER_SUCCESS.get(step.member):
        return True
    return Broken(answered(step))


def _closed(step: MqacStep) -> bool:
    """3.11.1.1: a closed queue has an error of its own for every method."""
    return step.member.object_class == "MSMQQueue" and step.code in (MQ_ERROR_INVALID_HANDLE, OLE_E_BLANK)


_NOT_IMPLEMENTED: Final = Demand(lambda _: True, (E_NOTIMPL,))
_OTHERWISE: Final = Demand(_closed, (MQ_ERROR_INVALID_HANDLE, OLE_E_BLANK))


def _succeeds(step: MqacStep) -> Answer:
    if step.succeeded:
        return True
    return None if is_below(step) else Broken(answered(step))


def _value(step: MqacStep) -> Answer:
    if step.code == E_NOTIMPL:
        return True
    if step.succeeded:
        # Note <33>: 32-bit Windows has one, and no version tells how wide it is.
        return Reason.SERVER_VERSION_UNKNOWN
    return None if is_below(step) else Broken(answered(step))


RULES: Final = (
    of_server(
        "mqac-status-kind",
        "A method of MSMQ's objects succeeded with a code that is not S_OK",
        section="3.1.4.3",
        requirement="A method answers S_OK, or an HRESULT of error. Open and Close of a destination also have S_FALSE, "
        "and RegisterCertificate says that a certificate is there.",
        members=EVERY,
        needs=RESPONSE,
        check=_kind,
    ),
    of_server(
        "mqac-never-implemented",
        "A member that nobody implements was not answered with E_NOTIMPL",
        section="3.2.4.2.7, 3.6.4.1.2, 3.7.4.1.2, 3.9.4.2.2, 3.10.4.1.32, 3.10.4.1.33, 3.10.4.1.34, 3.11.4.1.19, "
        "3.12.4.1.4, 3.12.4.1.5, 3.12.4.1.12, 3.12.4.1.13, 3.12.4.1.14, 3.13.4.1.2, 3.14.4.1.3, 3.16.4.1.1, "
        "3.17.4.1.67",
        requirement="Properties of every class, Security of a queue, IADs and Destinations of a destination are "
        "answered with E_NOTIMPL.",
        members=_NEVER,
        needs=RESPONSE,
        check=refused(_NOT_IMPLEMENTED, (_NOT_IMPLEMENTED, _OTHERWISE)),
    ),
    of_server(
        "mqac-always-succeeds",
        "A property of a queue object that is always taken or told was refused",
        section="3.10.4.1.3, 3.10.4.1.5, 3.10.4.1.7, 3.10.4.1.8, 3.10.4.1.9, 3.10.4.1.12, 3.10.4.1.14, 3.10.4.1.16, "
        "3.10.4.1.22, 3.10.4.1.24, 3.10.4.1.25, 3.10.4.1.36, 3.10.4.1.38",
        requirement="Put of ServiceTypeGuid, Label, PathName, FormatName, PrivLevel, Journal, Quota, Authenticate, "
        "JournalQuota and MulticastAddress, and get of FormatName and IsWorldReadable, are answered S_OK. Errors of "
        "COM and of the service itself are none of them.",
        members=_ALWAYS,
        needs=RESPONSE,
        check=_succeeds,
    ),
    of_server(
        "mqac-transaction-value",
        "The value of a transaction was refused with another error than E_NOTIMPL",
        section="3.9.4.1, 3.9.4.1.1",
        requirement="Get Transaction of a transaction object is answered E_NOTIMPL. Note <33>: 32-bit Windows tells a "
        "pointer instead.",
        keyword="SHOULD",
        level=Level.INFORMATIONAL,
        members=gets("MSMQTransaction", "Transaction"),
        needs=RESPONSE,
        check=_value,
        undecidable_when="a value is told: no version says whether Windows has 32 bits",
    ),
)
