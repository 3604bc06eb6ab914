"""PDUs that Kerberos protects are read with the service's key, and their client has a name."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest

from decoders.dcerpc.call_model import Principal
from decoders.dcerpc.troubles import TroubleCode
from decoders.security import service_keys
from decoders.security.accounts import ServiceKey
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.kerberos_sealing import INTEGRITY, PRIVACY, RAW, SPNEGO, KerberosSealing, listening, opened
from tests.decoders.dcerpc.sealing import ALICE, Sealing
from tests.decoders.dcerpc.test_unsealing import secrets, state, stubs
from tests.scripts.kerberos import ETYPES, REALM, SERVICE, Ticket, Tokens, ap_rep, ap_req, random_key

if TYPE_CHECKING:
    from tests.decoders.dcerpc.feeding import Talk

WRONG = replace(Ticket().keytab, key=bytes(32))


def names(talk: Talk) -> list[tuple[str, str] | None]:
    clients = [event.context.handshake.client for event in talk.events if isinstance(event, Principal)]
    return [None if client is None else (client.username, client.domain) for client in clients]


def of(etype: int) -> Ticket:
    return Ticket(etype, client_subkey=etype, server_subkey=etype)


@pytest.mark.parametrize(
    ("etype", "level", "auth_type", "whole"), [*product(ETYPES, (INTEGRITY, PRIVACY), (SPNEGO, RAW), (False, True))]
)
def test_every_encryption_type(etype: int, level: int, auth_type: int, whole: bool) -> None:
    ticket = of(etype)
    sealing = KerberosSealing(ticket, level, auth_type, tokens=Tokens(ticket.key, header_signing=whole))
    talk = opened(sealing)
    for number in range(1, 6):
        asked, answered = b"a" * number, b"b" * (9 * number)
        talk.client(sealing.request(asked, call_id=number)).server(sealing.response(answered, call_id=number))
    talk.over()
    assert [stubs(call) for call in talk.calls] == [(b"a" * n, b"b" * 9 * n) for n in range(1, 6)]
    assert {state(call) for call in talk.calls} == {(level == PRIVACY, level == PRIVACY, True)}
    assert {(call.username, call.domain) for call in talk.calls} == {("alice", REALM)}
    assert (talk.codes, secrets(talk), names(talk)) == ([], ["right"], [("alice", REALM)])


@pytest.mark.parametrize(
    ("ticket", "session", "client", "server"), [*product((18, 23), (17, 20, 23), (None, 19, 23), (None, 18, 23))]
)
def test_each_key_has_its_own_type(ticket: int, session: int, client: int | None, server: int | None) -> None:
    sealing = KerberosSealing(Ticket(ticket, session, client_subkey=client, server_subkey=server))
    talk = opened(sealing).client(sealing.request()).server(sealing.response()).over()
    assert (stubs(talk.call), state(talk.call)) == ((b"asked...", b"answered"), (True, True, True))
    assert talk.codes == []


def test_without_the_filler_in_the_rotation() -> None:
    sealing = KerberosSealing(tokens=Tokens(Ticket().key, rotate_filler=False))
    talk = opened(sealing).client(sealing.request()).server(sealing.response()).over()
    assert state(talk.call) == (True, True, True)


@pytest.mark.parametrize("level", [1, 2])
def test_the_name_is_known_of_calls_that_nothing_protects(level: int) -> None:
    talk = opened(KerberosSealing(level=level)).client(d.request()).server(d.response()).over()
    known = [("alice", REALM)] if level == 2 else [(None, None)]
    assert [(call.username, call.domain) for call in talk.calls] == known
    assert (names(talk), secrets(talk), talk.codes) == ([("alice", REALM)], ["right"], [])


def test_a_key_is_tried_under_another_name_and_version() -> None:
    """The key of a computer's account opens tickets for all of its services."""
    key = Ticket().keytab
    other = ServiceKey("HQ$", REALM, 2, key.etype, key.key)
    talk = opened(KerberosSealing(), WRONG, other).client(KerberosSealing().request()).over()
    assert (state(talk.call), talk.codes) == ((True, True, True), [])


