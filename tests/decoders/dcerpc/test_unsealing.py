"""Sealed PDUs are read with the right secret, whatever is missing between them, and never without a proof."""

from __future__ import annotations

import random
import struct
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcerpc.call_model import Principal
from decoders.dcerpc.troubles import TroubleCode
from decoders.security import ntlm_lane
from decoders.security.accounts import Account
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.losses import exchange, read_despite_losses
from tests.decoders.dcerpc.sealing import ALICE, INTEGRITY, PRIVACY, Sealing, listening, opened
from tests.scripts.ntlm import VERSIONS, Login

if TYPE_CHECKING:
    from decoders.dcerpc.call_model import Call
    from tests.decoders.dcerpc.feeding import Talk

WRONG = Account("alice", "CORP", "not this one")


def stubs(call: Call) -> tuple[bytes | None, bytes | None]:
    return call.request and call.request.stub, call.response and call.response.stub


def state(call: Call) -> tuple[bool, bool, bool | None]:
    return call.encrypted, call.unsealed, call.verified


def secrets(talk: Talk) -> list[str | None]:
    return [event.secret for event in talk.events if isinstance(event, Principal)]


@pytest.mark.parametrize(("version", "level"), [*product(sorted(VERSIONS), (INTEGRITY, PRIVACY))])
def test_every_version_of_ntlm(version: str, level: int) -> None:
    sealing = Sealing(Login(version=version), level)
    talk = opened(sealing)
    for number in range(1, 4):
        asked, answered = b"a" * number, b"b" * (9 * number)
        talk.client(sealing.request(asked, call_id=number)).server(sealing.response(answered, call_id=number))
    talk.over()
    assert [stubs(call) for call in talk.calls] == [(b"a" * n, b"b" * 9 * n) for n in range(1, 4)]
    assert {state(call) for call in talk.calls} == {(level == PRIVACY, level == PRIVACY, True)}
    assert (talk.codes, secrets(talk)) == ([], ["right"])


def test_nobody_in_particular_has_a_key_of_zeros() -> None:
    sealing = Sealing(Login(user="", domain=""))
    talk = opened(sealing).client(sealing.request()).server(sealing.response()).over()
    assert (stubs(talk.call), secrets(talk)) == ((b"asked...", b"answered"), [None])


def test_a_hash_will_do() -> None:
    sealing = Sealing()
    talk = opened(sealing, Account("ALICE", None, nt_hash=Login().nt_hash)).client(sealing.request()).over()
    assert state(talk.call) == (True, True, True)


def test_a_wrong_secret_is_told_once_and_nothing_is_believed() -> None:
    sealing = Sealing()
    talk = (
        opened(sealing, WRONG).client(sealing.request(), sealing.request(call_id=2)).server(sealing.response()).over()
    )
    assert talk.codes == ["secret-wrong"]
    assert {state(call) for call in talk.calls} == {(True, False, None)}
    assert all(call.request is not None and call.request.sealed for call in talk.calls)
    assert secrets(talk) == ["wrong"]


def test_the_right_one_of_several() -> None:
    sealing = Sealing()
    talk = opened(sealing, WRONG, ALICE, Account("bob", "CORP", "x")).client(sealing.request()).over()
    assert (state(talk.call), talk.codes) == ((True, True, True), [])


@pytest.mark.parametrize("account", [Account("bob", "CORP", "x"), Account("alice", "OTHER", "x")])
def test_nothing_is_told_of_accounts_without_a_secret(account: Account) -> None:
    talk = opened(Sealing(), account).over()
    assert (talk.codes, secrets(talk)) == ([], [None])


def test_a_secret_without_the_challenge_is_told_to_be_of_no_use() -> None:
    sealing = Sealing()
    talk = listening().client(sealing.bind, sealing.auth3, sealing.request()).over()
    assert (talk.codes, secrets(talk)) == ([TroubleCode.UNUSABLE_SECRET], ["unusable"])


