"""[MS-DCOM] 3.1.2.5.1.3, 3.2.6.1: sets of objects that a client keeps alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.com_duties import of_client, of_server
from pipelines.rules.model import BOTH, REQUEST, Broken

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer

_NUMBERS: Final = 1 << 16


def _new_set(step: ComStep) -> Answer:
    if step.request.get("pSetId"):
        return None
    number, removed = step.request.get("SequenceNum", 0), step.request.get("cDelFromSet", 0)
    return True if (number, removed) == (1, 0) else Broken({"SequenceNum": number, "cDelFromSet": removed})


def _sequence(step: ComStep) -> Answer:
    """Of one connection: another one may be to a resolver that began anew, and deals the numbers of sets again."""
    before, number = step.pinged, step.request.get("SequenceNum")
    if before is None or number is None or before.call.uid != step.call.uid:
        return None
    if 0 < (number - before.sequence) % _NUMBERS < _NUMBERS // 2:
        return True
    if (reason := step.blind()) is not None:
        return reason
    if step.soon_after(before.call.until):
        return Reason.TIMES_CROSS
    shown = {"pSetId": f"{step.request['pSetId']:016x}", "SequenceNum": number, "before": before.sequence}
    return Broken({**shown, "by": before.call.call_uid})


def _known_set(step: ComStep) -> Answer:
    return True if step.request.get("pSetId") else Broken({"pSetId": 0})


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
    of_client(
        "dcom-ping-sequence",
        "The sequence number of a ping set did not grow",
        document="MS-DCOM",
        section="3.2.6.1",
        requirement="Each ComplexPing of a set has a greater sequence number than the one before it. Compared are "
        "those of one connection.",
        operations=(v.COMPLEX_PING,),
        needs=REQUEST,
        check=_sequence,
        undecidable_when="anything between the two hosts was missed, or the ping may have crossed the answer to the "
        "one before it",
    ),
    of_client(
        "dcom-simple-ping-set",
        "SimplePing named no ping set",
        document="MS-DCOM",
        section="3.1.2.5.1.2",
        requirement="SimplePing names a set that ComplexPing has told: not 0, by which ComplexPing is asked for a new "
        "one. Of any other number a capture does not show that it was never told.",
        operations=(v.SIMPLE_PING,),
        needs=REQUEST,
        check=_known_set,
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