def test_a_wrong_key_is_told_once_and_nothing_is_believed() -> None:
    sealing = KerberosSealing()
    talk = opened(sealing, WRONG).client(sealing.request(), sealing.request(call_id=2)).server(sealing.response())
    talk.over()
    assert talk.codes == [TroubleCode.WRONG_SECRET]
    assert talk.troubles[0].detail == (
        f"security context 0, {'/'.join(SERVICE)}@{REALM}: the ticket is sealed with another key"
    )
    assert {state(call) for call in talk.calls} == {(True, False, None)}
    assert (names(talk), secrets(talk), {call.username for call in talk.calls}) == ([None], ["wrong"], {None})


@pytest.mark.parametrize(
    "key",
    [
        replace(WRONG, kvno=4),
        replace(WRONG, principal="HOST/other"),
        replace(WRONG, realm="OTHER"),
        replace(WRONG, etype=17, key=bytes(16)),
        ALICE,
    ],
)
def test_nothing_is_told_of_services_without_a_key(key: ServiceKey) -> None:
    sealing = KerberosSealing()
    talk = opened(sealing, key).client(sealing.request()).over()
    assert (talk.codes, secrets(talk), names(talk)) == ([], [None], [None])
    assert state(talk.call) == (True, False, None)


@pytest.mark.parametrize(("kvno", "of_keytab"), [(None, 3), (0x1_0005, 0x1_0005), (0x1_0005, 5), (5, 5)])
def test_versions_have_8_bits_or_32(kvno: int | None, of_keytab: int) -> None:
    talk = opened(KerberosSealing(Ticket(kvno=kvno)), replace(WRONG, kvno=of_keytab)).over()
    assert secrets(talk) == ["wrong"]


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (replace(WRONG, key=bytes(31)), "are not read, or have another length"),
        (replace(WRONG, key=b""), "are not read, or have another length"),
    ],
)
def test_a_key_that_is_none(key: ServiceKey, said: str) -> None:
    talk = opened(KerberosSealing(), key).over()
    assert (talk.codes, secrets(talk)) == ([TroubleCode.UNUSABLE_SECRET], ["unusable"])
    assert said in talk.troubles[0].detail


@pytest.mark.parametrize(
    ("ticket", "known"), [(Ticket(session_etype=3), [None]), (Ticket(server_subkey=3), [("alice", REALM)])]
)
def test_session_keys_of_types_that_are_not_read(ticket: Ticket, known: list[tuple[str, str] | None]) -> None:
    talk = opened(KerberosSealing(ticket)).over()
    assert (talk.codes, secrets(talk), names(talk)) == ([TroubleCode.UNUSABLE_SECRET], ["unusable"], known)
    assert "encryption type 3 (des-cbc-md5), which is not read" in talk.troubles[0].detail


def test_so_many_keys_are_tried_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [replace(WRONG, principal=f"HOST/{number}") for number in range(3)]
    key = replace(Ticket().keytab, principal="HQ$")
    monkeypatch.setattr(service_keys, "MAX_TICKET_KEYS", 3)
    assert secrets(opened(KerberosSealing(), *others, key).over()) == [None]
    assert secrets(opened(KerberosSealing(), *others, Ticket().keytab).over()) == ["right"]


def test_a_ticket_without_its_authenticator_names_nobody() -> None:
    sealing = KerberosSealing()
    whole = sealing.bind
    talk = listening(sealing.ticket.keytab).client(whole[:-1] + bytes([whole[-1] ^ 1])).server(sealing.ack)
    talk.client(sealing.third, sealing.request()).over()
    assert (talk.codes, secrets(talk), names(talk)) == ([TroubleCode.UNUSABLE_SECRET], ["unusable"], [None])
    assert (talk.call.username, state(talk.call)) == (None, (True, False, None))


def test_without_the_servers_answer_its_key_is_unknown_and_nobody_is_accused() -> None:
    sealing = KerberosSealing()
    talk = listening(sealing.ticket.keytab).client(sealing.bind, sealing.third, sealing.request())
    talk.client(sealing.request(call_id=2)).server(len(sealing.ack), sealing.response(), sealing.response(call_id=2))
    talk.over()
    assert (secrets(talk), names(talk)) == (["right"], [("alice", REALM)])
    assert talk.codes.count(TroubleCode.UNSEALING_LOST) == 2
    assert TroubleCode.SIGNATURE_BAD not in talk.codes
    assert {state(call) for call in talk.calls} == {(True, False, None)}


