"""Hostile numbers of objects: a call among many takes about as long as one among some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import pytest

from pipelines.facts.com import Argument, Com, Reference
from pipelines.facts.model import CallFact, Ends, Moment
from pipelines.facts.stored_form import rows_of
from pipelines.judging.servers import judged
from pipelines.judging.summaries import Summaries
from pipelines.mqac import story
from pipelines.rules.catalogue import SETTINGS
from tests.builders import com_values as c
from tests.timing import quickest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schemas.internal_rows import FactRow
    from schemas.model import AnyRow

Calls: TypeAlias = "Iterator[CallFact]"
SOME, MANY = 1_000, 4_000
TIMES_SLOWER: Final = 2.5
"""A call among many may take so many times what one among some takes; a quadratic one takes four."""
ENOUGH_S: Final = 30.0
ENDS: Final = Ends("10.0.0.1", 50_001, "10.0.0.2", 49_700)
INFO, QUEUE, MESSAGE, DISPENSER, TRANSACTION = (
    "eba96b21-2168-11d3-898c-00e02c074f6b",
    "eba96b20-2168-11d3-898c-00e02c074f6b",
    "eba96b23-2168-11d3-898c-00e02c074f6b",
    "eba96b15-2168-11d3-898c-00e02c074f6b",
    "eba96b13-2168-11d3-898c-00e02c074f6b",
)
NAMES: Final = {INFO: "IMSMQQueueInfo4", QUEUE: "IMSMQQueue4", MESSAGE: "IMSMQMessage4"} | {
    DISPENSER: "IMSMQTransactionDispenser3",
    TRANSACTION: "IMSMQTransaction3",
}
_QUEUE, _INFO, _DISPENSER = 1, 2, 3


def _call(
    number: int, iid: str, of: int, operation: str, *arguments: Argument, gives: tuple[str, int] | None = None
) -> CallFact:
    references: tuple[Reference, ...] = ()
    result = None
    if gives is not None:
        given, oid = gives
        references = (Reference(given=True, iid=given, oxid=1, oid=oid, ipid=c.ipid(oid), public_refs=5),)
        result = Argument(None, "out", "IUnknown", "an object", reference=c.ipid(oid))
    at = Moment(number * 1_000, 0, number)
    com = Com(iid=iid, object=c.ipid(of), arguments=arguments, references=references, returned=result)
    return CallFact(
        began=at,
        uid="C1",
        ends=ENDS,
        call_uid=f"R{number}",
        place=number,
        endpoint=NAMES[iid],
        operation=operation,
        request={},
        response={},
        capture_id="a",
        answered=at,
        com=com,
    )


def _text(name: str, value: str) -> Argument:
    return Argument(name, "in", "BSTR", value)


def queues(count: int) -> Calls:
    """Opened, and never closed."""
    for number in range(0, 2 * count, 2):
        yield _call(number, INFO, _INFO, "put_PathName", _text("bstrPathName", rf"hq\private$\q{number}"))
        yield _call(number + 1, INFO, _INFO, "Open", gives=(QUEUE, number + 100))


def messages(count: int) -> Calls:
    """Received from one queue, none given back."""
    yield _call(0, INFO, _INFO, "Open", gives=(QUEUE, _QUEUE))
    for number in range(1, 2 * count, 2):
        yield _call(number, QUEUE, _QUEUE, "Receive", gives=(MESSAGE, number + 100))
        yield _call(number + 1, MESSAGE, number + 100, "get_Label")


def transactions(count: int) -> Calls:
    """Each with a receive, and without an end."""
    yield _call(0, INFO, _INFO, "Open", gives=(QUEUE, _QUEUE))
    for number in range(1, 2 * count, 2):
        yield _call(number, DISPENSER, _DISPENSER, "BeginTransaction", gives=(TRANSACTION, number + 100))
        unit = Argument("Transaction", "in", "VT_DISPATCH", None, vt=9, reference=c.ipid(number + 100))
        yield _call(number + 1, QUEUE, _QUEUE, "Receive", unit, gives=(MESSAGE, number + 101))


def one_transaction(count: int) -> Calls:
    yield _call(0, INFO, _INFO, "Open", gives=(QUEUE, _QUEUE))
    yield _call(1, DISPENSER, _DISPENSER, "BeginTransaction", gives=(TRANSACTION, 99))
    unit = Argument("Transaction", "in", "VT_DISPATCH", None, vt=9, reference=c.ipid(99))
    for number in range(2, 2 * count):
        yield _call(number, QUEUE, _QUEUE, "Receive", unit, gives=(MESSAGE, number + 100))


def sends_of_one_message(count: int) -> Calls:
    queue = Argument("DestinationQueue", "in", "IDispatch", None, reference=c.ipid(_QUEUE))
    yield _call(0, INFO, _INFO, "Open", gives=(QUEUE, _QUEUE))
    for number in range(1, 2 * count, 2):
        yield _call(number, MESSAGE, 98, "put_Label", _text("bstrLabel", f"order {number}"))
        yield _call(number + 1, MESSAGE, 98, "Send", queue)


def notifications(count: int) -> Calls:
    yield _call(0, INFO, _INFO, "Open", gives=(QUEUE, _QUEUE))
    for number in range(1, 2 * count):
        yield _call(number, QUEUE, _QUEUE, "EnableNotification")


SHAPES = (queues, messages, transactions, one_transaction, sends_of_one_message, notifications)


def _rows(calls: Calls) -> list[FactRow]:
    return [row for call in calls for row in rows_of(call)]


def _told(rows: list[FactRow]) -> list[tuple[str, AnyRow]]:
    return list(judged(iter(rows), {}, SETTINGS, Summaries()))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_among_many_takes_no_longer(shape: Callable[[int], Calls], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story, "MAX_STATES", SOME)

    def seconds(count: int) -> float:
        rows = _rows(shape(count))
        # The best of three: others work on this machine.
        return min(quickest(lambda: _told(rows), ENOUGH_S)[1] for _ in range(3)) / len(rows)

    assert seconds(MANY) < TIMES_SLOWER * seconds(SOME)


def test_what_is_forgotten_is_told_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story, "MAX_STATES", 4)
    told = [row for name, row in _told(_rows(queues(10))) if name == "sessions"]
    assert len(told) == 10
    doubts = [row["doubt"] for row in told]
    assert doubts.count("limit") == 7
    assert {row["queue_name"] for row in told} == {rf"hq\private$\q{number}" for number in range(0, 20, 2)}


def test_nothing_is_told_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story, "MAX_STATES", 8)
    for shape, table in ((messages, "reads"), (transactions, "reads"), (sends_of_one_message, "sends")):
        rows = [row for name, row in _told(_rows(shape(50))) if name == table]
        keys = [row.get("read_uid") or row["call_uid"] for row in rows]
        assert len(set(keys)) == len(keys) > 40
