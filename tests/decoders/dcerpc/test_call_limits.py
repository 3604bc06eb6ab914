"""Limits on calls under way: what exceeds them is told, memory stays bounded, every call still comes out once."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from decoders.dcerpc import open_calls as module
from decoders.dcerpc.call_model import Missing, Outcome
from decoders.dcerpc.troubles import TroubleCode
from decoders.limits import MAX_OPEN_CALLS
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import Talk

if TYPE_CHECKING:
    import pytest

BIND, ACK = d.bind((d.QM2QM, (d.NDR,))), d.ack((0, 0, d.NDR))


def bound() -> Talk:
    return Talk().client(BIND).server(ACK)


def test_the_oldest_open_call_is_given_up_and_its_answer_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OPEN_CALLS", 2)
    talk = bound().client(*(d.request(call_id=n) for n in (1, 2, 3)))
    assert [(call.call_id, call.outcome) for call in talk.calls] == [(1, Outcome.EVICTED)]
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
    assert [call.outcome for call in talk.calls] == [Outcome.EVICTED, Outcome.EVICTED, Outcome.ANSWERED]


def test_calls_given_up_are_remembered_within_the_same_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OPEN_CALLS", 2)
    talk = bound().client(*(d.request(call_id=n) for n in range(1, 6))).server(d.response(call_id=1))
    assert talk.fates[-1] == "call"
    assert talk.calls[-1].outcome is Outcome.EVICTED
    assert talk.over().calls[-1].outcome is Outcome.UNASKED


def test_answers_ahead_of_their_requests_are_limited_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EARLY_ANSWERS", 3)
    talk = bound().server(*(d.response(call_id=n) for n in range(1, 6)), at=9)
    assert [(call.call_id, call.outcome) for call in talk.calls] == [(1, Outcome.UNASKED), (2, Outcome.UNASKED)]
    talk.client(*(d.request(call_id=n) for n in range(1, 6)), at=8).over()
    assert Counter(call.outcome for call in talk.calls) == {
        Outcome.UNASKED: 2,
        Outcome.ANSWERED: 3,
        Outcome.UNANSWERED: 2,
    }


def test_requests_passed_over_are_limited_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EARLY_ANSWERS", 3)
    talk = bound().client(*(d.request(b"%d" % n) for n in range(9)))
    assert [call.outcome for call in talk.calls] == [Outcome.UNANSWERED] * 5
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
    began = time.process_time()
    sizes = range(0, 16 * 1024 * 1024, 5_816)
    talk = bound().client(d.request())
    talk.server(*(d.response(bytes(5_816), flags=d.FIRST if at == 0 else d.MIDDLE) for at in sizes[:-1]))
    talk.server(d.response(flags=d.LAST)).client(*[d.request()] * 8_000).over()
    assert talk.calls[0].response is not None
    assert talk.calls[0].response.complete
    assert (len(talk.calls), talk.tracker.open_calls.unasked) == (8_001, 0)
    assert time.process_time() - began < 5
