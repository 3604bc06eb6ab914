"""[MC-MQAC] 3.11.4.1: what a read was asked to fetch with the message, and what the message has."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from pipelines.mqac.objects import MessageState
from pipelines.rules.model import BOTH, Detected, Party, Undecided
from pipelines.rules.mqac import queue_members as q
from pipelines.rules.mqac.demands import asked, doubt, gets, mqac_rule
from pipelines.rules.watching import MqacWatcher
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from decoders.interfaces.mqac.members import Meaning
    from pipelines.facts.com import Argument
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Need, Settings

_MESSAGE: Final = "MSMQMessage"
_MAX_MESSAGES: Final = 8_192
"""One that was forgotten is not judged."""


class Part(NamedTuple):
    argument: str
    """Of the read."""
    property: str
    """Of the message."""
    by_default: bool
    in_every_read: bool = True
    """The first revisions have no WantConnectorType."""


BODY: Final = Part("WantBody", "Body", by_default=True)
DESTINATION: Final = Part("WantDestinationQueue", "DestinationQueueInfo", by_default=False)
CONNECTOR: Final = Part("WantConnectorType", "ConnectorTypeGuid", by_default=False, in_every_read=False)


class Wanted(MqacWatcher):
    needs: ClassVar[Mapping[Meaning, frozenset[Need]]] = dict.fromkeys(
        (*q.READS, *gets(_MESSAGE, *(one.property for one in (BODY, DESTINATION, CONNECTOR)))), BOTH
    )

    def __init__(self, _: Settings, part: Part) -> None:
        self._part = part
        self._wanted: Recent[str, bool] = Recent(_MAX_MESSAGES)
        """By `object_uid` of the message."""

    def look(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        if step.member in q.READS:
            self._read(step)
            return ()
        return self._told(step) if step.member.member == self._part.property else ()

    def _read(self, step: MqacStep) -> None:
        has_none = not self._part.in_every_read and (step.call.operation or "").endswith("_v1")
        if step.made is None or has_none:
            return
        given = step.arguments.get(self._part.argument)
        if given is not None and given.number is None:
            return
        wanted = self._part.by_default if given is None else bool(given.number)
        self._wanted.put(step.made.object.object_uid, wanted)

    def _told(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        state = step.state
        wanted = self._wanted.get(state.object.object_uid)
        if wanted is None or not isinstance(state, MessageState) or state.sent is not None:
            return ()
        if self._part.property in state.put:
            return ()
        has = step.succeeded and _is_something(step.result)
        if has is wanted:
            return (True,)
        if wanted and not (step.succeeded and self._had_one(state)):
            # The message may have had none.
            return ()
        reason = doubt(step)
        shown = {**asked(step), self._part.argument: wanted, "told": "something" if has else "nothing"}
        return (Detected(step, shown) if reason is None else Undecided(step, reason),)

    def _had_one(self, state: MessageState) -> bool:
        """Each message has a destination; that it has a body its length says."""
        if self._part is not BODY:
            return self._part is DESTINATION
        length = state.got.get("BodyLength")
        return length is not None and bool(length.value.number)


def _is_something(told: Argument | None) -> bool:
    return told is not None and (
        told.reference is not None or bool((told.value or "").strip("{}-0")) or bool(told.size)
    )


RULES: Final = tuple(
    mqac_rule(
        f"mqac-{name}-wanted",
        f"A message was read with {what} that was not asked for, or without the one that was",
        party=Party.SERVER,
        section=section,
        requirement=f"A message that was read tells its {part.property} where {part.argument} was true, and none "
        f"where it "
        f"was false; left out it is {str(part.by_default).lower()}.",
        members=gets(_MESSAGE, part.property),
        watch=partial(Wanted, part=part),
        undecidable_when="the message object's history was not captured whole",
    )
    for name, what, part, section in (
        ("body", "a body", BODY, "3.11.4.1.7, 3.11.4.1.8, 3.11.4.1.14, 3.11.4.1.15, 3.11.4.1.21, 3.11.4.1.26"),
        (
            "destination",
            "a destination",
            DESTINATION,
            "3.11.4.1.7, 3.11.4.1.8, 3.11.4.1.14, 3.11.4.1.15, 3.11.4.1.21, 3.11.4.1.26",
        ),
        ("connector", "a connector type", CONNECTOR, "3.11.4.1.14, 3.11.4.1.15, 3.11.4.1.21, 3.11.4.1.26"),
    )
)