def test_fragments_objects_and_cancels_go_on_in_one_stream() -> None:
    sealing, name = Sealing(), "00112233-4455-6677-8899-aabbccddeeff"
    talk = opened(sealing).client(
        sealing.request(b"1234", flags=d.FIRST, object_uuid=name),
        sealing.request(b"5678", flags=d.LAST),
        sealing.cancel(),
    )
    talk.server(sealing.response(b"abcd", flags=d.FIRST), sealing.response(b"ef", flags=d.LAST)).over()
    assert (stubs(talk.call), state(talk.call)) == ((b"12345678", b"abcdef"), (True, True, True))
    assert talk.call.cancelled


def test_a_verification_trailer_is_found_in_what_was_sealed() -> None:
    sealing, trailer = Sealing(), d.verification(d.header2())
    talk = opened(sealing).client(sealing.request(b"stub" + trailer)).over()
    assert talk.call.request is not None
    assert (talk.call.request.stub, talk.call.request.trailer) == (b"stub", trailer)


@pytest.mark.parametrize("start", [24, 32])
def test_a_fault_is_sealed_from_its_status_on_or_behind_it(start: int) -> None:
    sealing = Sealing()
    talk = (
        opened(sealing).client(sealing.request()).server(sealing.fault(0x1C01_0002, start), sealing.response(call_id=2))
    )
    talk.over()
    assert talk.calls[0].fault is not None
    assert talk.calls[0].fault.status == 0x1C01_0002
    assert [call.verified for call in talk.calls] == [True, True]


def test_a_fault_too_short_for_its_reserved_field_is_no_trouble() -> None:
    sealing = Sealing()
    short = d.pdu(d.FAULT, struct.pack("<IHBBI", 32, 0, 0, 0, 5), auth=sealing.auth)
    talk = opened(sealing).client(sealing.request()).server(sealing.protected(short, 24, from_client=False)).over()
    assert talk.call.fault is not None
    assert (talk.call.fault.status, talk.call.verified) == (5, True)


def test_each_context_has_its_own_keys_and_its_own_name() -> None:
    first, second = Sealing(context_id=1), Sealing(Login("bob", password="two"), INTEGRITY, context_id=2)
    talk = listening(ALICE, Account("bob", "CORP", "two"))
    for sealing in (first, second):
        talk.client(sealing.bind).server(sealing.ack).client(sealing.auth3)
    for number, sealing in enumerate((first, second, second, first), 1):
        talk.client(sealing.request(b"asked %d" % number, call_id=number))
        talk.server(sealing.response(b"answered %d" % number, call_id=number))
    talk.over()
    told = [(call.username, call.auth_level, call.auth_context_id, call.verified) for call in talk.calls]
    alice, bob = ("alice", PRIVACY, 1, True), ("bob", INTEGRITY, 2, True)
    assert told == [alice, bob, bob, alice]
    assert [stubs(call)[0] for call in talk.calls] == [b"asked %d" % n for n in (1, 2, 3, 4)]


@given(st.data(), st.sampled_from([INTEGRITY, PRIVACY]))
def test_whatever_is_missing_the_rest_is_read(data: st.DataObject, level: int) -> None:
    """With extended session security the place behind a hole follows from the numbers of PDUs and bytes."""
    sealing = Sealing(level=level)
    asked_and_answered = exchange(sealing, 8)
    read_despite_losses(opened(sealing), asked_and_answered, data)


@pytest.mark.parametrize("missing", [1, 30, 60, 200])
def test_a_pdu_cut_in_its_middle_is_read_up_to_there(missing: int) -> None:
    sealing = Sealing()
    asked = [sealing.request(bytes(range(200)), call_id=1), sealing.request(b"after", call_id=2)]
    talk = opened(sealing).client(asked[0][:-missing], missing, asked[1]).over()
    cut, after = talk.calls
    captured = min(200, len(asked[0]) - missing - 24)
    assert cut.request is not None
    assert cut.request.stub[:captured] == bytes(range(200))[:captured]
    assert (state(cut), state(after)) == ((True, True, None), (True, True, True))


