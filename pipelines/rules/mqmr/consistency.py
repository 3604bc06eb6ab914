"""[MS-MQMR] 3.1.4.1: properties of one queue in one answer come out of one object, so they fit each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.msmq.properties import PROPERTIES
from decoders.msmq.variants import variant_value
from pipelines.facts import vocabulary as v
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_QUEUE: Final = 2
_OUTGOING: Final = {
    "PROPID_MGMT_QUEUE_LOCATION": {"REMOTE": True, "LOCAL": False},
    "PROPID_MGMT_QUEUE_TYPE": {"MULTICAST": True},
    "PROPID_MGMT_QUEUE_STATE": {
        "LOCAL CONNECTION": False,
        **dict.fromkeys(("CONNECTED", "DISCONNECTED", "DISCONNECTING", "INACTIVE", "LOCKED"), True),
        **dict.fromkeys(("NEED VALIDATION", "WAITING", "ONHOLD"), True),
    },
}
"""Whether the queue is an OutgoingQueue, by what a property says."""


def _answer_consistent(step: CallStep) -> Answer:
    if not step.succeeded or step.request.get("pObjectFormat", {}).get("type") != _QUEUE:
        return None
    said: dict[bool, dict[str, str]] = {True: {}, False: {}}
    for propid, variant in zip(step.request.get("aProp", []), step.response.get("apVar", []), strict=False):
        known = PROPERTIES.get((_QUEUE, propid))
        text = str(variant_value(variant))
        outgoing = _OUTGOING.get(known.name if known else "", {}).get(text.upper())
        if known is not None and outgoing is not None:
            said[outgoing][known.name] = text
    if len(said[True] | said[False]) <= 1:
        # One alone contradicts nothing.
        return None
    return not (said[True] and said[False]) or Broken(said[True] | said[False])


RULES: Final = (
    Rule(
        "mqmr-answer-consistent",
        "Properties of a queue contradict each other in one answer",
        document="MS-MQMR",
        section="3.1.4.1",
        requirement="A queue is an outgoing one or not: LOCATION is LOCAL where STATE is LOCAL CONNECTION, and nowhere "
        "else, and a TYPE of MULTICAST goes with REMOTE.",
        keyword="MUST",
        party=Party.SERVER,
        level=Level.LOW,
        operations=(v.GET_INFO,),
        needs=BOTH,
        check=_answer_consistent,
    ),
)
