"""Every code, outcome and fate comes about: one conversation for each of them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from decoders.dcerpc import auth_contexts, contexts, open_calls, parts
from decoders.dcerpc.call_model import OUTCOMES, PDU_FATES, CallOutcome, PduFate
from decoders.dcerpc.troubles import MEANINGS, Trouble, TroubleCode
from decoders.security.accounts import Account
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import Talk
from tests.decoders.dcerpc.sealing import Sealing, listening, opened

if TYPE_CHECKING:
    from collections.abc import Callable

BIND, ACK = d.bind((d.QM2QM, (d.NDR,))), d.ack((0, 0, d.NDR))
BAD = d.pdu(d.REQUEST, b"1234")
SEALING = Sealing()


def bound() -> Talk:
    return Talk().client(BIND).server(ACK)


def asked() -> Talk:
    return bound().client(d.request())


def foreign(pdu: bytes, characters: int, floats: int) -> bytes:
    return pdu[:4] + bytes((pdu[4] | characters, floats)) + pdu[6:]


TROUBLES: dict[TroubleCode, Callable[[], Talk]] = {
    TroubleCode.RESYNCHRONISED: lambda: bound().client(b"no PDU but something else", d.request()),
    TroubleCode.NOT_RPC: lambda: Talk().client(b"GET / HTTP/1.0\r\n\r\n").server(ACK),
    TroubleCode.PDU_CUT: lambda: bound().client(d.request()[:20], 8),
    TroubleCode.PDU_MALFORMED: lambda: bound().client(BAD),
    TroubleCode.FRAGMENT_MISSING: lambda: bound().client(d.request(flags=d.LAST)),
    TroubleCode.PAIRING_UNCERTAIN: lambda: asked().server(99, d.response()),
    TroubleCode.CONTEXT_UNKNOWN: lambda: bound().client(d.request(ctx=9)),
    TroubleCode.CONTEXT_REJECTED: lambda: Talk().client(BIND).server(d.ack((2, 1, d.NDR))).client(d.request()),
    TroubleCode.CONTEXT_MISMATCH: lambda: asked().server(d.response(ctx=9)),
    TroubleCode.ANSWER_MISMATCH: lambda: Talk().client(BIND).server(d.ack()),
    TroubleCode.AUTH_TRAILER_BAD: lambda: bound().client(d.request(auth=d.Auth(claimed_pad=99))),
    TroubleCode.AUTH_LEG_BAD: lambda: Talk().client(d.bind(auth=d.Auth(b"NTLMSSP\0\3\0\0\0"))),
    TroubleCode.VERIFICATION_BAD: lambda: bound().client(d.request(d.verification(d.header2(9)))),
    TroubleCode.SIGNATURE_BAD: lambda: opened(SEALING).client(d.request(b"forged", auth=d.Auth(level=6))),
    TroubleCode.UNSEALING_LOST: lambda: opened(SEALING).client(99, d.request(b"forged", auth=d.Auth(level=6))),
    TroubleCode.WRONG_SECRET: lambda: opened(SEALING, Account("alice", "CORP", "wrong")),
    TroubleCode.UNUSABLE_SECRET: lambda: listening().client(SEALING.bind, SEALING.auth3),
    TroubleCode.CALL_ID_REUSED: lambda: asked().client(d.request()),
    TroubleCode.DATA_REPRESENTATION: lambda: bound().client(foreign(d.request(), 1, 0)),
    TroubleCode.STUB_TOO_LARGE: lambda: bound().client(d.request(bytes(200))),
    TroubleCode.TOO_MANY_CALLS: lambda: bound().client(*(d.request(call_id=n) for n in range(5))),
    TroubleCode.TOO_MANY_CONTEXTS: lambda: Talk().client(d.bind(*[(d.QM2QM, (d.NDR,))] * 5)),
    TroubleCode.TOO_MANY_FRAMES: lambda: bound().client(d.request()[:20], *(bytes((n,)) for n in d.request()[20:])),
}
OUTCOMES_OF: dict[CallOutcome, Callable[[], Talk]] = {
    CallOutcome.ANSWERED: lambda: asked().server(d.response()),
    CallOutcome.FAULTED: lambda: asked().server(d.fault()),
    CallOutcome.ANSWER_CUT: lambda: asked().server(d.response(flags=d.FIRST)),
    CallOutcome.UNANSWERED: asked,
    CallOutcome.UNASKED: lambda: bound().server(d.response()),
    CallOutcome.MAYBE: lambda: bound().client(d.request(flags=0x43)),
    CallOutcome.CANCELLED: lambda: asked().client(d.pdu(d.CO_CANCEL)),
    CallOutcome.ORPHANED: lambda: asked().client(d.pdu(d.ORPHANED)),
    CallOutcome.EVICTED: lambda: bound().client(*(d.request(call_id=n) for n in range(5))),
}
FATES: dict[PduFate, Callable[[], Talk]] = {
    PduFate.CALL: asked,
    PduFate.LATE: lambda: bound().client(*(d.request(call_id=n) for n in range(5))).server(d.response(call_id=0)),
    PduFate.NEGOTIATION: lambda: Talk().client(BIND),
    PduFate.CONTROL: lambda: Talk().server(d.pdu(d.SHUTDOWN)),
    PduFate.MALFORMED: lambda: Talk().client(BAD),
    PduFate.NO_CALL: lambda: Talk().client(d.pdu(d.CO_CANCEL)),
}


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_calls, "MAX_OPEN_CALLS", 4)
    monkeypatch.setattr(parts, "MAX_STUB_BYTES", 150)
    monkeypatch.setattr(parts, "MAX_FRAMES_PER_PART", 4)
    monkeypatch.setattr(contexts, "MAX_PRESENTATION_CONTEXTS", 4)
    monkeypatch.setattr(auth_contexts, "MAX_AUTH_CONTEXTS", 4)


def test_every_name_has_a_meaning_and_a_conversation() -> None:
    assert set(TROUBLES) == set(MEANINGS) == set(TroubleCode)
    assert set(OUTCOMES_OF) == set(OUTCOMES) == set(CallOutcome)
    assert set(FATES) == set(PDU_FATES) == set(PduFate)


@pytest.mark.parametrize("code", TROUBLES)
def test_trouble(code: TroubleCode) -> None:
    assert code in TROUBLES[code]().over().codes


@pytest.mark.parametrize("outcome", OUTCOMES_OF)
def test_outcome(outcome: CallOutcome) -> None:
    assert outcome in [call.outcome for call in OUTCOMES_OF[outcome]().over().calls]


@pytest.mark.parametrize("fate", FATES)
def test_fate(fate: PduFate) -> None:
    assert FATES[fate]().fates[-1] == fate


@pytest.mark.parametrize(
    ("characters", "floats", "words"),
    [(1, 0, "characters are EBCDIC, floats IEEE"), (0, 1, "characters are ASCII, floats VAX"), (0, 3, "floats IBM")],
)
def test_another_data_representation_is_told_once_a_connection(characters: int, floats: int, words: str) -> None:
    talk = bound().client(*(foreign(d.request(call_id=n), characters, floats) for n in (1, 2))).over()
    (trouble,) = [event for event in talk.events if isinstance(event, Trouble)]
    assert trouble.code is TroubleCode.DATA_REPRESENTATION
    assert words in trouble.detail
    assert len(talk.calls) == 2


def test_version_5_1_is_read_like_5_0() -> None:
    body = struct.pack("<IHH", 4, 0, 6) + b"stub"
    talk = bound().client(d.pdu(d.REQUEST, body, minor=1)).over()
    assert (talk.call.opnum, talk.pdus[-1].framed.header.minor, talk.codes) == (6, 1, [])


def test_a_maybe_call_that_was_answered_after_all_is_answered() -> None:
    assert bound().client(d.request(flags=0x43)).server(d.response()).call.outcome is CallOutcome.ANSWERED
    again = bound().client(d.request(flags=0x43), d.request(flags=0x43)).over()
    assert ([call.outcome for call in again.calls], again.codes) == ([CallOutcome.MAYBE] * 2, [])


def test_a_pending_cancel_is_a_cancel_and_header_signing_is_none() -> None:
    assert bound().client(d.request(flags=0x07)).server(d.response()).call.cancelled
    assert asked().server(d.response(flags=0x07)).call.cancelled
    signing = BIND[:3] + bytes((0x07,)) + BIND[4:]
    assert not Talk().client(signing).server(ACK).client(d.request()).over().call.cancelled


def test_an_object_is_named_by_the_first_fragment_and_kept() -> None:
    name = "00112233-4455-6677-8899-aabbccddeeff"
    talk = bound().client(d.request(b"1234", flags=d.FIRST, object_uuid=name), d.request(b"5678", flags=d.LAST)).over()
    assert talk.call.object_uuid == name
    assert talk.call.request is not None
    assert talk.call.request.stub == b"12345678"


def test_a_fault_says_whether_the_call_was_executed() -> None:
    for flags, did_not in ((0x03, False), (0x23, True)):
        fault = asked().server(d.fault(5, flags=flags, extended=b"EERR")).call.fault
        assert fault is not None
        assert (fault.status, fault.did_not_execute, fault.extended_error) == (5, did_not, b"EERR")


def test_a_shutdown_ends_no_call() -> None:
    talk = asked().server(d.pdu(d.SHUTDOWN), d.response())
    assert talk.call.outcome is CallOutcome.ANSWERED
    assert talk.fates[-2:] == ["control", "call"]