def test_what_came_out_before_the_keys_were_known_stays_sealed_and_the_rest_is_read() -> None:
    sealing = Sealing()
    asked, answered = exchange(sealing, 3)
    talk = listening().client(sealing.bind, at=1).server(sealing.ack, at=2)
    talk.server(answered[0], at=5).client(sealing.auth3, at=3).client(*asked, at=4).server(*answered[1:], at=9).over()
    assert [call.unsealed for call in sorted(talk.calls, key=lambda call: call.call_id)] == [False, True, True]


def test_changed_bytes_are_told_and_what_follows_is_read() -> None:
    sealing = Sealing()
    asked, _ = exchange(sealing, 3)
    forged = asked[1][:30] + bytes([asked[1][30] ^ 1]) + asked[1][31:]
    talk = opened(sealing).client(asked[0], forged, asked[2]).over()
    assert [(call.unsealed, call.verified) for call in talk.calls] == [(True, True), (False, False), (True, True)]
    assert talk.codes == [TroubleCode.SIGNATURE_BAD]


def test_changed_bytes_that_were_only_signed_are_told() -> None:
    sealing = Sealing(level=INTEGRITY)
    asked, _ = exchange(sealing, 2)
    forged = asked[0][:30] + bytes([asked[0][30] ^ 1]) + asked[0][31:]
    talk = opened(sealing).client(forged, asked[1]).over()
    assert [call.verified for call in talk.calls] == [False, True]
    assert talk.codes == [TroubleCode.SIGNATURE_BAD]


def test_more_missing_than_is_kept_is_told_and_the_rest_stays_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ntlm_lane, "MAX_UNSEALING_GAP_BYTES", 200)
    sealing = Sealing()
    asked, _ = exchange(sealing, 6)
    talk = opened(sealing).client(asked[0], sum(map(len, asked[1:4])), *asked[4:]).over()
    assert talk.codes == [TroubleCode.UNSEALING_LOST]
    assert [state(call) for call in talk.calls] == [(True, True, True), (True, False, None), (True, False, None)]


def test_an_end_to_searching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ntlm_lane, "MAX_UNSEALING_SEARCHES", 3)
    monkeypatch.setattr(ntlm_lane, "MAX_UNSEALING_PLACES", 16)
    sealing = Sealing()
    asked, _ = exchange(sealing, 12)
    junk = [one[:-16] + b"\1\0\0\0" + random.Random(n).randbytes(8) + one[-4:] for n, one in enumerate(asked[1:8])]
    talk = opened(sealing).client(asked[0], *junk, *asked[8:]).over()
    assert talk.codes == [TroubleCode.SIGNATURE_BAD, TroubleCode.UNSEALING_LOST]
    assert [call.unsealed for call in talk.calls] == [True] + [False] * 11


def test_without_extended_session_security_a_missing_packet_makes_no_signature_bad() -> None:
    sealing = Sealing(Login(version="v1"))
    asked, answered = exchange(sealing, 4)
    talk = opened(sealing).client(asked[0]).server(answered[0]).client(len(asked[1])).server(answered[1])
    talk.client(asked[2]).server(answered[2], answered[3]).over()
    assert "rpc-signature-bad" not in talk.codes
    assert {call.verified for call in talk.calls} <= {True, None}
    assert [call.response is not None and not call.response.sealed for call in talk.calls].count(True) == 4


@given(st.binary(max_size=64), st.integers(0, 3), st.integers(0, 200))
def test_no_bytes_raise(junk: bytes, which: int, at: int) -> None:
    sealing = Sealing()
    pieces: list[Any] = [sealing.bind, sealing.ack, sealing.auth3, sealing.request()]
    pieces[which] = (pieces[which][:at] + junk + pieces[which][at + len(junk) :])[: len(pieces[which])]
    talk = (
        listening().client(pieces[0]).server(pieces[1]).client(pieces[2], pieces[3]).server(sealing.response()).over()
    )
    assert all(call.verified is not True or stubs(call)[0] in (None, b"asked...") for call in talk.calls)
