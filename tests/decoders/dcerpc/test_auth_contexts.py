"""Security contexts: who is behind a request, with a trailer and without."""

from __future__ import annotations

import pytest

from decoders.dcerpc import auth_contexts as module
from decoders.dcerpc.auth_contexts import AuthContexts, AuthOutcome
from decoders.dcerpc.framing_model import FramedPdu, Origin
from decoders.dcerpc.header import PacketType, PduHeader
from decoders.dcerpc.security_trailer import SecurityTrailer
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import LOW, Talk
from tests.decoders.security.test_ntlm import ALICE, message, wide

BOB = message(wide("bob"), wide("CORP"), wide("PC-2"))
CONNECT, INTEGRITY, PRIVACY = 2, 5, 6
BIND = FramedPdu(LOW, 0, PduHeader(PacketType.BIND, 3, "<", 100, 0, 1), bytes(100), Origin(7, 7, ((0, 3),), {0: 100}))


def trailer(token: bytes = b"", level: int = CONNECT, context_id: int = 0) -> SecurityTrailer:
    return SecurityTrailer(10, level, 0, 0, context_id, token)


def test_each_context_has_its_own_identity() -> None:
    auth = AuthContexts()
    assert auth.leg(trailer(ALICE, context_id=1), BIND, from_client=True) is None
    assert auth.leg(trailer(BOB, context_id=2), BIND, from_client=True) is None
    for context_id, name in ((1, "alice"), (2, "bob")):
        found = auth.of(trailer(context_id=context_id).claims)
        assert found is not None
        assert found.client is not None
        assert found.client.username == name
    unknown = auth.of(trailer(level=INTEGRITY, context_id=3).claims)
    assert unknown is not None
    assert (unknown.client, unknown.auth_level) == (None, INTEGRITY)


@pytest.mark.parametrize(("level", "found"), [(0, True), (CONNECT, True), (4, False), (PRIVACY, False)])
def test_without_a_trailer_it_is_the_only_context_at_connect_level(level: int, found: bool) -> None:
    auth = AuthContexts()
    assert auth.of(None) is None
    auth.leg(trailer(ALICE, level), BIND, from_client=True)
    assert (auth.of(None) is not None) is found
    auth.leg(trailer(BOB, level, 1), BIND, from_client=True)
    assert auth.of(None) is None


def test_what_the_server_sends_names_nobody_and_changes_no_level() -> None:
    auth = AuthContexts()
    auth.leg(trailer(b"NTLMSSP\0\1\0\0\0", INTEGRITY), BIND, from_client=True)
    auth.leg(trailer(ALICE, CONNECT), BIND, from_client=False)
    assert (auth.contexts[0].handshake.authenticate, auth.contexts[0].auth_level) == (None, INTEGRITY)


def test_a_damaged_token_is_told_and_the_context_stays() -> None:
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)), auth=d.Auth(ALICE[:40])))
    assert talk.codes == ["rpc-auth-token-bad"]
    assert set(talk.tracker.negotiation.auth.contexts) == {0}


def outcome(talk: Talk) -> AuthOutcome:
    (context,) = talk.over().tracker.negotiation.auth.contexts.values()
    return context.outcome


def test_a_context_that_is_negotiated_again_is_told_and_the_last_one_counts() -> None:
    negotiate = b"NTLMSSP\0\1\0\0\0\1\0\0\0"
    legs = [d.bind(auth=d.Auth(token)) for token in (negotiate, ALICE, negotiate, BOB)]
    talk = Talk().client(*legs)
    assert talk.codes == ["rpc-auth-token-bad"]
    found = talk.tracker.negotiation.auth.of(trailer().claims)
    assert found is not None
    assert found.client is not None
    assert found.client.username == "bob"


def test_an_answer_to_the_last_leg_lets_a_client_in_and_one_to_an_earlier_leg_does_not() -> None:
    alter = d.bind((d.QM2QM, (d.NDR,)), kind=d.ALTER, call_id=2, auth=d.Auth(ALICE))
    answer = d.ack((0, 0, d.NDR), kind=d.ALTER_RESP, call_id=2)
    assert outcome(Talk().client(alter, at=5).server(answer, at=6)) is AuthOutcome.ACCEPTED
    assert outcome(Talk().client(alter, at=5).server(answer, at=4)) is AuthOutcome.UNKNOWN
    assert (
        outcome(Talk().client(d.bind(auth=d.Auth(ALICE[:8] + b"\1" + ALICE[9:]))).server(d.ack()))
        is AuthOutcome.UNKNOWN
    )


def test_frames_of_a_context_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_HANDSHAKE_FRAMES", 3)
    talk = Talk().client(*(d.bind(auth=d.Auth(ALICE)) for _ in range(9)))
    assert len(talk.tracker.negotiation.auth.contexts[0].frames) == 3


def test_more_contexts_than_a_client_may_build_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_AUTH_CONTEXTS", 2)
    talk = Talk().client(*(d.bind(auth=d.Auth(ALICE, context_id=n)) for n in range(3)))
    assert talk.codes == ["rpc-auth-trailer-bad"]
    assert set(talk.tracker.negotiation.auth.contexts) == {0, 1}


@pytest.mark.parametrize(("level", "encrypted"), [(PRIVACY, True), (INTEGRITY, False), (None, True)])
def test_a_request_cut_before_its_trailer_is_sealed_unless_nothing_seals_here(
    level: int | None, encrypted: bool
) -> None:
    auth = None if level is None else d.Auth(ALICE, level=level)
    request = d.request(bytes(200), auth=d.Auth(level=PRIVACY), call_id=2)
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,)), auth=auth)).server(d.ack((0, 0, d.NDR)))
    talk.client(request[:100], len(request) - 100).over()
    assert talk.call.encrypted is encrypted
    plain = d.request(bytes(200), call_id=2)
    assert not Talk().client(plain[:100], len(plain) - 100).over().call.encrypted


def test_fragments_that_disagree_on_their_security_are_told_once_a_call() -> None:
    fragments = [
        d.request(b"....", flags=flags, auth=d.Auth(level=level))
        for flags, level in ((d.FIRST, INTEGRITY), (d.MIDDLE, PRIVACY), (d.LAST, 4))
    ]
    talk = Talk().client(d.bind((d.QM2QM, (d.NDR,))), *fragments).over()
    assert talk.codes == ["rpc-auth-trailer-bad"]
    assert talk.call.encrypted
