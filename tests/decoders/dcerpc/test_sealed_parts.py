"""Sealed is a matter of each part: the other may be readable."""

from __future__ import annotations

import pytest

from decoders.dcerpc.call_model import CallOutcome
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import Talk

SIGNED, SEALED = d.Auth(level=5), d.Auth(level=6)


def bound() -> Talk:
    return Talk().client(d.bind((d.QM2QM, (d.NDR,)))).server(d.ack((0, 0, d.NDR)))


def seals(talk: Talk) -> tuple[bool | None, bool | None, bool]:
    call = talk.over().call
    return call.request and call.request.sealed, call.response and call.response.sealed, call.encrypted


@pytest.mark.parametrize("asked", [None, SIGNED, SEALED])
@pytest.mark.parametrize("answered", [None, SIGNED, SEALED])
def test_each_part_tells_for_itself(asked: d.Auth | None, answered: d.Auth | None) -> None:
    talk = bound().client(d.request(auth=asked)).server(d.response(auth=answered))
    assert seals(talk) == (asked is SEALED, answered is SEALED, SEALED in (asked, answered))


def test_one_sealed_fragment_seals_the_part() -> None:
    talk = bound().client(d.request(flags=d.FIRST), d.request(flags=d.LAST, auth=SEALED)).server(d.response())
    assert seals(talk) == (True, False, True)


def test_a_sealed_fault_seals_the_call_and_no_part() -> None:
    talk = bound().client(d.request()).server(d.fault(auth=SEALED))
    assert seals(talk) == (False, None, True)
    assert talk.call.outcome is CallOutcome.FAULTED


@pytest.mark.parametrize(("answered", "sealed"), [(SIGNED, False), (SEALED, True)])
def test_a_part_whose_trailer_is_cut_is_as_the_rest_of_its_call(answered: d.Auth, sealed: bool) -> None:
    whole = d.request(bytes(64), auth=SEALED)
    talk = bound().client(whole[:60], len(whole) - 60).server(d.response(auth=answered))
    assert seals(talk) == (sealed, sealed, sealed)


def test_a_part_whose_trailer_is_cut_may_be_sealed_where_nothing_tells() -> None:
    whole = d.request(bytes(64), auth=SIGNED)
    assert seals(bound().client(whole[:60], len(whole) - 60).server(d.response())) == (True, False, True)


def test_a_readable_request_loses_its_verification_trailer_although_the_answer_is_sealed() -> None:
    trailer = d.verification(d.header2())
    talk = bound().server(d.response(auth=SEALED), at=50).client(d.request(b"stub" + trailer), at=40).over()
    assert talk.call.request is not None
    assert (talk.call.request.stub, talk.call.request.trailer) == (b"stub", trailer)
    sealed = bound().client(d.request(b"stub" + trailer, auth=SEALED)).over().call.request
    assert sealed is not None
    assert (sealed.stub, sealed.trailer, sealed.verification) == (b"stub" + trailer, b"", None)
