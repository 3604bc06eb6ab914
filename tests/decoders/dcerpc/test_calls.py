"""Calls: fragments put together, requests paired, every PDU told once, nothing invented."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcerpc import open_calls, parts
from decoders.dcerpc.call_model import OUTCOMES, PDU_FATES, BindingSource, Call, CallOutcome, Missing, PduFate
from decoders.dcerpc.troubles import MEANINGS, TroubleCode
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import HIGH, LOW, Talk
from tests.decoders.security.test_ntlm import ALICE

if TYPE_CHECKING:
    from decoders.dcerpc.call_model import Part
    from decoders.tcp.model import Side

BIND = d.bind((d.QM2QM, (d.NDR,)), (d.SAMR, (d.NDR64,)))
ACK = d.ack((0, 0, d.NDR), (0, 0, d.NDR64))


def bound() -> Talk:
    return Talk().client(BIND).server(ACK)


def test_tables_explain_every_name() -> None:
    assert set(MEANINGS) == set(TroubleCode)
    assert set(OUTCOMES) == set(CallOutcome)
    assert set(PDU_FATES) == set(PduFate)


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_call_with_everything_known(order: d.ByteOrder) -> None:
    talk = bound().client(d.request(b"ask", order, 9, call_id=2, ctx=1)).server(d.response(b"answer", call_id=2, ctx=1))
    call = talk.call
    assert (call.call_id, call.ctx_id, call.opnum, call.outcome) == (2, 1, 9, CallOutcome.ANSWERED)
    assert call.binding is not None
    assert (call.binding.interface.uuid, call.binding.transfer_syntax.uuid) == (d.SAMR[0], d.NDR64[0])
    assert call.binding.source is BindingSource.BIND
    assert call.request is not None
    assert call.response is not None
    assert (call.request.stub, call.request.complete, call.request.byte_order) == (b"ask", True, order)
    assert (call.request.first_ts_ns, call.response.last_ts_ns) == (3, 4)
    assert (call.request.frames, call.response.frames) == (((0, 3),), ((0, 4),))
    assert call.key == (LOW, len(BIND))
    assert call.assoc_group_id == 0xABCD
    assert not call.callback
    assert talk.fates == ["negotiation", "negotiation", "call", "call"]
    assert talk.over().codes == []
    assert len(talk.calls) == 1


def fragments(whole: bytes, make: str, call_id: int, opnum: int = 0, ctx: int = 0) -> list[bytes]:
    pieces = [whole[at : at + 4] for at in range(0, len(whole), 4)] or [b""]
    flags = [(d.FIRST if n == 0 else 0) | (d.LAST if n == len(pieces) - 1 else 0) for n in range(len(pieces))]
    if make == "request":
        return [d.request(p, opnum=opnum, flags=f, call_id=call_id) for p, f in zip(pieces, flags, strict=True)]
    return [d.response(p, flags=f, call_id=call_id, ctx=ctx) for p, f in zip(pieces, flags, strict=True)]


def stub(part: Part | None) -> bytes | None:
    return None if part is None else part.stub


def stubs(talk: Talk) -> dict[int, tuple[bytes | None, bytes | None]]:
    return {call.call_id: (stub(call.request), stub(call.response)) for call in talk.calls}


@given(st.data())
def test_fragments_of_several_calls_may_interleave(data: st.DataObject) -> None:
    wanted = {n: (b"ask %d" % n * n, b"answer %d" % n * n) for n in range(2, 6)}
    talk = bound()
    for side, part in ((talk.client, 0), (talk.server, 1)):
        queues = [fragments(both[part], "response" if part else "request", n) for n, both in wanted.items()]
        while any(queues):
            queue = data.draw(st.sampled_from([queue for queue in queues if queue]))
            side(queue.pop(0))
    assert stubs(talk) == wanted
    assert all(call.outcome is CallOutcome.ANSWERED for call in talk.calls)
    assert talk.over().codes == []


SCRIPT: list[tuple[Side, bytes]] = [
    (LOW, BIND),
    (HIGH, ACK),
    *((LOW, pdu) for pdu in fragments(b"first question", "request", 2, 5)),
    *((LOW, pdu) for pdu in fragments(b"second", "request", 3, 6)),
    *((HIGH, pdu) for pdu in fragments(b"to the second", "response", 3)),
    *((HIGH, pdu) for pdu in fragments(b"to the first, long", "response", 2)),
    (LOW, d.request(b"third", opnum=7, call_id=4)),
    (HIGH, d.fault(5, call_id=4)),
    (LOW, d.pdu(d.CO_CANCEL, call_id=9)),
    (LOW, d.request(b"fourth", opnum=8, call_id=5)),
    (HIGH, d.response(b"to the fourth", call_id=5)),
]
WHOLE = {
    2: (5, b"first question", b"to the first, long"),
    3: (6, b"second", b"to the second"),
    4: (7, b"third", None),
    5: (8, b"fourth", b"to the fourth"),
}


def play(script: list[tuple[Side, bytes | int]]) -> Talk:
    talk = Talk()
    for sender, piece in script:
        (talk.client if sender is LOW else talk.server)(piece)
    return talk.over()


def check_truth(talk: Talk) -> None:
    """What came out is a part of what happened, each request and each answer at most once."""
    for side in ("request", "response", "fault"):
        assert max(Counter(call.call_id for call in talk.calls if getattr(call, side)).values(), default=1) == 1
    for call in talk.calls:
        opnum, asked, answered = WHOLE[call.call_id]
        assert call.opnum in (None, opnum)
        for part, truth in ((call.request, asked), (call.response, answered)):
            if part is not None:
                assert truth is not None
                assert part.stub == truth if part.complete else truth.startswith(part.stub)


def test_the_whole_script_comes_out_as_it_was() -> None:
    talk = play(list(SCRIPT))
    check_truth(talk)
    assert [call.call_id for call in talk.calls] == [3, 2, 4, 5]
    assert talk.fates.count("no_call") == 1
    assert len(talk.pdus) == len(SCRIPT)
    assert talk.codes == []


@pytest.mark.parametrize("index", range(len(SCRIPT)))
def test_a_pdu_that_is_missing_invents_no_call_and_pairs_none_wrongly(index: int) -> None:
    script: list[tuple[Side, bytes | int]] = list(SCRIPT)
    sender, pdu = SCRIPT[index]
    script[index] = sender, len(pdu)
    talk = play(script)
    check_truth(talk)
    assert len(talk.pdus) == len(SCRIPT) - 1
    left = {call.call_id for call in talk.calls}
    assert left == set(WHOLE)


@given(st.integers(0, len(SCRIPT) - 1), st.integers(0, 60), st.integers(1, 60))
def test_a_hole_anywhere_tells_no_untruth(index: int, at: int, size: int) -> None:
    sender, pdu = SCRIPT[index]
    at = min(at, len(pdu) - 1)
    size = min(size, len(pdu) - at)
    script: list[tuple[Side, bytes | int]] = list(SCRIPT)
    script[index : index + 1] = [(sender, pdu[:at]), (sender, size), (sender, pdu[at + size :])]
    talk = play(script)
    check_truth(talk)
    assert 0 < len(talk.pdus) <= len(SCRIPT)


@given(st.integers(1, 50))
def test_how_the_bytes_of_each_side_are_cut_changes_no_call(size: int) -> None:
    cut = [(side, pdu[at : at + size]) for side, pdu in SCRIPT for at in range(0, len(pdu), size)]
    once, again = play(list(SCRIPT)), play(list(cut))
    assert [(call.key, call.opnum, call.outcome) for call in once.calls] == [
        (call.key, call.opnum, call.outcome) for call in again.calls
    ]
    assert stubs(once) == stubs(again)
    assert once.fates == again.fates


def test_a_hole_between_fragments_ends_the_stub_there() -> None:
    first, second, third = fragments(b"aaaabbbbcccc", "request", 2)
    talk = bound().client(first, len(second), third).server(d.response(call_id=2)).over()
    request = talk.call.request
    assert request is not None
    assert (request.stub, request.complete, request.missing, request.fragments) == (b"aaaa", False, Missing.FRAGMENT, 2)
    assert talk.call.outcome is CallOutcome.ANSWERED
    assert talk.codes == ["rpc-fragment-missing"]


def test_a_cut_fragment_ends_the_stub_at_the_hole() -> None:
    pdu = d.request(b"0123456789" * 10, opnum=4, call_id=2)
    talk = bound().client(pdu[:60], 20, pdu[80:]).server(d.response(call_id=2)).over()
    request = talk.call.request
    assert request is not None
    assert (request.stub, request.missing) == (pdu[24:60], Missing.PDU_CUT)
    assert (talk.call.opnum, talk.call.outcome) == (4, CallOutcome.ANSWERED)
    assert talk.codes == ["rpc-pdu-cut"]
    assert talk.pdus[2].parsed is None


def test_a_request_without_its_first_fragment_is_a_call_without_a_stub() -> None:
    talk = Talk(from_start=False).client(*fragments(b"aaaabbbbcccc", "request", 2, 7)[1:]).over()
    assert talk.call.request is not None
    assert (talk.call.opnum, talk.call.request.stub, talk.call.request.missing) == (7, b"", Missing.FIRST_FRAGMENT)
    assert talk.codes == ["rpc-fragment-missing", "rpc-context-unknown"]


def test_a_response_fragment_of_an_unknown_call_is_no_call() -> None:
    talk = Talk(from_start=False).server(*fragments(b"aaaabbbbcccc", "response", 2)[1:]).over()
    assert talk.calls == []
    assert talk.fates == ["no_call", "no_call"]
    assert talk.codes == ["rpc-fragment-missing"]


def test_a_response_alone_is_an_unasked_call() -> None:
    talk = Talk(from_start=False).server(d.response(b"x"), d.response(b"y")).over()
    assert [(call.outcome, call.opnum, stub(call.response)) for call in talk.calls] == [
        (CallOutcome.UNASKED, None, b"x"),
        (CallOutcome.UNASKED, None, b"y"),
    ]


def test_a_request_that_comes_out_after_its_answer_is_paired_by_time() -> None:
    talk = bound().server(d.response(b"answer", call_id=2), at=50).client(d.request(b"ask", call_id=2), at=40).over()
    assert talk.call.outcome is CallOutcome.ANSWERED
    assert talk.call.key == (HIGH, len(ACK))
    later = bound().server(d.response(b"old", call_id=2), at=50).client(d.request(b"new", call_id=2), at=60).over()
    assert [call.outcome for call in later.calls] == [CallOutcome.UNASKED, CallOutcome.UNANSWERED]


def test_requests_held_back_by_a_search_find_their_answers() -> None:
    talk = bound().client(5_000)
    for n in range(2, 400):
        talk.client(d.request(b"q" * 40, opnum=n, call_id=n)).server(d.response(b"%d" % n, call_id=n))
    talk.over()
    assert [(call.opnum, stub(call.response), call.outcome) for call in talk.calls] == [
        (n, b"%d" % n, CallOutcome.ANSWERED) for n in range(2, 400)
    ]
    assert talk.codes == []


def test_a_call_id_used_again_ends_the_open_call() -> None:
    talk = bound().client(d.request(b"one", call_id=2), d.request(b"two", call_id=2)).server(d.response(call_id=2))
    assert [call.outcome for call in talk.calls] == [CallOutcome.UNANSWERED, CallOutcome.ANSWERED]
    assert talk.calls[1].request is not None
    assert talk.calls[1].request.stub == b"two"
    assert talk.codes == ["rpc-call-id-reused"]
    fine = bound()
    for _ in range(3):
        fine.client(d.request(call_id=2)).server(d.response(call_id=2))
    assert (len(fine.calls), fine.codes) == (3, [])


def test_an_answer_on_another_context_is_a_call_of_its_own() -> None:
    talk = bound().client(d.request(call_id=2)).server(*fragments(b"aaaabbbb", "response", 2, ctx=1)).over()
    asked, answered = talk.calls
    assert (asked.outcome, asked.ctx_id, asked.response) == (CallOutcome.UNANSWERED, 0, None)
    assert (answered.outcome, answered.ctx_id, stub(answered.response)) == (CallOutcome.UNASKED, 1, b"aaaabbbb")
    assert [(pdu.fate, pdu.call) for pdu in talk.pdus[-2:]] == [(PduFate.CALL, answered.key)] * 2
    assert [(trouble.code, trouble.call) for trouble in talk.troubles] == [(TroubleCode.CONTEXT_MISMATCH, asked.key)]


def test_the_request_still_gets_the_answer_on_its_own_context() -> None:
    talk = bound().client(d.request(b"ask", call_id=2)).server(d.response(b"?", call_id=2, ctx=1))
    talk.server(d.response(b"answer", call_id=2)).over()
    assert [(call.outcome, stub(call.response)) for call in talk.calls] == [
        (CallOutcome.ANSWERED, b"answer"),
        (CallOutcome.UNASKED, b"?"),
    ]


def test_a_fragment_on_another_context_is_left_out_and_ends_the_stub() -> None:
    talk = bound().client(d.request(call_id=2)).server(d.response(b"aaaa", flags=d.FIRST, call_id=2))
    talk.server(d.response(b"bbbb", flags=d.MIDDLE, call_id=2, ctx=1), d.response(b"cccc", flags=d.LAST, call_id=2))
    response = talk.call.response
    assert response is not None
    assert (response.stub, response.missing, talk.call.outcome) == (b"aaaa", Missing.FRAGMENT, CallOutcome.ANSWERED)
    assert talk.fates[-3:] == ["call", "no_call", "call"]
    assert talk.codes == ["rpc-context-mismatch", "rpc-fragment-missing"]


@pytest.mark.parametrize("late", [False, True], ids=["in order", "fault comes out first"])
def test_a_fault_on_another_context_is_paired_and_told(late: bool) -> None:
    talk = bound()
    if late:
        talk.server(d.fault(5, call_id=2), at=50).client(d.request(call_id=2, ctx=1), at=40)
    else:
        talk.client(d.request(call_id=2, ctx=1)).server(d.fault(5, call_id=2))
    assert (talk.call.outcome, talk.call.ctx_id) == (CallOutcome.FAULTED, 1)
    assert talk.codes == ["rpc-context-mismatch"]
    assert talk.troubles[0].call == talk.call.key


def test_callbacks_nest_with_the_same_call_id() -> None:
    talk = bound().client(d.request(b"outer", opnum=1, call_id=2))
    talk.server(d.request(b"callback", opnum=2, call_id=2)).client(d.request(b"inner", opnum=3, call_id=2))
    talk.server(d.response(b"to inner", call_id=2)).client(d.response(b"to callback", call_id=2))
    talk.server(d.response(b"to outer", call_id=2)).over()
    assert [(call.opnum, call.callback, stub(call.response)) for call in talk.calls] == [
        (3, False, b"to inner"),
        (2, True, b"to callback"),
        (1, False, b"to outer"),
    ]
    assert talk.calls[1].binding is not None
    assert talk.calls[1].binding.source is BindingSource.OUTER_CALL
    assert talk.codes == []


def test_faults_cancels_and_orphans() -> None:
    talk = bound().client(d.request(call_id=2), d.request(call_id=3), d.request(call_id=4), d.request(call_id=5))
    talk.client(d.pdu(d.CO_CANCEL, call_id=3), d.pdu(d.ORPHANED, call_id=4), d.pdu(d.CO_CANCEL, call_id=5))
    talk.server(d.fault(0x1C010003, flags=0x23, call_id=2), d.response(call_id=5)).over()
    found = {call.call_id: call for call in talk.calls}
    assert [found[n].outcome for n in (2, 3, 4, 5)] == [
        CallOutcome.FAULTED, CallOutcome.CANCELLED, CallOutcome.ORPHANED, CallOutcome.ANSWERED,
    ]  # fmt: skip
    fault = found[2].fault
    assert fault is not None
    assert (fault.status, fault.did_not_execute) == (0x1C010003, True)
    assert found[5].cancelled


def test_a_fault_before_the_last_fragment_waits_for_the_rest() -> None:
    first, second, third = fragments(b"aaaabbbbcccc", "request", 2)
    talk = bound().client(first).server(d.fault(call_id=2)).client(second, third).over()
    assert talk.call.outcome is CallOutcome.FAULTED
    assert talk.call.request is not None
    assert talk.call.request.complete
    assert {pdu.call for pdu in talk.pdus[2:]} == {talk.call.key}


def test_a_fault_that_refuses_an_alter_context_is_negotiation() -> None:
    alter = d.bind((d.SAMR, (d.NDR,)), kind=d.ALTER, first_id=7, call_id=6)
    talk = bound().client(alter).server(d.fault(5, call_id=6)).client(d.request(ctx=7, call_id=7)).over()
    assert talk.fates[3] == "negotiation"
    assert talk.call.binding is None


def test_contexts_accepted_refused_redefined_and_unanswered() -> None:
    def binding(talk: Talk, ctx: int) -> tuple[str, str] | None:
        found = talk.client(d.request(ctx=ctx, call_id=90)).server(d.response(ctx=ctx, call_id=90)).calls[-1].binding
        return None if found is None else (found.interface.uuid, str(found.source))

    refused = Talk().client(BIND).server(d.ack((2, 1, d.NDR), (0, 0, d.NDR64)))
    assert binding(refused, 0) is None
    assert binding(refused, 1) == (d.SAMR[0], "bind")
    assert refused.codes == ["rpc-context-rejected"]
    unanswered = Talk().client(d.bind((d.QM2QM, (d.NDR,)), (d.SAMR, (d.NDR, d.NDR64))))
    assert binding(unanswered, 0) == (d.QM2QM[0], "bind_unanswered")
    assert binding(unanswered, 1) == (d.SAMR[0], "bind_unanswered")
    altered = bound().client(d.bind((d.SAMR, (d.NDR,)), kind=d.ALTER, call_id=5))
    altered.server(d.ack((0, 0, d.NDR), kind=d.ALTER_RESP, call_id=5))
    assert binding(altered, 0) == (d.SAMR[0], "bind")
    nak = Talk().client(BIND).server(d.pdu(d.BIND_NAK, b"\4\0\0"))
    assert binding(nak, 0) is None
    cut = Talk().client(BIND[:60], len(BIND) - 60).server(ACK)
    assert binding(cut, 0) == (d.QM2QM[0], "bind")


def test_an_answer_with_another_number_of_results_is_told() -> None:
    assert Talk().client(BIND).server(d.ack((0, 0, d.NDR))).codes == ["rpc-bind-answer-mismatch"]


def test_a_verification_trailer_names_the_interface_where_no_bind_does() -> None:
    trailer = d.verification(d.pcontext(d.QM2QM, d.NDR), d.header2(2, 5, 9))
    talk = Talk(from_start=False).client(d.request(b"stub" + trailer, opnum=9, call_id=2, ctx=5))
    talk.client(d.request(b"next", opnum=8, call_id=3, ctx=5)).over()
    assert [stub(call.request) for call in talk.calls] == [b"stub", b"next"]
    assert [call.request and call.request.trailer for call in talk.calls] == [trailer, b""]
    for call in talk.calls:
        assert call.binding is not None
        assert (call.binding.interface.uuid, call.binding.source) == (d.QM2QM[0], BindingSource.VERIFICATION_TRAILER)


@pytest.mark.parametrize(
    "trailer",
    [d.verification(d.header2(3)), d.verification(d.header2(opnum=1)), d.verification(d.pcontext(d.SAMR, d.NDR))],
)
def test_a_trailer_that_contradicts_its_request_stays_in_the_stub(trailer: bytes) -> None:
    talk = bound().client(d.request(b"stub" + trailer)).over()
    assert talk.call.request is not None
    assert talk.call.request.stub == b"stub" + trailer
    assert talk.codes == ["rpc-verification-trailer-bad"]


@pytest.mark.parametrize("leg", [d.AUTH3, d.ALTER])
def test_who_called_is_known_from_ntlm(leg: int) -> None:
    last = d.Auth(b"\xa1\x30" + ALICE, 9, 6, 79)
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)), auth=d.Auth(b"NTLMSSP\0\1\0\0\0", 9, 6, 79))).server(ACK)
    talk.client(d.pdu(d.AUTH3, bytes(4), auth=last) if leg == d.AUTH3 else d.bind(kind=d.ALTER, auth=last))
    sealed = d.Auth(b"s" * 16, 9, 6, 79, pad=4)
    talk.client(d.request(b"sealed..", call_id=2, auth=sealed)).server(d.response(b"x", call_id=2, auth=sealed))
    call = talk.call
    assert (call.username, call.domain, call.workstation) == ("alice", "CORP", "PC-1")
    assert (call.auth_type, call.auth_level, call.auth_context_id, call.encrypted) == (9, 6, 79, True)
    assert call.request is not None
    assert call.request.stub == b"sealed.."


def test_at_connect_level_requests_need_no_trailer() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)), auth=d.Auth(ALICE, 10, 2))).server(d.ack((0, 0, d.NDR)))
    talk.client(d.request(call_id=2)).over()
    assert (talk.call.auth_level, talk.call.username, talk.call.encrypted) == (2, "alice", False)


def test_malformed_pdus_and_lying_trailers_are_told() -> None:
    talk = bound().client(d.request(b"aaaa", flags=d.FIRST, call_id=2), d.pdu(d.REQUEST, b"1234", flags=0, call_id=2))
    talk.client(d.request(b"cccc", flags=d.LAST, call_id=2)).over()
    assert talk.fates[-2] == "malformed"
    assert talk.call.request is not None
    assert (talk.call.request.stub, talk.call.request.missing) == (b"aaaa", Missing.MALFORMED)
    assert talk.codes == ["rpc-pdu-malformed", "rpc-fragment-missing"]
    assert bound().client(d.request(b"1", auth=d.Auth(claimed_pad=99))).codes == ["rpc-auth-trailer-bad"]


def test_limits_are_told_and_nothing_is_lost_from_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_calls, "MAX_OPEN_CALLS", 4)
    monkeypatch.setattr(parts, "MAX_STUB_BYTES", 6)
    monkeypatch.setattr(parts, "MAX_FRAMES_PER_PART", 2)
    talk = bound().client(*(d.request(call_id=n) for n in range(10, 20))).server(d.response(call_id=15)).over()
    assert Counter(call.outcome for call in talk.calls) == {CallOutcome.EVICTED: 6, CallOutcome.UNANSWERED: 4}
    assert talk.codes == ["rpc-too-many-calls"] * 6
    assert talk.fates[-1] == "late"
    large = bound().client(*fragments(b"aaaabbbbcccc", "request", 2)).over()
    request = large.call.request
    assert request is not None
    assert (request.stub, request.size, request.missing) == (b"aaaabb", 12, Missing.LIMIT)
    assert (len(request.frames), request.frames_left_out, request.fragments) == (2, 1, 3)
    assert large.codes == ["rpc-stub-too-large", "rpc-too-many-frames"]
    assert large.tracker.open_calls.stub_bytes == 0


PDU = st.builds(
    lambda make, flags, call_id, ctx: make(b"stub", flags=flags, call_id=call_id, ctx=ctx),
    st.sampled_from([d.request, d.response]),
    st.integers(0, 3),
    st.integers(0, 2),
    st.integers(0, 1),
) | st.sampled_from([BIND, ACK, d.fault(), d.pdu(d.CO_CANCEL), d.pdu(d.ORPHANED), d.pdu(d.SHUTDOWN), d.pdu(d.REQUEST)])


@given(
    st.lists(st.tuples(st.sampled_from([LOW, HIGH]), PDU | st.binary(max_size=30) | st.integers(1, 50)), max_size=30)
)
def test_any_conversation_tells_every_pdu_once_and_every_call_once(script: list[tuple[Side, bytes | int]]) -> None:
    talk = play(script)
    keys = [call.key for call in talk.calls]
    assert len(keys) == len(set(keys))
    assert {pdu.call for pdu in talk.pdus if pdu.call} <= set(keys)
    places = [(pdu.framed.sender, pdu.framed.offset) for pdu in talk.pdus]
    assert len(places) == len(set(places))
    assert (talk.tracker.open_calls.stub_bytes, talk.tracker.open_calls.unasked) == (0, 0)
    assert not [event for event in talk.tracker.finish() if isinstance(event, Call)]
