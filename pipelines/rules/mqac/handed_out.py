"""Objects that answers hand out: by which interface. Notes <23>, <26>, <34>, <47> to <86> and <100> to <135>."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcom.classes import com_interface_name
from decoders.interfaces import INTERFACES
from decoders.ndr.model import InterfacePointer, Pointer
from decoders.registry import BY_NAME
from pipelines.rules.model import RESPONSE, Broken
from pipelines.rules.mqac import queue_members as q
from pipelines.rules.mqac.demands import asked, gets, methods, of_server

if TYPE_CHECKING:
    from decoders.ndr.model import Operation
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer


def _declared(operation: Operation) -> str | None:
    """Interface that an answer gives, as the revision that was called declares it."""
    for one in operation.parameters:
        declared = one.member.type
        while isinstance(declared, Pointer):
            declared = declared.to
        if one.retval and isinstance(declared, InterfacePointer):
            return declared.iid
    return None


_IIDS: Final = {
    (interface.name, operation.name): iid
    for interface in INTERFACES.values()
    if interface.name in BY_NAME and interface.name.startswith("IMSMQ")
    for operation in interface.operations
    if (iid := _declared(operation)) is not None
}


def _as_declared(step: MqacStep) -> Answer:
    """By Invoke every object comes as IDispatch."""
    wanted = _IIDS.get(step.call.method)
    ipid = step.result.reference if step.succeeded and step.result else None
    if wanted is None or ipid is None or step.com.invoked is not None:
        return None
    given = next((one.iid for one in step.com.references if one.given and one.ipid == ipid), None)
    if given is None or given == wanted:
        return None if given is None else True
    shown = {"declared": com_interface_name(wanted) or wanted, "given": com_interface_name(given) or given}
    return Broken({**asked(step), **shown})


RULES: Final = tuple(
    of_server(
        f"mqac-{name}-interface",
        f"{what} was handed out by an interface of another revision",
        section=section,
        requirement=f"{members} {'hands' if ' ' not in members else 'hand'} out the object by the interface that the "
        "called revision declares.",
        members=of,
        needs=RESPONSE,
        check=_as_declared,
    )
    for name, what, section, members, of in (
        (
            "transaction",
            "A transaction",
            "3.6.4.1.1, 3.7.4.1.1",
            "BeginTransaction",
            (
                *methods("MSMQTransactionDispenser", "BeginTransaction"),
                *methods("MSMQCoordinatedTransactionDispenser", "BeginTransaction"),
            ),
        ),
        ("open", "An open queue", "3.10.4.1.28", "Open", methods("MSMQQueueInfo", "Open")),
        ("query", "What a query found", "3.13.4.1.1, 3.13.4.1.3", "LookupQueue", methods("MSMQQuery", "LookupQueue")),
        ("next", "A queue that a query found", "3.14.4.1.2", "Next", methods("MSMQQueueInfos", "Next")),
        (
            "message",
            "A message",
            "3.11.4.1.7, 3.11.4.1.8, 3.11.4.1.14, 3.11.4.1.15, 3.11.4.1.21",
            "The reading methods",
            q.READS,
        ),
        (
            "message-queue",
            "A queue of a message",
            "3.17.4.1.15, 3.17.4.1.23, 3.17.4.1.42, 3.17.4.1.55, 3.17.4.1.71, 3.17.4.1.73, 3.17.4.1.76, 3.17.4.1.78",
            "Get ResponseQueueInfo, AdminQueueInfo, DestinationQueueInfo and TransactionStatusQueueInfo",
            gets(
                "MSMQMessage",
                "ResponseQueueInfo",
                "AdminQueueInfo",
                "DestinationQueueInfo",
                "TransactionStatusQueueInfo",
            ),
        ),
    )
)
