"""A hostile capture makes the machine of objects no slower than its size: a call takes about as long as any other."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

import pytest

from pipelines.com import numbers
from pipelines.facts.com import Activation, Com, Counted, Exporter, Reference
from pipelines.facts.model import CallFact, Ends, Moment
from pipelines.facts.stored_form import rows_of
from pipelines.judging.servers import ORDER, judged
from pipelines.judging.summaries import Summaries
from pipelines.rules.catalogue import SETTINGS
from tests.builders import com_values as c
from tests.timing import quickest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schemas.internal_rows import FactRow
    from schemas.model import AnyRow

Story: TypeAlias = "Iterator[tuple[CallFact, Com]]"
SOME, MANY = 2_000, 8_000
TIMES_SLOWER: Final = 2.5
"""A call among many may take so many times what one among some takes; a quadratic one takes four."""
ENOUGH_S: Final = 30.0
AT_135: Final = Ends("10.0.0.1", 50_000, "10.0.0.2", 135)
AT_EXPORTER: Final = Ends("10.0.0.1", 50_001, "10.0.0.2", 49_700)


def _fact(number: int, com: Com, operation: str, ends: Ends = AT_EXPORTER, **more: object) -> tuple[CallFact, Com]:
    began = Moment(number * 1_000, 0, number)
    fact = CallFact(
        began=began,
        uid="C1",
        ends=ends,
        call_uid=f"R{number}",
        place=number,
        operation=operation,
        capture_id="a",
        answered=began,
        com=com,
        **more,  # type: ignore[arg-type]
    )
    return fact, com


def _given(number: int, oxid: int = 1, oid: int | None = None) -> Reference:
    oid = number if oid is None else oid
    return Reference(given=True, iid=c.DISPATCH, oxid=oxid, oid=oid, ipid=c.ipid(number), public_refs=5)


def _exporter(oxid: int, unknown: int) -> Exporter:
    return Exporter(oxid=oxid, remote_unknown=c.ipid(unknown), bindings=(("10.0.0.2", 49_700),), principal="x")


def _activation(number: int, *exporters: Exporter, references: tuple[Reference, ...] = ()) -> tuple[CallFact, Com]:
    com = Com(iid=c.ACTIVATOR, activation=Activation(clsid=c.MMC), exporters=exporters, references=references)
    return _fact(number, com, "RemoteCreateInstance", AT_135)


def exporters_at_one_port(count: int) -> Story:
    for number in range(count):
        yield _activation(number, _exporter(number + 1, 1_000_000 + number), references=(_given(number, number + 1),))


def exporters_in_turn(count: int) -> Story:
    """Two processes that each replace the other, with all objects of both."""
    for number in range(count):
        oxid = number % 2 + 1
        yield _activation(number, _exporter(oxid, 1_000_000 + oxid), references=(_given(number, oxid),))


def one_exporter_announced_again(count: int) -> Story:
    for number in range(count):
        yield _activation(number, _exporter(1, 1_000_000), references=(_given(number),))


def interfaces_of_one_object(count: int) -> Story:
    for number in range(count):
        com = Com(iid=c.DISPATCH, object=c.ipid(number), references=(_given(number + 1, oid=7),))
        yield _fact(number, com, "Invoke")


def interfaces_from_nowhere(count: int) -> Story:
    for number in range(count):
        yield _fact(number, Com(iid=c.DISPATCH, object=c.ipid(number)), "Invoke")


def pings(count: int) -> Story:
    """As many objects as pings, and each ping names a hundred of them."""
    for number in range(count):
        yield _activation(number, references=(_given(number),))
        named = {"DelFromSet": [(number * 37 + step) % count for step in range(100)]}
        yield _fact(number, Com(iid=c.RESOLVER), "ComplexPing", AT_135, request=named)


def pings_of_one_number(count: int) -> Story:
    """One OID at many exporters."""
    for number in range(count):
        yield _activation(number, references=(_given(number, oxid=number, oid=7),))
        yield _fact(number, Com(iid=c.RESOLVER), "ComplexPing", AT_135, request={"DelFromSet": [7]})


def releases(count: int) -> Story:
    for number in range(count):
        yield _activation(number, references=(_given(number),))
        counted = tuple(Counted(ipid=c.ipid(max(0, number - step)), public_refs=1) for step in range(10))
        yield _fact(number, Com(iid=c.REMOTE_UNKNOWN2, object=c.ipid(2_000_000), counted=counted), "RemRelease")


def one_interface_of_many_objects(count: int) -> Story:
    for number in range(count):
        yield _activation(number, references=(_given(3, oid=number),))


STORIES: Final[tuple[Callable[[int], Story], ...]] = (
    exporters_at_one_port,
    exporters_in_turn,
    one_exporter_announced_again,
    interfaces_of_one_object,
    interfaces_from_nowhere,
    pings,
    pings_of_one_number,
    releases,
    one_interface_of_many_objects,
)


def stored(story: Story) -> list[FactRow]:
    return sorted((row for fact, _ in story for row in rows_of(fact)), key=itemgetter(*ORDER))


def run(rows: list[FactRow]) -> list[tuple[str, AnyRow]]:
    return list(judged(rows, {}, SETTINGS, Summaries()))


@pytest.mark.parametrize("story", STORIES)
def test_a_call_among_many_takes_what_one_among_some_takes(story: Callable[[int], Story]) -> None:
    def seconds(count: int) -> float:
        facts = stored(story(count))
        # The best of three: others work on this machine.
        return min(quickest(lambda: run(facts), ENOUGH_S)[1] for _ in range(3)) / count

    assert seconds(MANY) < TIMES_SLOWER * seconds(SOME)


@pytest.mark.parametrize("story", STORIES)
def test_beyond_what_is_remembered_rows_are_told_once(
    story: Callable[[int], Story], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "MAX_OBJECTS", 100)
    rows = run(stored(story(500)))
    uids = [row["object_uid"] for table, row in rows if table == "com_objects"]
    called = {row["object_uid"] for table, row in rows if table == "com_calls"}
    assert len(set(uids)) == len(uids)
    assert called <= set(uids)
