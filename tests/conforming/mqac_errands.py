"""What else scripts do: they ask what must be refused, put and look at properties, query the directory.

Each has a name, by which a breach asks for it. Nothing here is against a sentence that binds clients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming.com_client import failed
from tests.conforming.mqac_application import ASKED_OF_MACHINE
from tests.conforming.mqac_event import CONTAINER, EVENTS
from tests.conforming.mqac_management import ASKED_OF_QUEUE, LOCAL, OUTGOING
from tests.conforming.mqac_queue import PEEK, RECEIVE, SEND
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from tests.conforming.com_client import Proxy
    from tests.conforming.mqac_script import Script
    from tests.conforming.schedule import Until
    from tests.conforming.stage import Value
    from tests.conforming.transport import Values

    Doing = Generator[Until | None, None, None]
    Saying = Sequence[tuple[str, Values]]
    Errand = Callable[[Script, str], Doing]

GUID: Final = text("{8f2d1c44-2d6b-4f0a-9a55-1d2c3b4a5968}")
_SEVERAL: Final = text("DIRECT=HTTP://far1/msmq/private$/sink")
_FAR: Final = text("far1")


def _with(member: str, **values: Any) -> tuple[str, Values]:  # noqa: ANN401 - as scripts write them
    return member, values


_ALONE: Final[Mapping[str, tuple[str, Saying]]] = {
    "unimplemented": ("MSMQMessage", [_with("get_Properties")]),
    "security": ("MSMQQueueInfo", [_with("get_Security")]),
    "empty transaction": ("MSMQTransaction", [_with("Commit"), _with("Abort")]),
    "no source": ("MSMQTransaction", [_with("InitNew", varTransaction=text("none"))]),
    "other machine": (
        "MSMQApplication",
        [
            _with("put_Machine", bstrMachine=_FAR),
            _with("get_Machine"),
            _with("get_MSMQVersionMajor"),
            _with("RegisterCertificate", Flags=1),
        ],
    ),
    "certificates": (
        "MSMQApplication",
        [
            _with("RegisterCertificate", Flags=1),
            _with("RegisterCertificate", Flags=2, ExternalCertificate=v.octets(b"cert")),
        ],
    ),
    "machine": (
        "MSMQApplication",
        [
            _with("MachineIdOfMachineName", MachineName=text("srv0")),
            _with("get_PrivateQueues"),
            _with("get_DirectoryServiceServer"),
        ],
    ),
    "init in vain": (
        "MSMQManagement",
        [_with("Init", FormatName=text("DIRECT=OS:nowhere\\private$\\none")), _with("get_MessageCount")],
    ),
    "init of two": (
        "MSMQManagement",
        [_with("Init", Pathname=text("a\\private$\\b"), FormatName=text("DIRECT=OS:a\\private$\\b"))],
    ),
    "nameless": ("MSMQQueueInfo", [_with("get_Label"), _with("get_Quota")]),
    "several": ("MSMQQueueInfo", [_with("put_FormatName", bstrFormatName=_SEVERAL), _with("Refresh"), _with("Update")]),
    "several to read": (
        "MSMQQueueInfo",
        [_with("put_FormatName", bstrFormatName=_SEVERAL), _with("Open", Access=RECEIVE, ShareMode=0)],
    ),
    "no computer": ("MSMQQueueInfo", [_with("put_PathName", bstrPathName=text("\\private$\\x")), _with("Refresh")]),
    "priority": (
        "MSMQQueueInfo",
        [
            _with("put_FormatName", bstrFormatName=text("PUBLIC=8f2d1c44-2d6b-4f0a-9a55-1d2c3b4a5968")),
            _with("put_BasePriority", lBasePriority=40_000),
            _with("put_BasePriority", lBasePriority=12),
        ],
    ),
    "blank queue": ("MSMQQueue", [_with("Peek", ReceiveTimeout=0), _with("Reset")]),
    "values": (
        "MSMQMessage",
        [
            _with("put_PrivLevel", lPrivLevel=2),
            _with("put_AuthLevel", lAuthLevel=3),
            _with("put_Delivery", lDelivery=7),
            _with("put_Trace", lTrace=5),
            _with("put_Priority", lPriority=9),
            _with("put_Journal", lJournal=4),
            _with("put_Ack", lAck=0x40),
            _with("put_Label", bstrLabel=text("l" * 300)),
            _with("put_Body", varBody="[10, 5]"),
        ],
    ),
    "kept": (
        "MSMQMessage",
        [
            _with("put_Label", bstrLabel=text("once")),
            _with("put_Priority", lPriority=5),
            _with("put_ConnectorTypeGuid", bstrGuidConnectorType=GUID),
            _with("get_Label"),
            _with("get_Priority"),
            _with("get_ConnectorTypeGuid"),
        ],
    ),
    "to nobody": ("MSMQMessage", [_with("put_Label", bstrLabel=text("lost")), _with("Send")]),
    "results of nothing": ("MSMQQueueInfos", [_with("Reset"), _with("Next")]),
    "collection": ("MSMQCollection", [_with("get_Count"), _with("Item", Index=text("SeqID"))]),
}
"""What is said to an object that is activated for it."""
_OPENED: Final[Mapping[str, tuple[int, Saying]]] = {
    "receive to peek": (PEEK, [_with("Receive", ReceiveTimeout=0, Transaction=0), _with("Purge")]),
    "peek to send": (SEND, [_with("Peek", ReceiveTimeout=0), _with("PeekCurrent", ReceiveTimeout=0)]),
    "lookup of zero": (PEEK, [_with("PeekByLookupId", LookupId="[VT_UI8, 0]")]),
    "next of reset": (PEEK, [_with("Reset"), _with("PeekNext", ReceiveTimeout=0)]),
    "how opened": (PEEK, [_with("get_ShareMode"), _with("get_Access"), _with("get_IsOpen")]),
    "patient": (PEEK, [_with("Peek", ReceiveTimeout=30_000)]),
    "no event": (PEEK, [_with("EnableNotification", ReceiveTimeout=0)]),
}
"""What is said to an open queue."""


def say(proxy: Proxy | None, saying: Saying) -> Doing:
    """What its revision has."""
    for member, values in saying:
        if proxy is None or proxy.lost:
            return
        if names.exists(f"{proxy.members}.{member}"):
            yield from proxy.call(member, values)


def _to_object(cls: str, saying: Saying) -> Errand:
    def doing(script: Script, part: str) -> Doing:
        yield from say((yield from script.client.activate(script.server, cls, part)), saying)

    return doing


def _to_queue(access: int, saying: Saying) -> Errand:
    def doing(script: Script, part: str) -> Doing:
        opened = yield from script.opened(script.a_queue(), access, 0, part)
        yield from say(opened, saying)
        yield from say(opened, [_with("Close")])

    return doing


def _attached(script: Script, part: str) -> Doing:
    """A transaction that there is, and odd forms of ending it."""
    unit = yield from script.begun(part)
    if unit is None:
        return
    yield from say(unit, [_with("get_Transaction"), _with("Abort", fRetaining=v.TRUE)])
    argument = yield from unit.argument(names.DISPATCH)
    if argument is not None:
        yield from say(unit, [_with("InitNew", varTransaction=v.dispatch(argument.ipid), public=1)])
    yield from say(unit, [_with("Commit", grfTC=2)])


def _coordinated(script: Script, part: str) -> Doing:
    dispenser = yield from script.client.activate(script.server, "MSMQCoordinatedTransactionDispenser", part)
    if dispenser is not None:
        unit = dispenser.made((yield from dispenser.call("BeginTransaction")), "MSMQTransaction")
        yield from say(unit, [_with(script.world.one_of(("Commit", "Abort")))])


def _queried(script: Script, part: str) -> Doing:
    """[MC-MQAC] 4.4."""
    query = yield from script.client.activate(script.server, "MSMQQuery", part)
    if query is None:
        return
    asked: dict[str, Value] = {"Label": text("news")} if script.world.likely(0.5) else {}
    found = query.made((yield from query.call("LookupQueue", asked)), "MSMQQueueInfos")
    yield from say(found, [_with("Reset")])
    for _ in range(4):
        if found is None or found.lost:
            return
        info = found.made((yield from found.call("Next")), "MSMQQueueInfo")
        yield from say(info, [_with("get_PathName"), _with("get_FormatName")])


def _names_put(script: Script, part: str) -> Doing:
    """One after the other: each takes the place of the one before."""
    info = yield from script.client.activate(script.server, "MSMQQueueInfo", part)
    queue = script.a_queue()
    saying = [
        _with("put_FormatName", bstrFormatName=text(queue.format_name)),
        _with("put_BasePriority", lBasePriority=5),
        _with("put_PathName", bstrPathName=text(queue.path)),
        _with("get_FormatName"),
        _with("get_PathNameDNS"),
        _with("Refresh"),
    ]
    yield from say(info, saying)


def _alone_with_it(script: Script, part: str) -> Doing:
    """It is open to one alone, and somebody else comes: 2.2.2.2."""
    queue = script.a_queue()
    first = yield from script.opened(queue, RECEIVE, 1, part, by_path=True)
    if first is not None:
        second = yield from script.opened(queue, RECEIVE, 0, part, by_path=True)
        yield from say(first, [_with("Peek", ReceiveTimeout=0), _with("Close")])
        yield from say(second, [_with("Close")])


def _looked_at(script: Script, part: str) -> Doing:
    """With what was wanted of the message, and without."""
    opened = yield from script.opened(script.a_queue(), PEEK, 0, part)
    seen = [_with("get_Body"), _with("get_DestinationQueueInfo"), _with("get_ConnectorTypeGuid")]
    for wants in (v.FALSE, v.TRUE):
        if opened is None or opened.lost:
            return
        wanted = {"WantBody": wants, "WantDestinationQueue": wants}
        message = opened.made((yield from opened.call("Peek", {"ReceiveTimeout": 0, **wanted})), "MSMQMessage")
        yield from say(message, [*seen, _with("get_TransactionId")])
    yield from say(opened, [_with("Close")])


def _received_twice(script: Script, part: str) -> Doing:
    """Each message by its identifier and its place."""
    opened = yield from script.opened(script.a_queue(transactional=False), RECEIVE, 0, part, by_path=True)
    for _ in range(3):
        if opened is None or opened.lost:
            return
        reply = yield from opened.call("Receive", {"ReceiveTimeout": 0, "Transaction": v.NO_TRANSACTION})
        yield from say(opened.made(reply, "MSMQMessage"), [_with("get_Id"), _with("get_LookupId")])


def _gone_at_cursor(script: Script, part: str) -> Doing:
    """What stands at the cursor is received by its lookup identifier."""
    opened = yield from script.opened(script.a_queue(transactional=False), RECEIVE, 0, part, by_path=True)
    if opened is None or not names.exists(f"{opened.members}.ReceiveByLookupId"):
        return
    peeked = opened.made((yield from opened.call("PeekCurrent", {"ReceiveTimeout": 0})), "MSMQMessage")
    told = (yield from peeked.call("get_LookupId")) if peeked is not None else None
    if told is None or failed(told) or opened.lost:
        return
    wanted: dict[str, Value] = {"LookupId": text(str(told["result"]).strip('"')), "Transaction": v.NO_TRANSACTION}
    yield from say(opened, [("ReceiveByLookupId", wanted), _with("PeekCurrent", ReceiveTimeout=0), _with("Close")])


def _sent(script: Script, part: str, access: int, saying: Saying, after: Saying = (), **odd: Any) -> Doing:  # noqa: ANN401
    queue = script.a_queue()
    to = yield from script.opened(queue, access, 0, part)
    message = yield from script.client.activate(script.server, "MSMQMessage", part)
    if to is None or message is None:
        return
    yield from say(message, saying)
    argument = yield from to.argument(names.taken(f"{message.members}.Send", "DestinationQueue"))
    if argument is not None:
        transaction = {} if odd else (yield from message.transaction(None, queue))
        values = {"DestinationQueue": argument.ipid, "public": 1, **transaction, **odd}
        yield from say(message, [("Send", values), *after])


def _as_connector(script: Script, part: str) -> Doing:
    yield from _sent(script, part, SEND, [_with("put_MsgClass", lMsgClass=0x4000)])


def _half_a_provider(script: Script, part: str) -> Doing:
    put = [
        _with("put_ConnectorTypeGuid", bstrGuidConnectorType=GUID),
        _with("put_AuthenticationProviderName", bstrAuthProvName=text("")),
    ]
    yield from _sent(script, part, SEND, put)


def _in_no_transaction(script: Script, part: str) -> Doing:
    yield from _sent(script, part, SEND, [], Transaction=text("none"))


def _to_peek(script: Script, part: str) -> Doing:
    yield from _sent(script, part, PEEK, [])


def _timed(script: Script, part: str) -> Doing:
    put = [
        _with("put_MaxTimeToReachQueue", lMaxTimeToReachQueue=600),
        _with("put_MaxTimeToReceive", lMaxTimeToReceive=60),
    ]
    yield from _sent(script, part, SEND, put, [_with("get_MaxTimeToReceive")])


def _by_both(script: Script, part: str) -> Doing:
    """Of which kind the queue is, and what only that kind has."""
    management = yield from script.client.activate(script.server, "MSMQManagement", part)
    outgoing = script.world.likely(0.5)
    path = "far1\\private$\\sink" if outgoing else script.a_queue().path
    if management is None or failed((yield from management.call("Init", {"Pathname": text(path)}))):
        return
    yield from say(management, [_with(one) for one in ASKED_OF_QUEUE])
    if script.client.late:
        return
    other = yield from management.query(OUTGOING if outgoing else LOCAL)
    asked = _with("get_State") if outgoing else _with("get_JournalMessageCount")
    yield from say(other, [asked, _with("get_IsLocal")])


def _destination(script: Script, part: str) -> Doing:
    made = yield from script.client.activate(script.server, "MSMQDestination", part)
    put = _with("put_FormatName", bstrFormatName=text(script.a_queue().format_name))
    yield from say(made, [put, _with("Open"), _with("get_IsOpen"), _with("Open"), _with("Close"), _with("Close")])


def _events(script: Script, part: str) -> Doing:
    """Nobody is called back by them."""
    event = yield from script.client.activate(script.server, "MSMQEvent", part)
    container = None if event is None else (yield from event.query(CONTAINER))
    if event is None or container is None:
        return
    yield from container.ask("FindConnectionPoint", {"riid": names.DISPATCH})
    point = container.made((yield from container.ask("FindConnectionPoint", {"riid": EVENTS})), "ConnectionPoint")
    if point is not None:
        point.interface = "IConnectionPoint"
        yield from point.ask("GetConnectionInterface")
        yield from point.ask("Advise")
        # Whom it names is not there: 3.16.4.5.3.
        nobody: dict[str, Value] = {"oxid": 0x0AFF, "oid": 0x0BFF, "at": text(script.client.address), "public": 5}
        yield from point.ask("Advise", {"sink": script.world.name("K"), **nobody})


def _notified(access: int, **odd: Any) -> Errand:  # noqa: ANN401
    """Of a queue that was opened so, or at a cursor that there is not."""

    def doing(script: Script, part: str) -> Doing:
        opened = yield from script.opened(script.a_queue(), access, 0, part)
        event = yield from script.client.activate(script.server, "MSMQEvent", part)
        if opened is None or event is None:
            return
        argument = yield from event.argument(names.taken(f"{opened.members}.EnableNotification", "Event"))
        if argument is not None:
            given = {"Event": argument.ipid, "public": 1, "ReceiveTimeout": 0, **odd}
            yield from say(opened, [("EnableNotification", given), _with("Close")])

    return doing


def _elsewhere(script: Script, part: str) -> Doing:
    """Of another computer, which the server asks for it: 3.2.4.3.6, 3.3.4.1.1."""
    others = [one for one in script.client.servers if one is not script.server]
    if not others:
        return
    other, world = script.world.one_of(others), script.world
    application = yield from script.client.activate(script.server, "MSMQApplication", part)
    yield from say(application, [_with("put_Machine", bstrMachine=text(other.name))])
    for _ in range(world.chance.randint(1, 4)):
        yield from say(application, [_with(world.one_of((*ASKED_OF_MACHINE, "Tidy", "Connect", "Disconnect")))])
    management = yield from script.client.activate(script.server, "MSMQManagement", part)
    queue = world.one_of(other.queues)
    init = _with("Init", Machine=text(other.name), FormatName=text(queue.format_name))
    asked = [_with(world.one_of(ASKED_OF_QUEUE)) for _ in range(3)]
    if management is not None and not failed((yield from management.call(*init))):
        yield from say(management, asked)


ERRANDS: Final[Mapping[str, Errand]] = {
    **{name: _to_object(cls, saying) for name, (cls, saying) in _ALONE.items()},
    **{name: _to_queue(access, saying) for name, (access, saying) in _OPENED.items()},
    "attached": _attached,
    "coordinated": _coordinated,
    "queried": _queried,
    "names put": _names_put,
    "alone with it": _alone_with_it,
    "looked at": _looked_at,
    "received twice": _received_twice,
    "gone at the cursor": _gone_at_cursor,
    "as connector": _as_connector,
    "half a provider": _half_a_provider,
    "in no transaction": _in_no_transaction,
    "to peek": _to_peek,
    "timed": _timed,
    "by both": _by_both,
    "destination": _destination,
    "elsewhere": _elsewhere,
    "events": _events,
    "notified of sending": _notified(SEND),
    "notified at no cursor": _notified(PEEK, Cursor=9),
}
WRONG: Final[Mapping[str, Errand]] = {
    "created without a name": _to_object("MSMQQueueInfo", [_with("put_Label", bstrLabel=text("new")), _with("Create")]),
    "opened without a name": _to_object(
        "MSMQQueueInfo", [_with("put_Label", bstrLabel=text("new")), _with("Update"), _with("Refresh")]
    ),
}
"""What no client that keeps to the documents does: 3.10.3. For breaches alone."""
