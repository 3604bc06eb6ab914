"""Which interfaces the classes of [MC-MQAC] have in which version of MSMQ: 1.9 and the product notes of section 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.ndr.model import Direction, InterfacePointer
from tests.scripts.members import members_of, way_of

if TYPE_CHECKING:
    from tests.conforming.products import Product

DISPATCH: Final = "IDispatch"
_LAST: Final = {
    **dict.fromkeys(("MSMQQueueInfo", "MSMQQueue", "MSMQMessage"), 4),
    **dict.fromkeys(("MSMQTransaction", "MSMQTransactionDispenser", "MSMQApplication", "MSMQEvent"), 3),
}
"""The newest revision; the other classes have one, since MSMQ 3.0."""
WITH_DESTINATIONS: Final = 3
"""The first revision with MSMQDestination, MSMQManagement, and an MSMQApplication that administers."""
_LATE: Final = f"{DISPATCH}."


def revision_of(product: Product) -> int:
    """Of MSMQ 1.0 to 3.0 and later ones."""
    if product.version is None:
        return 1 if product.name == "Windows NT" else 2
    return 3 if product.version < (6, 0, 0) else 4


def interface(cls: str, revision: int) -> str:
    number = min(revision, _LAST.get(cls, 1))
    return f"I{cls}" if number == 1 else f"I{cls}{number}"


def is_late(operation: str) -> bool:
    return operation.startswith(_LATE)


def member(operation: str) -> str:
    """`IDispatch.IMSMQQueue4.Receive`: Receive."""
    return operation.rpartition(".")[2]


def revision(operation: str) -> int:
    """In which the call is made."""
    last = operation.removeprefix(_LATE).partition(".")[0][-1]
    return int(last) if last.isdecimal() else 1


def dispid(interface: str, name: str) -> int:
    """Of a member as scripts call it: the type library's."""
    return next(one.dispid for one in members_of(interface) if one.member == name)


def scripted(interface: str, name: str) -> str:
    """put_Label: Label."""
    return next(one.member for one in members_of(interface) if one.operation == name)


def taken(of: str, name: str, argument: str) -> str:
    """The interface that an argument of a member has."""
    declared = way_of(f"{of}.{name}").declared[Direction.IN][argument]
    return declared.name if isinstance(declared, InterfacePointer) else DISPATCH