def test_without_the_servers_answer_the_clients_own_key_will_do() -> None:
    sealing = KerberosSealing(Ticket(server_subkey=None))
    talk = listening(sealing.ticket.keytab).client(sealing.bind, sealing.request()).over()
    assert (state(talk.call), talk.codes) == ((True, True, True), [])


def test_an_answer_to_another_question_gives_no_key() -> None:
    """Both are sealed with the session key of the same ticket."""
    sealing = KerberosSealing()
    other = d.ack((0, 0, d.NDR), auth=replace(sealing.auth, token=ap_rep(sealing.ticket, cusec=8)))
    talk = listening(sealing.ticket.keytab).client(sealing.bind).server(other).client(sealing.request()).over()
    assert (state(talk.call), talk.codes) == ((True, False, None), [TroubleCode.UNSEALING_LOST])


def test_user_to_user_is_told_to_be_of_no_use() -> None:
    sealing = KerberosSealing()
    token = ap_req(sealing.ticket, options=0x6000_0000)
    talk = listening(WRONG).client(d.bind((d.QM2QM, (d.NDR,)), auth=replace(sealing.auth, token=token))).over()
    assert (talk.codes, secrets(talk)) == ([TroubleCode.UNUSABLE_SECRET], ["unusable"])


@pytest.mark.parametrize("start", [24, 32])
def test_a_fault_is_sealed_from_its_status_on_or_behind_it(start: int) -> None:
    sealing = KerberosSealing()
    talk = opened(sealing).client(sealing.request()).server(sealing.fault(0x1C01_0002, start)).over()
    assert talk.call.fault is not None
    assert (talk.call.fault.status, talk.call.verified) == (0x1C01_0002, True)


def test_fragments_and_objects() -> None:
    sealing, name = KerberosSealing(), "00112233-4455-6677-8899-aabbccddeeff"
    talk = opened(sealing).client(
        sealing.request(b"1234", flags=d.FIRST, object_uuid=name), sealing.request(b"5678", flags=d.LAST)
    )
    talk.server(sealing.response(b"abcd", flags=d.FIRST), sealing.response(b"ef", flags=d.LAST)).over()
    assert (stubs(talk.call), state(talk.call)) == ((b"12345678", b"abcdef"), (True, True, True))


def test_each_context_has_its_own_mechanism_and_name() -> None:
    first, second = KerberosSealing(context_id=1), Sealing(level=INTEGRITY, context_id=2)
    third = KerberosSealing(Ticket(user="bob", seed="2"), INTEGRITY, SPNEGO, context_id=3)
    talk = listening(ALICE, first.ticket.keytab)
    for one in (first, third):
        talk.client(one.bind).server(one.ack).client(one.third)
    talk.client(second.bind).server(second.ack).client(second.auth3)
    either: list[KerberosSealing | Sealing] = [first, second, third, first]
    for number, sealing in enumerate(either, 1):
        talk.client(sealing.request(call_id=number)).server(sealing.response(call_id=number))
    talk.over()
    told = [(call.username, call.domain, call.auth_context_id, call.verified) for call in talk.calls]
    alice = ("alice", REALM, 1, True)
    assert told == [alice, ("alice", "CORP", 2, True), ("bob", REALM, 3, True), alice]


def test_a_second_ticket_on_the_same_context_brings_its_own_keys() -> None:
    first, second = KerberosSealing(), KerberosSealing(Ticket(user="bob", seed="2"))
    talk = opened(first).client(first.request()).server(first.response())
    talk.client(second.bind).server(second.ack).client(second.third, second.request(call_id=2)).over()
    assert [(call.username, call.verified) for call in talk.calls] == [("alice", True), ("bob", True)]


def test_keys_are_not_shown() -> None:
    keys = random_key(18, "service"), *(key[1] for key in (Ticket().session, Ticket().key))
    sealing = KerberosSealing()
    talk = opened(sealing).client(sealing.request()).over()
    shown = repr((sealing.ticket.keytab, talk.events, talk.tracker))
    assert not [key for key in keys if repr(key)[2:-1] in shown or key.hex() in shown]
