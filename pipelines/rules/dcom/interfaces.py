"""[MS-DCOM] 3.2.4.2, 3.1.1.5.6.1.1: an IPID stands for one interface of one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcom.classes import com_interface_name
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.com_duties import of_client, of_server
from pipelines.rules.model import BOTH, OPERATION, Broken

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer

_REMOTE_UNKNOWN: Final = ("IRemUnknown", "IRemUnknown2")


def _name(iid: str) -> str:
    return com_interface_name(iid) or iid


def _bound_interface(step: ComStep) -> Answer:
    com, held = step.com, step.held
    if com.object is None or step.call.endpoint in _REMOTE_UNKNOWN:
        # The Remote Unknown has two interfaces under one IPID, which resolvers tell.
        return None
    if held is None or held.iid is None:
        return Reason.OPEN_NOT_SEEN
    if held.iid == com.iid:
        return True
    shown = {"ipid": com.object, "given as": _name(held.iid), "called as": _name(com.iid)}
    return step.blind() or Broken(shown)


def _granted(step: ComStep) -> Answer:
    results = step.response.get("ppQIResults")
    if step.call.fault is not None or not results or not step.com.references:
        return None
    granted, asked, meant = [one for one in step.com.references if one.given], step.request.get("cRefs", 0), step.meant
    for one in granted:
        if one.public_refs != asked:
            return Broken({"cRefs": asked, "cPublicRefs": one.public_refs})
    if meant is None or meant.number is None:
        return Reason.OPEN_NOT_SEEN
    for one in granted:
        if (one.oxid, one.oid) != meant.number:
            shown = {"asked of": _number(*meant.number), "given of": _number(one.oxid, one.oid)}
            return step.blind() or Broken(shown)
    return True


def _number(oxid: int, oid: int) -> str:
    return f"{oxid:016x}/{oid:016x}"


RULES: Final = (
    of_client(
        "dcom-bound-interface",
        "An object was called by another interface than its reference has",
        document="MS-DCOM",
        section="3.2.4.2",
        requirement="A call on an IPID is made over the interface of the reference that gave the IPID.",
        needs=OPERATION,
        check=_bound_interface,
        undecidable_when="no reference with that IPID was seen, several contradict each other, or anything between the "
        "two hosts was missed",
    ),
    of_server(
        "dcom-granted-interface",
        "An interface was granted of another object, or with another number of references",
        document="MS-DCOM",
        section="3.1.1.5.6.1.1",
        requirement="RemQueryInterface grants interfaces of the very object asked, with as many references as asked.",
        operations=(v.QUERY_INTERFACE,),
        needs=BOTH,
        check=_granted,
        undecidable_when="no reference of the object was seen, or anything between the two hosts was missed",
    ),
)
