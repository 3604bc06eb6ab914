"""Asking for properties changes nothing: what changed between two questions was changed by somebody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, Detected, Level, Undecided
from pipelines.rules.watching import CallWatcher, detection
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipelines.facts.model import CallFact, Moment
    from pipelines.rules.model import Look, Settings
    from pipelines.sessions.steps import CallStep

MAX_PROPERTIES: Final = 16_384
"""Of the queues of one server, with their last values."""
_SETTINGS: Final = {
    104: "PROPID_Q_JOURNAL",
    105: "PROPID_Q_QUOTA",
    106: "PROPID_Q_BASEPRIORITY",
    107: "PROPID_Q_JOURNAL_QUOTA",
    108: "PROPID_Q_LABEL",
    111: "PROPID_Q_AUTHENTICATE",
    112: "PROPID_Q_PRIV_LEVEL",
    113: "PROPID_Q_TRANSACTION",
    125: "PROPID_Q_MULTICAST_ADDRESS",
}
"""That only an administrator changes: [MS-MQMQ] 2.3.1."""
_STATE: Final = 11
_ON_HOLD: Final = "ONHOLD"
"""PROPID_MGMT_QUEUE_STATE of a queue that was paused: [MS-MQMR] 3.1.4.1."""
_LOCAL: Final = "LOCAL CONNECTION"
"""Of a queue that sends nothing: there is nothing to hold."""
_CONNECTED: Final = "PROPID_MGMT_MSMQ_CONNECTED"
_CONNECTED_ID: Final = 4
_DONE: Final = {
    "PAUSE": (_ON_HOLD, "yes"),
    "RESUME": (_ON_HOLD, "no"),
    "CONNECT": (_CONNECTED, "CONNECTED"),
    "DISCONNECT": (_CONNECTED, "DISCONNECTED"),
}
"""What an action makes of a property: [MS-MQMR] 3.1.4.2."""
_MACHINE: Final = "machine"
_MACHINE_TYPE: Final = 1


class _Value(NamedTuple):
    told: str
    by: CallFact

    @property
    def since(self) -> Moment:
        """When it was so, at the earliest: an action is done when it is answered, a question may be read at once."""
        return self.by.until if self.by.method in v.CHANGING else self.by.began


class _Changes:
    """When a queue was last changed, under whichever of its names."""

    def __init__(self) -> None:
        self._anything: Moment | None = None
        self._by_kind: dict[str, Moment] = {}
        self._by_name: Recent[tuple[str, str], Moment] = Recent(MAX_PROPERTIES)

    def note(self, queue: str | None, until: Moment) -> None:
        """None: nobody knows which."""
        if queue is None:
            self._anything = until
            return
        self._by_name.put(_kind_and_place(queue), until)
        if queue != _MACHINE:
            self._by_kind[_kind_and_place(queue)[0]] = until

    def last(self, queue: str) -> Moment | None:
        """A name of another kind may be the same queue's, and so may one at a machine that is called otherwise."""
        kind, place = _kind_and_place(queue)
        named = self._by_name.get((kind, place)) or (self._by_kind.get(kind) if self._by_name.full else None)
        others = () if queue == _MACHINE else (at for of, at in self._by_kind.items() if of != kind)
        return max((at for at in (self._anything, named, *others) if at is not None), default=None)


