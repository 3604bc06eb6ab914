"""Who asked for what a server of MSMQ's objects does at another server: [MC-MQAC] 3.2.4.3, 3.3.6, 3.10.4.1.28.

A call of an object leads to one of qmmgmt or to the opening of a remote queue. The two belong together where the second
is made within the time of the first, asks for the same thing, and of the same queue. Nothing on the wire says it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.msmq.properties import PROPERTIES
from pipelines.com.machine import ComMachine
from pipelines.com.object_calls import ObjectCall
from pipelines.facts import vocabulary as v
from pipelines.facts.model import CallFact, slim
from pipelines.facts.queue_names import queue_names
from pipelines.knowledge.targets import managed, named_queue
from pipelines.mqac.machine import MqacMachine
from pipelines.mqac.objects import ApplicationState, ManagementState, QueueInfoState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.facts.model import BlindFact, Method
    from pipelines.mqac.objects import ObjectState
    from pipelines.mqac.steps import MqacStep
    from pipelines.sessions.steps import CallStep

MAX_SERVERS: Final = 256
"""Of objects, that call this one."""
SEVERAL: Final = "several_askers"
_NUMBERS: Final = {one.name.removeprefix("PROPID_MGMT_"): number for (_, number), one in PROPERTIES.items()}
_MACHINE, _QUEUE = 1, 2


class _Wanted(NamedTuple):
    """What a member makes its server call."""

    kind: int
    """MgmtObjectType."""
    asks: int | None = None
    """Property that R_QMMgmtGetInfo has."""
    does: str | None = None
    """Word that R_QMMgmtAction has."""


class Asker(NamedTuple):
    call: CallFact | None
    """Of the object, without its values; None: there are several that it may be, by different people."""
    doubt: str | None = None


def _properties(classes: Mapping[str, Mapping[str, str]], kind: int) -> dict[tuple[str, str], _Wanted]:
    return {
        (cls, member): _Wanted(kind, asks=_NUMBERS[name])
        for cls, members in classes.items()
        for member, name in members.items()
    }


_ASKING: Final = {
    **_properties(
        {
            "MSMQApplication": {
                "ActiveQueues": "MSMQ_ACTIVEQUEUES",
                "PrivateQueues": "MSMQ_PRIVATEQ",
                "DirectoryServiceServer": "MSMQ_DSSERVER",
                "IsConnected": "MSMQ_CONNECTED",
                "BytesInAllQueues": "MSMQ_BYTES_IN_ALL_QUEUES",
            }
        },
        _MACHINE,
    ),
    **_properties(
        {
            "MSMQManagement": {
                "MessageCount": "QUEUE_MESSAGE_COUNT",
                "ForeignStatus": "QUEUE_FOREIGN",
                "QueueType": "QUEUE_TYPE",
                "IsLocal": "QUEUE_LOCATION",
                "TransactionalStatus": "QUEUE_XACT",
                "BytesInQueue": "QUEUE_BYTES_IN_QUEUE",
            },
            "MSMQQueueManagement": {
                "JournalMessageCount": "QUEUE_JOURNAL_MESSAGE_COUNT",
                "BytesInJournal": "QUEUE_BYTES_IN_JOURNAL",
                "EodGetReceiveInfo": "QUEUE_EOD_SOURCE_INFO",
            },
            "MSMQOutgoingQueueManagement": {
                "State": "QUEUE_STATE",
                "NextHops": "QUEUE_NEXTHOPS",
                "EodGetSendInfo": "QUEUE_EOD_LAST_ACK",
            },
        },
        _QUEUE,
    ),
    **{("MSMQApplication", name): _Wanted(_MACHINE, does=name.upper()) for name in ("Connect", "Disconnect", "Tidy")},
    **{("MSMQOutgoingQueueManagement", name): _Wanted(_QUEUE, does=name.upper()) for name in ("Pause", "Resume")},
    ("MSMQOutgoingQueueManagement", "EodResend"): _Wanted(_QUEUE, does="EOD_RESEND"),
}
"""By class and member."""
_OPENS: Final[frozenset[Method]] = frozenset((v.OPEN_REMOTE, v.REMOTE_OPEN))


class Askers:
    def __init__(self, server: str, settings: Mapping[str, int]) -> None:
        self._server, self._settings = server, settings
        self._behind: dict[str, tuple[ComMachine, MqacMachine]] = {}
        """By the server of objects: what is done there, of which nothing is told here."""

    def missed(self, fact: BlindFact) -> None:
        if (machines := self._of(fact.server, fact.began.ts_ns)) is not None:
            machines[0].missed(fact)

    def feed(self, fact: CallFact) -> None:
        machines = self._of(fact.server, fact.began.ts_ns)
        if machines is None or fact.com is None:
            return
        objects, acts = machines
        for _ in acts.settle(fact.began):
            pass
        for told in objects.feed(fact, fact.com):
            if isinstance(told, ObjectCall):
                for _ in acts.feed(told):
                    pass

    def _of(self, server: str, since_ns: int) -> tuple[ComMachine, MqacMachine] | None:
        found = self._behind.get(server)
        if found is None and len(self._behind) < MAX_SERVERS:
            objects = ComMachine(server, self._settings, {}, since_ns)
            found = self._behind[server] = objects, MqacMachine(server, objects.objects, self._settings)
        return found

    def of(self, step: CallStep) -> Asker | None:
        """Of a call that is just over."""
        machines = self._behind.get(step.call.client)
        if machines is None or step.call.method not in (v.GET_INFO, v.ACTION, *_OPENS):
            return None
        found = [one for one in machines[1].under_way if _within(step.call, one.call) and self._led_to(one, step)]
        if not found:
            return None
        people = {(one.call.client, one.call.username, one.call.domain) for one in found}
        doubt = next((reason for one in found if (reason := one.doubt_of_asking) is not None), None)
        if len(people) > 1:
            return Asker(None, SEVERAL)
        return Asker(slim(found[0].call), None if doubt is None else str(doubt))

    def _led_to(self, asked: MqacStep, step: CallStep) -> bool:
        if step.call.method in _OPENS:
            opens = asked.member.member == "Open" and isinstance(asked.state, QueueInfoState)
            return opens and self._same_queue(asked.state, named_queue(step))
        wanted = _ASKING.get((asked.member.object_class, asked.member.member))
        request = step.request
        if wanted is None or (request.get("pObjectFormat") or {}).get("type") != wanted.kind:
            return False
        if wanted.asks is not None and (step.call.method != v.GET_INFO or wanted.asks not in _asked(request)):
            return False
        if wanted.does is not None and str(request.get("lpwszAction")).upper() != wanted.does:
            return False
        if wanted.kind == _MACHINE:
            return isinstance(asked.state, ApplicationState) and asked.state.machine is not None
        return self._same_queue(asked.state, managed(step).name)

    def _same_queue(self, state: ObjectState, name: str | None) -> bool:
        if not isinstance(state, ManagementState | QueueInfoState):
            return False
        meant = queue_names(name, self._server, owned=True)
        known = (queue_names(one, self._server, owned=True) for one in state.queue.names)
        return meant is not None and any(one is not None and one.keys & meant.keys for one in known)


def _asked(request: Mapping[str, object]) -> list[object]:
    found = request.get("aProp")
    return found if isinstance(found, list) else []


def _within(call: CallFact, asked: CallFact) -> bool:
    return asked.began <= call.began and (asked.answered is None or call.until <= asked.until)
