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
from tests.conforming.mqac_sayings import ALONE, GUID, OPENED, UNNAMED, with_
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from tests.conforming.com_client import Proxy
    from tests.conforming.mqac_sayings import Saying
    from tests.conforming.mqac_script import Script
    from tests.conforming.schedule import Until
    from tests.conforming.stage import Value

    Doing = Generator[Until | None, None, None]
    Errand = Callable[[Script, str], Doing]


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
        yield from say(opened, [with_("Close")])

    return doing


def _attached(script: Script, part: str) -> Doing:
    """A transaction that there is, and odd forms of ending it."""
    unit = yield from script.begun(part)
    if unit is None:
        return
    yield from say(unit, [with_("get_Transaction"), with_("Abort", fRetaining=v.TRUE)])
    argument = yield from unit.argument(names.DISPATCH)
    if argument is not None:
        yield from say(unit, [with_("InitNew", varTransaction=v.dispatch(argument.ipid), public=1)])
    yield from say(unit, [with_("Commit", grfTC=2)])


def _coordinated(script: Script, part: str) -> Doing:
    dispenser = yield from script.client.activate(script.server, "MSMQCoordinatedTransactionDispenser", part)
    if dispenser is not None:
        unit = dispenser.made((yield from dispenser.call("BeginTransaction")), "MSMQTransaction")
        yield from say(unit, [with_(script.world.one_of(("Commit", "Abort")))])


def _queried(script: Script, part: str) -> Doing:
    """[MC-MQAC] 4.4."""
    query = yield from script.client.activate(script.server, "MSMQQuery", part)
    if query is None:
        return
    asked: dict[str, Value] = {"Label": text("news")} if script.world.likely(0.5) else {}
    found = query.made((yield from query.call("LookupQueue", asked)), "MSMQQueueInfos")
    yield from say(found, [with_("Reset")])
    for _ in range(4):
        if found is None or found.lost:
            return
        info = found.made((yield from found.call("Next")), "MSMQQueueInfo")
        yield from say(info, [with_("get_PathName"), with_("get_FormatName")])


def _names_put(script: Script, part: str) -> Doing:
    """One after the other: each takes the place of the one before."""
    info = yield from script.client.activate(script.server, "MSMQQueueInfo", part)
    queue = script.a_queue()
    saying = [
        with_("put_FormatName", bstrFormatName=text(queue.format_name)),
        with_("put_BasePriority", lBasePriority=5),
        with_("put_PathName", bstrPathName=text(queue.path)),
        with_("get_FormatName"),
        with_("get_PathNameDNS"),
        with_("Refresh"),
    ]
    yield from say(info, saying)


def _alone_with_it(script: Script, part: str) -> Doing:
    """It is open to one alone, and somebody else comes: 2.2.2.2."""
    queue = script.a_queue(transactional=False)
    first = yield from script.opened(queue, RECEIVE, 1, part, by_path=True)
    if first is not None:
        second = yield from script.opened(queue, RECEIVE, 0, part, by_path=True)
        read = with_("Receive", ReceiveTimeout=0, Transaction=v.NO_TRANSACTION)
        yield from say(first, [read, with_("Purge"), with_("Close")])
        yield from say(second, [with_("Close")])


def _looked_at(script: Script, part: str) -> Doing:
    """With what was wanted of the message, and without."""
    opened = yield from script.opened(script.a_queue(), PEEK, 0, part)
    seen = [with_("get_Body"), with_("get_DestinationQueueInfo"), with_("get_ConnectorTypeGuid")]
    for wants in (v.FALSE, v.TRUE):
        if opened is None or opened.lost:
            return
        wanted = {"WantBody": wants, "WantDestinationQueue": wants}
        message = opened.made((yield from opened.call("Peek", {"ReceiveTimeout": 0, **wanted})), "MSMQMessage")
        yield from say(message, [*seen, with_("get_TransactionId")])
    yield from say(opened, [with_("Close")])