class _ChangedUnseen(CallWatcher):
    needs: ClassVar = dict.fromkeys((v.GET_PROPERTIES, v.GET_INFO, *v.CHANGING), BOTH)

    def __init__(self, _: Settings) -> None:
        self._values: Recent[tuple[str, str], _Value] = Recent(MAX_PROPERTIES)
        self._changes = _Changes()

    def look_at(self, call: CallFact) -> Look | None:
        if call.method in v.CHANGING and call.given_up:
            # The server may have done it all the same.
            return self._given_up
        return super().look_at(call)

    def _given_up(self, step: CallStep) -> Iterable[Undecided]:
        self._changes.note(_queue(step), step.call.until)
        return ()

    def missed(self, step: CallStep, reason: Reason) -> Undecided:
        # What it was about is not known.
        if step.call.method in v.CHANGING:
            self._changes.note(None, step.call.until)
        self._values.clear()
        return Undecided(step, reason)

    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        queue = _queue(step)
        if step.call.method in v.CHANGING:
            last = None if queue is None else self._changes.last(queue)
            self._changes.note(queue, step.call.until)
            if queue is not None and (last is None or last < step.call.began):
                self._expect(step, queue)
            return ()
        if queue is None or not step.succeeded:
            return ()
        return list(self._compare(step, queue))

    def _expect(self, step: CallStep, queue: str) -> None:
        """What is paused stays on hold until it is resumed, and the machine as it was told to be."""
        done = _DONE.get(str(step.request.get("lpwszAction", "")).upper())
        if done is not None and step.succeeded:
            self._values.put((queue, done[0]), _Value(done[1], step.call))

    def _compare(self, step: CallStep, queue: str) -> Iterator[Detected | Undecided | bool]:
        changed = self._changes.last(queue)
        for name, value in _told(step):
            before = self._values.get((queue, name))
            self._values.put((queue, name), _Value(value, step.call))
            if before is None or (changed is not None and changed > before.since):
                continue
            if before.told == value:
                yield True
            elif step.view.changes_under_way or step.call.began <= before.since:
                yield Undecided(step, Reason.TIMES_CROSS)
            elif (reason := step.view.blind_since(before.by.began)) is not None:
                yield Undecided(step, reason)
            else:
                values = {"queue": queue, "property": name, "before": before.told, "now": value}
                yield Detected(step, values | {"known before from": before.by.call_uid})


def _kind_and_place(queue: str) -> tuple[str, str]:
    """Kind of its name, and what tells it from others of that kind, however their machine is called."""
    kind, _, rest = queue.partition("=")
    if kind != "direct":
        return kind, rest
    return ("http", rest) if rest.startswith("http") else (kind, rest.partition("\\")[2])


def _queue(step: CallStep) -> str | None:
    """The queue meant, or the machine."""
    asked = step.request.get("pObjectFormat") or {}
    if step.call.method in (v.GET_INFO, v.ACTION) and asked.get("type") == _MACHINE_TYPE:
        return _MACHINE
    found = format_name(asked.get("pQueueFormat") or {})
    return found.lower() if found else None


def _told(step: CallStep) -> Iterator[tuple[str, str]]:
    managed, machine = step.call.method == v.GET_INFO, _queue(step) == _MACHINE
    for number, answer in zip(step.request.get("aProp") or (), step.response.get("apVar") or (), strict=False):
        value = _plain(answer)
        if value is None:
            continue
        if machine:
            if number == _CONNECTED_ID:
                yield _CONNECTED, value.upper()
        elif managed and number == _STATE and value.upper() != _LOCAL:
            yield _ON_HOLD, "yes" if value.upper() == _ON_HOLD else "no"
        elif not managed and number in _SETTINGS:
            yield _SETTINGS[number], value


def _plain(answer: dict[str, Any] | None) -> str | None:
    values = [value for value in ((answer or {}).get("_varUnion") or {}).values() if value is not None]
    if not values:
        return None
    return values[0] if isinstance(values[0], str) else json.dumps(values[0], sort_keys=True)


RULES: Final = (
    detection(
        "detect-changed-unseen",
        "A queue was changed, and nobody was seen to do it",
        document="MS-MQSO",
        section="3.3.4.2",
        requirement="Asking for properties leaves a queue as it is. Reported is a setting of a queue, that it is on "
        "hold, or that the machine is connected, which differs between two answers or from what PAUSE, RESUME, CONNECT "
        "or DISCONNECT had done, although nobody was seen to change it by qmcomm or qmmgmt: it was done locally, over "
        "another protocol, or by somebody whose traffic is not in the capture.",
        level=Level.LOW,
        operations=(v.GET_PROPERTIES, v.GET_INFO, *v.CHANGING),
        needs=BOTH,
        watch=_ChangedUnseen,
        attack=("T1562",),
        undecidable_when="anything between the server and any client was missed between the two answers, or a change "
        "was under way",
    ),
)
