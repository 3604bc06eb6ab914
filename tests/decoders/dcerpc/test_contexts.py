"""Presentation contexts: proposed, accepted, refused, redefined, within limits."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from decoders.dcerpc import contexts as module
from decoders.dcerpc import proposals
from decoders.dcerpc.bind import SyntaxId
from decoders.dcerpc.call_model import BindingSource
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import Talk

if TYPE_CHECKING:
    from decoders.dcerpc.contexts import Contexts

FEATURES = ("6cb71c2c-9812-4540-0300-000000000000", 1, 0)
ZERO = ("00000000-0000-0000-0000-000000000000", 0, 0)


def contexts(talk: Talk) -> Contexts:
    return talk.tracker.negotiation.contexts


def interface(talk: Talk, ctx_id: int) -> tuple[str, str] | None:
    found = contexts(talk).binding(ctx_id)
    return None if found is None else (found.interface.uuid, found.transfer_syntax.uuid)


def alter(*proposed: tuple[d.Syntax, tuple[d.Syntax, ...]], call_id: int = 5) -> bytes:
    return d.bind(*proposed, kind=d.ALTER, call_id=call_id)


def altered(*results: tuple[int, int, d.Syntax], call_id: int = 5) -> bytes:
    return d.ack(*results, kind=d.ALTER_RESP, call_id=call_id)


def test_as_windows_binds_ndr_ndr64_and_features() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)), (d.QM2QM, (d.NDR64,)), (d.QM2QM, (FEATURES,))))
    assert contexts(talk).client_features == 3
    assert set(contexts(talk).proposed) == {0, 1}
    talk.server(d.ack((2, 2, ZERO), (0, 0, d.NDR64), (3, 3, ZERO)))
    found = contexts(talk)
    assert (found.server_features, found.assoc_group_id) == (3, 0xABCD)
    assert (found.max_xmit_frag, found.max_recv_frag) == (5_840, 4_280)
    assert (found.rejected[0].result, found.rejected[0].reason) == (2, 2)
    assert (interface(talk, 0), interface(talk, 1), interface(talk, 2)) == (None, (d.QM2QM[0], d.NDR64[0]), None)
    assert found.proposed == {}
    assert talk.codes == []


def test_the_association_group_of_the_last_answer_is_that_of_later_calls() -> None:
    talk = Talk().client(d.request(call_id=1)).server(d.response(call_id=1)).client(d.bind((d.QM2QM, (d.NDR,))))
    talk.server(d.ack((0, 0, d.NDR))).client(d.request(call_id=2)).server(d.response(call_id=2)).over()
    assert [call.assoc_group_id for call in talk.calls] == [None, 0xABCD]


def test_an_accepted_context_refused_later_stays_and_a_refused_one_may_be_accepted() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)))).server(d.ack((0, 0, d.NDR)))
    talk.client(alter((d.QM2QM, (d.NDR64,)))).server(altered((2, 2, ZERO)))
    assert interface(talk, 0) == (d.QM2QM[0], d.NDR[0])
    assert 0 in contexts(talk).rejected
    talk.client(alter((d.QM2QM, (d.NDR,)), call_id=6)).server(altered((0, 0, d.NDR), call_id=6))
    assert contexts(talk).rejected == {}


def test_a_context_being_redefined_is_not_known_until_the_answer() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)))).server(d.ack((0, 0, d.NDR)))
    talk.client(alter((d.SAMR, (d.NDR,))))
    assert interface(talk, 0) is None
    talk.client(d.request(call_id=6))
    talk.server(altered((0, 0, d.NDR)), d.response(call_id=6))
    assert talk.call.binding is not None
    assert talk.call.binding.interface.uuid == d.SAMR[0]


def test_a_later_leg_that_repeats_the_contexts_changes_nothing() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)))).server(d.ack((0, 0, d.NDR))).client(alter((d.QM2QM, (d.NDR,))))
    assert interface(talk, 0) == (d.QM2QM[0], d.NDR[0])


@pytest.mark.parametrize("refusal", [d.pdu(d.BIND_NAK, struct.pack("<HBBB", 4, 1, 5, 0)), d.pdu(d.BIND_NAK, b"\2\0")])
def test_a_bind_nak_takes_the_proposal_back(refusal: bytes) -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,))))
    assert interface(talk, 0) == (d.QM2QM[0], d.NDR[0])
    talk.server(refusal)
    assert interface(talk, 0) is None
    assert talk.fates == ["negotiation", "negotiation"]


def test_an_answer_of_the_other_kind_or_another_call_answers_nothing() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)), call_id=3))
    talk.server(altered((0, 0, d.NDR), call_id=3), d.ack((0, 0, d.NDR), call_id=4))
    found = contexts(talk).binding(0)
    assert found is not None
    assert found.source is BindingSource.BIND_UNANSWERED


def test_answers_of_interleaved_negotiations_go_by_call_id() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)), call_id=1)).server(d.ack((0, 0, d.NDR), call_id=1))
    talk.client(d.bind((d.SAMR, (d.NDR,)), kind=d.ALTER, first_id=1, call_id=2))
    talk.client(d.bind((d.QM2QM, (d.NDR64,)), kind=d.ALTER, first_id=2, call_id=3))
    talk.server(altered((0, 0, d.NDR64), call_id=3), altered((0, 0, d.NDR), call_id=2))
    assert interface(talk, 1) == (d.SAMR[0], d.NDR[0])
    assert interface(talk, 2) == (d.QM2QM[0], d.NDR64[0])


def test_more_contexts_than_are_remembered_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PRESENTATION_CONTEXTS", 2)
    three = [(d.QM2QM, (d.NDR,))] * 3
    talk = Talk().client(d.bind(*three))
    assert set(contexts(talk).proposed) == {0, 1}
    talk.server(d.ack(*[(0, 0, d.NDR)] * 3))
    assert set(contexts(talk).accepted) == {0, 1}
    assert talk.codes == ["rpc-too-many-contexts"] * 2
    talk.client(d.bind(*three, kind=d.ALTER, first_id=7)).server(d.ack(*[(2, 0, ZERO)] * 3, kind=d.ALTER_RESP))
    assert set(contexts(talk).rejected) == {7, 8}


def test_more_proposals_than_wait_push_the_oldest_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "MAX_UNANSWERED_BINDS", 2)
    talk = Talk().client(*(d.bind((d.QM2QM, (d.NDR,)), first_id=n, call_id=n) for n in range(3)))
    assert talk.codes == ["rpc-too-many-contexts"]
    talk.server(*(d.ack((0, 0, d.NDR), call_id=n) for n in range(3)))
    assert set(contexts(talk).accepted) == {1, 2}


def test_witnesses_are_limited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PRESENTATION_CONTEXTS", 2)
    trailer = d.verification(d.pcontext(d.QM2QM, d.NDR))
    talk = Talk().client(*(d.request(trailer, call_id=n + 1, ctx=n) for n in range(3))).over()
    assert [call.binding is not None for call in talk.calls] == [True, True, False]


def asked(talk: Talk, ctx: int) -> tuple[str, str]:
    """Code and detail of what is told of a call on this context."""
    talk.client(d.request(ctx=ctx, call_id=90), d.request(ctx=ctx, call_id=91)).over()
    assert [call.binding for call in talk.calls] == [None, None]
    (trouble,) = talk.troubles
    return str(trouble.code), trouble.detail


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (d.ack((2, 1, ZERO)), "provider_rejection, abstract_syntax_not_supported"),
        (d.ack((2, 77, ZERO)), "provider_rejection, 77"),
        (d.ack((1, 1, ZERO)), "user_rejection"),
        (d.ack((9, 0, ZERO)), "9"),
        (d.pdu(d.BIND_NAK, struct.pack("<HBBB", 4, 1, 5, 0)), "bind_nak"),
    ],
)
def test_a_call_on_a_refused_context_tells_who_refused_what(answer: bytes, why: str) -> None:
    code, detail = asked(Talk().client(d.bind((d.QM2QM, (d.NDR,)))).server(answer), 0)
    assert (code, detail) == (
        "rpc-context-rejected",
        f"context 0: proposed for interface {d.QM2QM[0]} 1.0 and refused ({why})",
    )


def test_a_context_refused_by_a_fault_is_told_too() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)))).server(d.ack((0, 0, d.NDR)))
    talk.client(d.bind((d.SAMR, (d.NDR,)), kind=d.ALTER, first_id=1, call_id=5)).server(d.fault(5, call_id=5))
    code, detail = asked(talk, 1)
    assert code == "rpc-context-rejected"
    assert detail.endswith(f"{d.SAMR[0]} 1.0 and refused (fault)")


def test_a_context_redefined_without_an_answer_is_unknown_for_that_reason() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)))).server(d.ack((0, 0, d.NDR))).client(alter((d.SAMR, (d.NDR,))))
    assert asked(talk, 0) == ("rpc-context-unknown", "context 0: redefined, and no answer to that was captured")


def test_a_context_nobody_proposed_is_unknown() -> None:
    assert asked(Talk(), 7) == ("rpc-context-unknown", "context 7: no captured bind names its interface")


@pytest.mark.parametrize(
    ("proposed", "chosen", "others"),
    [
        ((d.NDR,), d.NDR, ()),
        ((d.NDR, d.NDR64), d.NDR, (d.NDR64,)),
        ((d.NDR64, d.NDR), d.NDR, (d.NDR64,)),
        ((d.NDR64, d.SAMR), d.NDR64, (d.SAMR,)),
        ((d.NDR64, FEATURES), d.NDR64, ()),
    ],
)
def test_an_unanswered_proposal_tells_the_interface_and_leaves_the_syntax_open(
    proposed: tuple[d.Syntax, ...], chosen: d.Syntax, others: tuple[d.Syntax, ...]
) -> None:
    talk = Talk().client(d.bind((d.QM2QM, proposed)), d.request(), at=1).server(d.request(), at=2).over()
    outer, callback = (call.binding for call in talk.calls)
    wanted = SyntaxId(*d.QM2QM), SyntaxId(*chosen), tuple(SyntaxId(*one) for one in others)
    for binding, source in ((outer, BindingSource.BIND_UNANSWERED), (callback, BindingSource.OUTER_CALL)):
        assert binding is not None
        assert (binding.interface, binding.transfer_syntax, binding.open_syntaxes) == wanted
        assert binding.source is source
    answered = Talk().client(d.bind((d.QM2QM, proposed))).server(d.ack((0, 0, chosen)))
    assert contexts(answered).accepted[0].open_syntaxes == ()


def test_a_proposal_without_a_transfer_syntax_binds_nothing() -> None:
    assert interface(Talk().client(d.bind((d.QM2QM, ()))), 0) is None


def groups(talk: Talk) -> list[int | None]:
    return [call.assoc_group_id for call in talk.over().calls]


def test_the_group_a_bind_joins_stands_until_a_bind_ack_tells_another() -> None:
    joining = d.bind((d.QM2QM, (d.NDR,)), group=77)
    talk = Talk().client(joining, d.request(call_id=2)).server(d.response(call_id=2)).server(d.ack((0, 0, d.NDR)))
    assert groups(talk.client(d.request(call_id=3)).server(d.response(call_id=3))) == [77, 0xABCD]
    new = Talk().client(d.bind((d.QM2QM, (d.NDR,))), d.request(call_id=2))
    assert groups(new) == [None]
    refused = Talk().client(joining).server(d.pdu(d.BIND_NAK, b"\4\0\0")).client(d.request(call_id=2))
    assert groups(refused) == [None]
    altered_only = Talk().client(d.bind((d.QM2QM, (d.NDR,)), kind=d.ALTER, group=77), d.request(call_id=2))
    assert groups(altered_only) == [None]


def test_bind_says_nothing_of_requests_before_it() -> None:
    """They are of a connection that had the same ends: that it ended, and that another began, was not captured."""
    talk = Talk().client(d.request(call_id=1)).client(d.bind((d.QM2QM, (d.NDR,)))).server(d.ack((0, 0, d.NDR)))
    talk.client(d.request(call_id=2)).over()
    assert {call.call_id: call.binding and call.binding.source for call in talk.calls} == {
        1: None,
        2: BindingSource.BIND,
    }
    (trouble,) = talk.troubles
    assert trouble.detail == "context 0: no captured bind names its interface"


def test_request_before_the_answer_to_its_bind_is_bound() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)))).client(d.request(call_id=1)).server(d.ack((0, 0, d.NDR))).over()
    assert [call.binding and call.binding.source for call in talk.calls] == [BindingSource.BIND]