def _received_twice(script: Script, part: str) -> Doing:
    """Each message by its identifier."""
    opened = yield from script.opened(script.a_queue(transactional=False), RECEIVE, 0, part, by_path=True)
    for _ in range(3):
        if opened is None or opened.lost:
            return
        reply = yield from opened.call("Receive", {"ReceiveTimeout": 0, "Transaction": v.NO_TRANSACTION})
        yield from say(opened.made(reply, "MSMQMessage"), [with_("get_Id"), with_("get_LookupId")])


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
    yield from say(opened, [("ReceiveByLookupId", wanted), with_("PeekCurrent", ReceiveTimeout=0), with_("Close")])


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
    yield from _sent(script, part, SEND, [with_("put_MsgClass", lMsgClass=0x4000)])


def _half_a_provider(script: Script, part: str) -> Doing:
    put = [
        with_("put_ConnectorTypeGuid", bstrGuidConnectorType=GUID),
        with_("put_AuthenticationProviderName", bstrAuthProvName=text("")),
    ]
    yield from _sent(script, part, SEND, put)


def _in_no_transaction(script: Script, part: str) -> Doing:
    yield from _sent(script, part, SEND, [], Transaction=text("none"))


def _to_peek(script: Script, part: str) -> Doing:
    yield from _sent(script, part, PEEK, [])


def _timed(script: Script, part: str) -> Doing:
    put = [
        with_("put_MaxTimeToReachQueue", lMaxTimeToReachQueue=600),
        with_("put_MaxTimeToReceive", lMaxTimeToReceive=60),
    ]
    yield from _sent(script, part, SEND, put, [with_("get_MaxTimeToReceive")])


def _by_both(script: Script, part: str) -> Doing:
    """Of which kind the queue is, and what only that kind has."""
    management = yield from script.client.activate(script.server, "MSMQManagement", part)
    outgoing = script.world.likely(0.5)
    path = "far1\\private$\\sink" if outgoing else script.a_queue().path
    if management is None or failed((yield from management.call("Init", {"Pathname": text(path)}))):
        return
    yield from say(management, [with_(one) for one in ASKED_OF_QUEUE])
    if script.client.late:
        return
    other = yield from management.query(OUTGOING if outgoing else LOCAL)
    asked = with_("get_State") if outgoing else with_("get_JournalMessageCount")
    yield from say(other, [asked, with_("get_IsLocal")])


def _destination(script: Script, part: str) -> Doing:
    made = yield from script.client.activate(script.server, "MSMQDestination", part)
    put = with_("put_FormatName", bstrFormatName=text(script.a_queue().format_name))
    yield from say(made, [put, with_("Open"), with_("get_IsOpen"), with_("Open"), with_("Close"), with_("Close")])


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
            yield from say(opened, [("EnableNotification", given), with_("Close")])

    return doing


def _elsewhere(script: Script, part: str) -> Doing:
    """Of another computer, which the server asks for it: 3.2.4.3.6, 3.3.4.1.1."""
    others = [one for one in script.client.servers if one is not script.server]
    if not others:
        return
    other, world = script.world.one_of(others), script.world
    application = yield from script.client.activate(script.server, "MSMQApplication", part)
    yield from say(application, [with_("put_Machine", bstrMachine=text(other.name))])
    for _ in range(world.chance.randint(1, 4)):
        yield from say(application, [with_(world.one_of((*ASKED_OF_MACHINE, "Tidy", "Connect", "Disconnect")))])
    management = yield from script.client.activate(script.server, "MSMQManagement", part)
    queue = world.one_of(other.queues)
    init = with_("Init", Machine=text(other.name), FormatName=text(queue.format_name))
    asked = [with_(world.one_of(ASKED_OF_QUEUE)) for _ in range(3)]
    if management is not None and not failed((yield from management.call(*init))):
        yield from say(management, asked)


ERRANDS: Final[Mapping[str, Errand]] = {
    **{name: _to_object(cls, saying) for name, (cls, saying) in ALONE.items()},
    **{name: _to_queue(access, saying) for name, (access, saying) in OPENED.items()},
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
WRONG: Final[Mapping[str, Errand]] = {name: _to_object(cls, saying) for name, (cls, saying) in UNNAMED.items()}
"""For breaches alone."""
