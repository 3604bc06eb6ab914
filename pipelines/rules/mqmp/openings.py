"""[MS-MQMP], the client: what opens of queues ask for. One request is enough."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import REQUEST, Broken, Level, Party, Rule
from pipelines.rules.mqmp.wrong import kept_unless
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.rules.mqmp.wrong import Wrong
    from pipelines.sessions.steps import CallStep

Values = dict[str, Any]
_READING: Final = (v.RECEIVE_ACCESS, v.PEEK_ACCESS)
_OF_OUTGOING: Final = (v.RECEIVE_ACCESS | v.ADMIN_ACCESS, v.PEEK_ACCESS | v.ADMIN_ACCESS)
_ACCESSES: Final = {v.OPEN_REMOTE: _READING, v.QM_OPEN: (*_READING, v.SEND_ACCESS, *_OF_OUTGOING)}
_SHARE_MODES: Final = (0, 1)
_UNKNOWN, _DIRECT, _MACHINE, _CONNECTOR, _LIST, _MULTICAST, _SUBQUEUE = 0, 3, 4, 5, 6, 7, 8
_TEXTS: Final = {_DIRECT: "m_pDirectID", _SUBQUEUE: "m_pDirectSubqueueID"}
_OVER_HTTP: Final = ("HTTP://", "HTTPS://")
_PROTOCOLS: Final = ("TCP:", "OS:", "IPX:", "SPX:", *_OVER_HTTP)
_SUFFIX: Final = 0x0F
_SYSTEM: Final = 0x80
_SYSTEM_SUFFIXES: Final = (1, 2, 3)
_KINDS_BY_SUFFIX: Final = {
    0: (1, 2, 3, 5, 6, 7, 8),
    1: (1, 2, 3, 4, 8),
    2: (3, 4, 8),
    3: (3, 4),
    4: (5,),
    5: (8,),
}
"""[MS-MQMQ] 2.2.7: which m_qft a suffix goes with. The flag beside it is not judged."""
_MQS: Final = frozenset((0, 0x100, 0x200, 0x300, 0x400, 0x500))
_NIL: Final = "00000000-0000-0000-0000-000000000000"
_OVER_SPX: Final = 3
_FIRST_WITHOUT_SPX: Final = (5, 1, 0)


def _queue(step: CallStep) -> Values:
    queue: Values = step.request.get("pQueueFormat") or {}
    return queue


def _direct_text(queue: Values) -> str:
    return str(queue.get(_TEXTS.get(queue.get("m_qft", _UNKNOWN), ""), "")).upper()


def _accesses_of(queue: Values) -> tuple[int, ...]:
    kind, suffix = queue.get("m_qft", _UNKNOWN), queue.get("m_SuffixAndFlags", 0)
    if kind in (_MACHINE, _CONNECTOR) or suffix & _SYSTEM or suffix & _SUFFIX in _SYSTEM_SUFFIXES:
        return _READING
    if kind == _SUBQUEUE:
        return *_READING, *_OF_OUTGOING
    return _ACCESSES[v.QM_OPEN]


def _open_mode(step: CallStep) -> Answer:
    wrong, queue = wrong_mode(step), _queue(step)
    if wrong is not None:
        return Broken(wrong)
    over_http = queue.get("m_qft") == _MULTICAST or _direct_text(queue).startswith(_OVER_HTTP)
    # The outgoing queue of such a name is on this server. That the name itself is for sending 3.1.4.17 says of
    # R_QMOpenRemoteQueue, a method which 3.1.4.2 has for reading alone.
    if over_http and step.call.method == v.QM_OPEN:
        sent_to = step.request.get("dwDesiredAccess", 0) in (v.SEND_ACCESS, *_OF_OUTGOING)
        return sent_to or Reason.TEXTS_CONTRADICT
    return True


def wrong_mode(step: CallStep) -> Wrong:
    access, share = step.request.get("dwDesiredAccess", 0), step.request.get("dwShareMode", 0)
    shown = {"dwDesiredAccess": hexadecimal(access)}
    if access not in _ACCESSES[step.call.method]:
        return shown
    if share not in _SHARE_MODES or (share and access == v.SEND_ACCESS):
        return {**shown, "dwShareMode": hexadecimal(share)}
    if access not in _accesses_of(_queue(step)) and step.call.method == v.QM_OPEN:
        return {**shown, "pQueueFormat": format_name(_queue(step))}
    return None


def wrong_queue(step: CallStep) -> Wrong:
    queue = step.request.get("pQueueFormat")
    if queue is None:
        return {"pQueueFormat": "null"}
    kind, suffix = queue.get("m_qft", _UNKNOWN), queue.get("m_SuffixAndFlags", 0) & _SUFFIX
    text = _direct_text(queue)
    if step.call.method == v.OPEN_REMOTE and (kind in (_LIST, _MULTICAST) or text.startswith(_OVER_HTTP)):
        return {"pQueueFormat": format_name(queue)}
    if kind not in _KINDS_BY_SUFFIX.get(suffix, ()):
        return {"m_qft": kind, "m_SuffixAndFlags": hexadecimal(queue.get("m_SuffixAndFlags", 0))}
    if kind in _TEXTS and not text.startswith(_PROTOCOLS):
        return {"pQueueFormat": format_name(queue) or "null"}
    return None


def _wrong_client(step: CallStep) -> Wrong:
    guid = str(step.request.get("pLicGuid", _NIL))
    if guid == _NIL:
        return {"pLicGuid": guid}
    if step.call.method == v.QM_OPEN:
        return None if step.request.get("lpClientName") else {"lpClientName": "empty"}
    kind = step.request.get("dwMQS", 0)
    return None if kind in _MQS else {"dwMQS": hexadecimal(kind)}


def _open_values(step: CallStep) -> Answer:
    name = step.request.get("lplpRemoteQueueName")
    if name is not None:
        return Broken({"lplpRemoteQueueName": name})
    if step.call.method == v.REMOTE_NAME:
        return True
    queue = step.request.get("hRemoteQueue", 0)
    others = {name: step.request.get(name, 0) for name in ("dwpQueue", "dwpRemoteContext")}
    if queue and not all(others.values()):
        # They are numbers of another server's: that one may count from 0.
        return Reason.OTHERS_NOT_SEEN
    # Without a remote queue dwpQueue should be null, and a reference pointer cannot be.
    if not queue and others["dwpRemoteContext"]:
        shown = {"hRemoteQueue": queue, **others}
        return Broken({name: hexadecimal(number) for name, number in shown.items()})
    return _remote_protocol(step)


def _remote_protocol(step: CallStep) -> Answer:
    protocol = step.request.get("dwRemoteProtocol", 0)
    if protocol == _OVER_SPX:
        if step.server_version is None:
            return Reason.SERVER_VERSION_UNKNOWN
        if step.server_version < _FIRST_WITHOUT_SPX:
            return True
    return protocol == 0 or Broken({"dwRemoteProtocol": protocol})


_client = partial(Rule, document="MS-MQMP", keyword="MUST", party=Party.CLIENT, needs=REQUEST)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqmp-open-mode",
        "A queue was opened in a mode that there is not, or that such a queue does not have",
        section="3.1.4.2, 3.1.4.17, 3.2.4.7",
        requirement="A remote open is to receive or to peek, another one also to send or for the outgoing queue; "
        "exclusively only to read. Names of subqueues are not for sending; system, journal, machine and connector "
        "queues are for receiving and peeking.",
        level=Level.MEDIUM,
        operations=v.SUPPORTED_OPENS,
        check=_open_mode,
        undecidable_when="a name of HTTP or multicast is opened to read: the sentence that forbids it names another "
        "method, which is for reading",
    ),
    _client(
        "mqmp-queue-name",
        "A queue was named in a way that the call does not take",
        section="3.1.4.2, 3.1.4.17, 3.1.5.1",
        requirement="pQueueFormat is there and is a format name; a remote open takes no distribution list, no "
        "multicast name and no direct name of HTTP.",
        level=Level.LOW,
        operations=(*v.SUPPORTED_OPENS, v.QM_SEND),
        check=kept_unless(wrong_queue),
    ),
    _client(
        "mqmp-client-id",
        "An open does not say who the client is",
        section="3.1.4.2, 3.1.4.17, 3.2.4.7",
        requirement="pLicGuid is not the nil GUID, lpClientName is not empty, and dwMQS is one of six kinds of system "
        "(note <48> has Windows send the name of the computer).",
        level=Level.LOW,
        operations=v.SUPPORTED_OPENS,
        check=kept_unless(_wrong_client),
    ),
    _client(
        "mqmp-open-values",
        "An open carries values of a remote open that do not fit",
        section="3.1.4.1, 3.1.4.17, 3.2.4.7",
        requirement="lplpRemoteQueueName of a request is null. Without hRemoteQueue dwpRemoteContext is 0. "
        "dwRemoteProtocol is 0, or 3 for Windows NT and 2000 (note <50>).",
        level=Level.LOW,
        operations=(v.QM_OPEN, v.REMOTE_NAME),
        check=_open_values,
        undecidable_when="with hRemoteQueue a number is 0 that another server gave; or dwRemoteProtocol is 3 and the "
        "server's version was not seen",
    ),
)
