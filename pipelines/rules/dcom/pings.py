"""[MS-DCOM] 3.1.2.5.1.3, 3.2.6.1: sets of objects that a client keeps alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.com_duties import of_client, of_server
from pipelines.rules.model import BOTH, REQUEST, Broken

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer


def _new_set(step: ComStep) -> Answer:
    if step.request.get("pSetId"):
        return None
    number, removed = step.request.get("SequenceNum", 0), step.request.get("cDelFromSet", 0)
    return True if (number, removed) == (1, 0) else Broken({"SequenceNum": number, "cDelFromSet": removed})


def _set_number(step: ComStep) -> Answer:
    if not step.succeeded:
        return None
    asked, told = step.request.get("pSetId", 0), step.response.get("pSetId", 0)
    if told == asked if asked else told:
        return True
    return Broken({"pSetId asked": f"{asked:016x}", "pSetId answered": f"{told:016x}"})


RULES: Final = (
    of_client(
        "dcom-ping-set-begins",
        "A new ping set did not begin with sequence number 1, or removed objects",
        document="MS-DCOM",
        section="3.2.6.1",
        requirement="The first ComplexPing of a set has sequence number 1 and no objects to remove.",
        operations=(v.COMPLEX_PING,),
        needs=REQUEST,
        check=_new_set,
    ),
    of_server(
        "dcom-ping-set-number",
        "A ping set got no number, or another one than it had",
        document="MS-DCOM",
        section="3.1.2.5.1.3",
        requirement="ComplexPing gives a new set a number, and leaves the number of another set as it is.",
        operations=(v.COMPLEX_PING,),
        needs=BOTH,
        check=_set_number,
    ),
)
