"""Limits on calls under way: what exceeds them is told, memory stays bounded, every call still comes out once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from decoders.dcerpc import open_calls as module
from decoders.dcerpc.call_model import CallOutcome, Missing
from decoders.dcerpc.open_call import OpenCall
from decoders.dcerpc.troubles import TroubleCode
from decoders.limits import MAX_OPEN_CALLS
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import Talk
from tests.timing import quickest

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.dcerpc.parts import PartBuilder

BIND, ACK = d.bind((d.QM2QM, (d.NDR,))), d.ack((0, 0, d.NDR))


def bound() -> Talk:
    return Talk().client(BIND).server(ACK)


def test_the_oldest_open_call_is_given_up_and_its_answer_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OPEN_CALLS", 2)
    talk = bound().client(*(d.request(call_id=n) for n in (1, 2, 3)))
    assert [(call.call_id, call.outcome) for call in talk.calls] == [(1, CallOutcome.EVICTED)]
    assert talk.codes == [TroubleCode.TOO_MANY_CALLS]
    talk.client(d.pdu(d.CO_CANCEL, call_id=1)).server(d.response(flags=d.FIRST, call_id=1), d.fault(call_id=1))
    assert talk.fates[-3:] == ["late"] * 3
    assert {pdu.call for pdu in talk.pdus[-3:]} == {talk.calls[0].key}
    talk.server(d.fault(call_id=1))
    assert talk.fates[-1] == "call"


def test_the_rest_of_a_request_given_up_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OPEN_CALLS", 1)
    talk = bound().client(d.request(flags=d.FIRST, call_id=1), d.request(call_id=2), d.request(flags=d.LAST, call_id=1))
    assert talk.fates[-1] == "late"
    assert talk.pdus[-1].call == talk.calls[0].key
    talk.client(d.request(call_id=1)).server(d.response(call_id=1)).over()
    assert [call.outcome for call in talk.calls] == [CallOutcome.EVICTED, CallOutcome.EVICTED, CallOutcome.ANSWERED]


def test_calls_given_up_are_remembered_within_the_same_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OPEN_CALLS", 2)
    talk = bound().client(*(d.request(call_id=n) for n in range(1, 6))).server(d.response(call_id=1))
    assert talk.fates[-1] == "call"
    assert talk.calls[-1].outcome is CallOutcome.EVICTED
    assert talk.over().calls[-1].outcome is CallOutcome.UNASKED


def test_answers_ahead_of_their_requests_are_limited_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EARLY_ANSWERS", 3)
    talk = bound().server(*(d.response(call_id=n) for n in range(1, 6)), at=9)
    assert [(call.call_id, call.outcome) for call in talk.calls] == [(1, CallOutcome.UNASKED), (2, CallOutcome.UNASKED)]
    talk.client(*(d.request(call_id=n) for n in range(1, 6)), at=8).over()
    assert Counter(call.outcome for call in talk.calls) == {
        CallOutcome.UNASKED: 2,
        CallOutcome.ANSWERED: 3,
        CallOutcome.UNANSWERED: 2,
    }


def test_requests_passed_over_are_limited_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EARLY_ANSWERS", 3)
    talk = bound().client(*(d.request(b"%d" % n) for n in range(9)))
    assert [call.outcome for call in talk.calls] == [CallOutcome.UNANSWERED] * 5
    assert talk.codes == [TroubleCode.CALL_ID_REUSED] * 5
    assert len(talk.over().calls) == 9


def test_what_lingers_makes_room_for_half_of_the_stub_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OPEN_STUB_BYTES", 100)
    talk = bound().server(d.response(bytes(40), call_id=1), d.response(bytes(40), call_id=2))
    assert [call.call_id for call in talk.calls] == [1]
    assert talk.tracker.open_calls.stub_bytes == 40


def test_stub_bytes_of_all_open_calls_are_limited_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OPEN_STUB_BYTES", 100)
    talk = bound().client(*(d.request(bytes(40), call_id=n) for n in (1, 2, 3)))
    assert talk.tracker.open_calls.stub_bytes == 100
    assert talk.codes == [TroubleCode.STUB_TOO_LARGE]
    talk.server(d.response(call_id=1)).client(d.request(bytes(40), call_id=4)).over()
    found = {call.call_id: call.request for call in talk.calls}
    assert [(part.missing, len(part.stub), part.size) for part in found.values() if part is not None] == [
        (None, 40, 40),
        (None, 40, 40),
        (Missing.LIMIT, 20, 40),
        (None, 40, 40),
    ]
    assert talk.tracker.open_calls.stub_bytes == 0


def test_deep_callbacks_and_endless_reuse_stay_within_the_limits() -> None:
    talk = bound()
    for _ in range(3_000):
        talk.client(d.request()).server(d.request())
    talk.over()
    assert len(talk.calls) == 6_000
    assert Counter(talk.codes)[TroubleCode.TOO_MANY_CALLS] == 6_000 - MAX_OPEN_CALLS


def test_a_large_message_and_one_id_for_all_calls_cost_linear_time() -> None:
    talk, seconds = quickest(_a_large_message_and_one_id, 5, times=2)
    assert talk.calls[0].response is not None
    assert talk.calls[0].response.complete
    assert (len(talk.calls), talk.tracker.open_calls.unasked) == (8_001, 0)
    assert seconds < 5


def _a_large_message_and_one_id() -> Talk:
    sizes = range(0, 16 * 1024 * 1024, 5_816)
    talk = bound().client(d.request())
    talk.server(*(d.response(bytes(5_816), flags=d.FIRST if at == 0 else d.MIDDLE) for at in sizes[:-1]))
    return talk.server(d.response(flags=d.LAST)).client(*[d.request()] * 8_000).over()


def test_a_hole_looks_at_a_call_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: Counter[int] = Counter()
    lose = module.OpenCalls.lose

    def counted(self: module.OpenCalls, call: OpenCall, part: PartBuilder, missing: Missing, framed: AnyPdu) -> None:
        looked[call.serial] += 1
        lose(self, call, part, missing, framed)

    monkeypatch.setattr(module.OpenCalls, "lose", counted)
    talk = bound().client(*(d.request(call_id=n, flags=d.FIRST) for n in range(50)), d.request(call_id=98))
    for n in range(100, 120):
        talk.client(4_000, *[d.request(call_id=n, flags=d.FIRST)] * 3)
    talk.over()
    assert sum(looked.values()) > 100
    assert set(looked.values()) == {1}
    parts = [call.request for call in talk.calls if call.call_id < 50 and call.request is not None]
    assert [part.missing for part in parts] == [Missing.FRAGMENT] * 50


REPEATED: dict[str, Callable[[Talk], Talk]] = {
    "responses without requests": lambda talk: talk.server(*[d.response()] * 6_000),
    "responses that begin": lambda talk: talk.server(*[d.response(flags=d.FIRST)] * 6_000),
    "requests, then responses": lambda talk: talk.client(*[d.request()] * 3_000).server(*[d.response()] * 3_000),
    "requests, then responses to older ones": lambda talk: talk.client(*[d.request()] * 3_000, at=9).server(
        *[d.response()] * 3_000, at=8
    ),
    "responses half way": lambda talk: talk.client(*[d.request()] * 3_000).server(
        *[d.response(flags=d.MIDDLE)] * 3_000
    ),
}


@pytest.mark.parametrize("name", REPEATED)
def test_one_id_for_everything_costs_no_look_at_all_that_lingers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: Counter[str] = Counter()

    def count(name: str) -> None:
        plain: property = getattr(OpenCall, name)

        def counted(call: OpenCall) -> object:
            looks[name] += 1
            return plain.__get__(call)

        monkeypatch.setattr(OpenCall, name, property(counted))

    for question in ("answered", "waits_for_answer", "answer_began"):
        count(question)
    talk = REPEATED[name](bound()).over()
    assert sum((call.request is not None) + (call.response is not None) for call in talk.calls) >= 3_000
    assert sum(looks.values()) < 12 * 6_000
