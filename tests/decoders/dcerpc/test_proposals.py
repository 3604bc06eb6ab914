"""Which PDU answers which bind, for everybody who asks: contexts, identities, and what is told of the connection."""

from __future__ import annotations

import struct

import pytest

from decoders.dcerpc.auth_contexts import AuthOutcome
from decoders.dcerpc.proposals import ProposalAnswer
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import Talk
from tests.decoders.security.test_ntlm import ALICE

ZERO = ("00000000-0000-0000-0000-000000000000", 0, 0)
NAK = d.pdu(d.BIND_NAK, struct.pack("<HBBB", 2, 1, 5, 0), call_id=1)
BIND = d.bind((d.QM2QM, (d.NDR,)))
ALTER = d.bind((d.SAMR, (d.NDR,)), kind=d.ALTER, first_id=1)


def answers(talk: Talk) -> list[ProposalAnswer]:
    return [one for one in talk.events if isinstance(one, ProposalAnswer)]


def outcome(talk: Talk) -> AuthOutcome:
    return talk.tracker.negotiation.auth.contexts[0].outcome


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (d.ack((0, 0, d.NDR), kind=d.ALTER_RESP), (True, None, 0xABCD)),
        (d.ack((2, 1, ZERO), kind=d.ALTER_RESP), (False, "abstract_syntax_not_supported", 0xABCD)),
        (d.fault(5), (False, "ERROR_ACCESS_DENIED", None)),
        (NAK, (False, "local_limit_exceeded", None)),
    ],
    ids=["accepted", "refused", "fault", "bind_nak"],
)
def test_what_answers_an_alter_context(answer: bytes, told: tuple[bool, str | None, int | None]) -> None:
    """The answer to the bind, which has the same call id, was not captured."""
    talk = Talk().client(BIND, ALTER).server(answer)
    assert answers(talk) == [ProposalAnswer((True, len(BIND)), *told)]
    assert set(talk.tracker.negotiation.contexts.proposed) == {0}


@pytest.mark.parametrize("answer", [d.fault(5), d.ack((0, 0, d.NDR), kind=d.ALTER_RESP)])
def test_who_is_behind_a_bind_is_not_decided_by_the_answer_to_another(answer: bytes) -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)), auth=d.Auth(ALICE))).client(ALTER).server(answer)
    assert outcome(talk) is AuthOutcome.UNKNOWN


def test_a_refusal_of_an_earlier_leg_that_comes_out_late_is_none_of_the_last_one() -> None:
    other = d.bind((d.SAMR, (d.NDR,)), kind=d.ALTER, first_id=1)
    last = d.bind((d.SAMR, (d.NDR,)), kind=d.ALTER, first_id=2, auth=d.Auth(ALICE))
    talk = Talk().client(other, at=10).client(last, at=30).server(d.fault(5), at=20)
    assert answers(talk) == [ProposalAnswer((True, 0), False, "ERROR_ACCESS_DENIED")]
    assert outcome(talk) is AuthOutcome.UNKNOWN


def test_what_a_cut_answer_accepts_is_not_known() -> None:
    whole = d.ack((0, 0, d.NDR))
    talk = Talk().client(BIND).server(whole[:-24], 24, d.response()).over()
    assert answers(talk) == [ProposalAnswer((True, 0), None)]


def test_feature_bits_are_no_reason() -> None:
    features = ("6cb71c2c-9812-4540-0300-000000000000", 1, 0)
    talk = Talk().client(d.bind((d.QM2QM, (features,)), (d.QM2QM, (d.NDR,)))).server(d.ack((3, 3, ZERO), (2, 1, ZERO)))
    assert [one.reason for one in answers(talk)] == ["abstract_syntax_not_supported"]


def test_nothing_is_answered_twice() -> None:
    talk = Talk().client(BIND).server(d.ack((0, 0, d.NDR)), d.ack((0, 0, d.NDR)))
    assert len(answers(talk)) == 1
