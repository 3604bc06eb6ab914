"""Presentation contexts: proposed, accepted, refused, redefined, within limits."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from decoders.dcerpc import contexts as module
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
    monkeypatch.setattr(module, "MAX_UNANSWERED_BINDS", 2)
    talk = Talk().client(*(d.bind((d.QM2QM, (d.NDR,)), first_id=n, call_id=n) for n in range(3)))
    assert talk.codes == ["rpc-too-many-contexts"]
    talk.server(*(d.ack((0, 0, d.NDR), call_id=n) for n in range(3)))
    assert set(contexts(talk).accepted) == {1, 2}


def test_witnesses_are_limited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PRESENTATION_CONTEXTS", 2)
    trailer = d.verification(d.pcontext(d.QM2QM, d.NDR))
    talk = Talk().client(*(d.request(trailer, call_id=n + 1, ctx=n) for n in range(3))).over()
    assert [call.binding is not None for call in talk.calls] == [True, True, False]
