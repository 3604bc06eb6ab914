"""Which interfaces the classes of [MC-MQAC] have in which version of MSMQ: 1.9 and the product notes of section 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.ndr.model import InterfacePointer
from tests.scripts.mqac import member as declared
from tests.scripts.statements import ScriptError

if TYPE_CHECKING:
    from tests.conforming.products import Product
    from tests.conforming.transport import Call

DISPATCH: Final = "IDispatch"
WITH_DESTINATIONS: Final = 3
"""The first revision with MSMQDestination, MSMQManagement, and an MSMQApplication that administers."""
_LAST: Final = {
    **dict.fromkeys(("MSMQQueueInfo", "MSMQQueue", "MSMQMessage", "MSMQQuery", "MSMQQueueInfos"), 4),
    **dict.fromkeys(("MSMQTransaction", "MSMQTransactionDispenser", "MSMQApplication", "MSMQEvent"), 3),
    "MSMQCoordinatedTransactionDispenser": 3,
}
"""The newest revision; the other classes have one, since MSMQ 3.0."""


def revision_of(product: Product) -> int:
    """Of MSMQ 1.0 to 3.0 and later ones."""
    if product.version is None:
        return 1 if product.name == "Windows NT" else 2
    return 3 if product.version < (6, 0, 0) else 4


def interface(cls: str, revision: int) -> str:
    number = min(revision, _LAST.get(cls, 1))
    return f"I{cls}" if number == 1 else f"I{cls}{number}"


def own(cls: str, newest: int) -> set[str]:
    """All revisions up to that."""
    return {interface(cls, number) for number in range(1, newest + 1)}


def member(operation: str) -> str:
    """`IMSMQQueue4.Receive`: Receive."""
    return operation.rpartition(".")[2]


def revision(operation: str) -> int:
    """In which the call is made."""
    last = operation.partition(".")[0][-1]
    return int(last) if last.isdecimal() else 1


def is_late(call: Call) -> bool:
    """By Invoke, since the connection does not speak its interface."""
    return call.operation.partition(".")[0] not in call.connection.interfaces


def dispid(cls: str, newest: int, name: str) -> int:
    """Of a member as scripts call it: the type library's."""
    spoken = interface(cls, newest)
    for prefix in ("", "get_", "put_", "putref_"):
        try:
            return declared(f"{spoken}.{prefix}{name}").automation.dispid
        except ScriptError:
            continue
    return -1


def exists(operation: str) -> bool:
    """Whether that revision has the member."""
    try:
        declared(operation)
    except ScriptError:
        return False
    return True


def scripted(operation: str) -> str:
    """IMSMQQueueInfo4.put_Label: Label."""
    return declared(operation).automation.member


def in_type_library(operation: str) -> bool:
    """Whether a document that is public tells the number."""
    return declared(operation).automation.proven


def taken(operation: str, argument: str) -> str:
    """The interface that an argument has."""
    parameters = declared(operation).operation.parameters
    kind = next(one.member.type for one in parameters if one.member.name == argument)
    return kind.name if isinstance(kind, InterfacePointer) else DISPATCH
