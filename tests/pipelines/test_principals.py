"""Who is behind a connection: rows of `principals`, and the names that calls have of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from decoders.security.accounts import Account
from tests.builders.conversations import Ends, Talk, frames, write_pcap
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.kerberos_sealing import KerberosSealing
from tests.decoders.dcerpc.sealing import ALICE, INTEGRITY, PRIVACY, Sealing
from tests.decoders.security import asn1
from tests.local import Local
from tests.scripts.kerberos import REALM
from tests.scripts.ntlm import Login
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

    from decoders.security.accounts import Secret

Row = dict[str, Any]
KERBEROS = asn1.gss(asn1.KERBEROS, b"\1\0", asn1.ap_req())
QM2QM = d.QM2QM, (d.NDR,)


def talk() -> Talk:
    return Talk(Ends(50_001, server_port=2105)).open()


def found(path: Path, one: Talk, *accounts: Secret) -> Local:
    write_pcap(path / "talk.pcap", [frame for packet in one.packets for frame in frames(one.ends, packet)])
    local = Local(path / "talk.pcap", accounts=accounts)
    assert local.imbalances() == []
    return local


def spnego(token: bytes, level: int = INTEGRITY) -> d.Auth:
    return d.Auth(token, type=9, level=level)


def principal(folder: Path, script: str) -> Row:
    (row,) = Local(capture(folder, script)).tables["principals"]
    return row


def test_ntlm_tells_both_sides(tmp_path: Path) -> None:
    row = principal(tmp_path, "connect auth privacy user bob domain HQ workstation PC-9\nRemoteQMPurgeQueue")
    told = {
        "auth_context_id": 0,
        "auth_type": 10,
        "auth_type_name": "ntlm",
        "auth_level": 6,
        "auth_level_name": "pkt_privacy",
        "mechanism": "ntlm",
        "mechanisms": None,
        "username": "bob",
        "domain": "HQ",
        "workstation": "PC-9",
        "name_sealed": False,
        "ntlm_version": "v2",
        "mic": False,
        "key_exchanged": True,
        "client_version": "6.1.7601",
        "server_version": "6.1.7601",
        "target_name": "HQ",
        "nb_domain_name": "HQ",
        "outcome": "accepted",
        "reason": None,
        "secret": None,
        "frames": [4, 5, 6],
        "capture_id": "script.pcap",
    }
    assert {name: row[name] for name in told} == told
    assert "NTLMSSP_NEGOTIATE_SEAL" in row["ntlm_flags"]
    assert row["id"]["orig_p"] == 50_001


@pytest.mark.parametrize(
    ("script", "outcome", "reason"),
    [
        ("connect\nRemoteQMPurgeQueue", "accepted", None),
        ("connect\nRemoteQMPurgeQueue -> fault=nca_op_rng_error", "accepted", None),
        ("connect\nRemoteQMPurgeQueue -> fault=5", "refused", "ERROR_ACCESS_DENIED"),
        ("connect\nRemoteQMPurgeQueue -> fault=0x721", "refused", "RPC_S_SEC_PKG_ERROR"),
        ("connect\nRemoteQMPurgeQueue -> fault=5\nRemoteQMPurgeQueue", "accepted", None),
        ("connect\nRemoteQMPurgeQueue\nRemoteQMPurgeQueue -> fault=5", "accepted", None),
        ("refuse auth connect", "refused", "authentication_type_not_recognized"),
        ("connect", "unknown", None),
        ("connect\nRemoteQMPurgeQueue -> lost", "unknown", None),
    ],
)
def test_whether_the_server_let_it_in(tmp_path: Path, script: str, outcome: str, reason: str | None) -> None:
    row = principal(tmp_path, script)
    assert (row["outcome"], row["reason"]) == (outcome, reason)


def test_a_context_whose_handshake_was_not_captured_is_a_row_without_names(tmp_path: Path) -> None:
    row = principal(tmp_path, "connect midstream\nRemoteQMPurgeQueue\nRemoteQMPurgeQueue")
    assert (row["auth_type"], row["mechanism"], row["username"], row["outcome"]) == (10, None, None, "accepted")
    assert row["frames"] == [1]


def test_no_security_no_principal(tmp_path: Path) -> None:
    assert Local(capture(tmp_path, "connect auth none\nRemoteQMPurgeQueue")).tables["principals"] == []


def test_kerberos_names_its_service_and_not_its_client(tmp_path: Path) -> None:
    first = asn1.neg_token_init(KERBEROS, asn1.KERBEROS_MS, asn1.NTLM)
    one = talk().say(d.bind(QM2QM, auth=spnego(first)))
    one.answer(d.ack((0, 0, d.NDR), auth=spnego(asn1.neg_token_resp(0, asn1.ap_rep(), asn1.KERBEROS_MS))))
    (row,) = found(tmp_path, one).tables["principals"]
    told = {
        "auth_type_name": "spnego",
        "mechanism": "kerberos",
        "mechanisms": ["kerberos_ms", "ntlm"],
        "username": None,
        "name_sealed": True,
        "realm": "CORP.EXAMPLE",
        "service_name": "HOST/hq.corp.example",
        "ticket_etype": 18,
        "ticket_etype_name": "aes256-cts-hmac-sha1-96",
        "ticket_kvno": 5,
        "ap_options": ["mutual-required"],
        "ntlm_flags": None,
        "outcome": "accepted",
    }
    assert {name: row[name] for name in told} == told


def kerberos_talk(sealing: KerberosSealing) -> Talk:
    one = talk().say(sealing.bind).answer(sealing.ack).say(sealing.third)
    for call_id in (2, 3):
        one.say(sealing.request(bytes(4), opnum=6, call_id=call_id))
        one.answer(sealing.response(bytes(4), call_id=call_id))
    return one


TOLD = "username", "domain", "operation", "encrypted", "unsealed", "verified", "decode_state"


@pytest.mark.parametrize(("level", "auth_type"), [(INTEGRITY, 9), (INTEGRITY, 16), (PRIVACY, 9), (PRIVACY, 16)])
def test_with_the_services_key_the_client_has_a_name_and_its_calls_are_read(
    tmp_path: Path, level: int, auth_type: int
) -> None:
    sealing = KerberosSealing(level=level, auth_type=auth_type)
    local = found(tmp_path, kerberos_talk(sealing), sealing.ticket.keytab)
    (row,) = local.tables["principals"]
    names = "mechanism", "username", "domain", "workstation", "name_sealed", "secret", "outcome", "ticket_kvno"
    assert [row[name] for name in names] == ["kerberos", "alice", REALM, None, False, "right", "accepted", 5]
    times = [row[name].isoformat() for name in ("ticket_auth_ts", "ticket_end_ts")]
    assert times == ["2026-01-05T08:00:00+00:00", "2026-01-05T18:00:00+00:00"]
    sealed = level == PRIVACY
    read = "alice", REALM, "RemoteQMPurgeQueue", sealed, sealed, True, "full"
    assert [tuple(call[name] for name in TOLD) for call in local.tables["calls"]] == [read, read]
    assert local.tables["issues"] == []


def test_with_a_wrong_key_of_the_service_its_calls_stay_sealed_and_an_issue_says_why(tmp_path: Path) -> None:
    sealing = KerberosSealing()
    local = found(tmp_path, kerberos_talk(sealing), replace(sealing.ticket.keytab, key=bytes(32)))
    (row,) = local.tables["principals"]
    assert (row["username"], row["name_sealed"], row["secret"]) == (None, True, "wrong")
    stay = None, None, "RemoteQMPurgeQueue", True, False, None, "opaque"
    assert [tuple(call[name] for name in TOLD) for call in local.tables["calls"]] == [stay, stay]
    assert [issue["code"] for issue in local.tables["issues"]] == ["secret-wrong"]


def test_without_a_key_of_the_service_nothing_changes(tmp_path: Path) -> None:
    one, other = kerberos_talk(KerberosSealing()), replace(KerberosSealing().ticket.keytab, principal="HOST/other")
    with_other = found(tmp_path, one, replace(other, key=bytes(32)), ALICE).tables
    without = found(tmp_path, one).tables
    assert {name: with_other[name] for name in ("calls", "principals", "issues")} == {
        name: without[name] for name in ("calls", "principals", "issues")
    }


def test_a_name_from_a_ticket_is_known_of_calls_that_nothing_protects(tmp_path: Path) -> None:
    sealing = KerberosSealing(level=2)
    one = talk().say(sealing.bind).answer(sealing.ack).say(sealing.third)
    one.say(d.request(bytes(4), opnum=6, call_id=2)).answer(d.response(bytes(4), call_id=2))
    (call,) = found(tmp_path, one, sealing.ticket.keytab).tables["calls"]
    assert (call["username"], call["domain"], call["auth_level"]) == ("alice", REALM, 2)


@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [
        (asn1.neg_token_resp(2, None), "refused", "spnego_reject"),
        (asn1.neg_token_resp(1, asn1.krb_error(37)), "refused", "KRB_AP_ERR_SKEW"),
        (asn1.neg_token_resp(1, asn1.krb_error(99)), "refused", "KRB-ERROR 99"),
        (asn1.neg_token_resp(1, asn1.ap_rep(), asn1.KERBEROS), "unknown", None),
    ],
)
def test_what_a_server_says_in_its_token(tmp_path: Path, answer: bytes, outcome: str, reason: str | None) -> None:
    one = talk().say(d.bind(QM2QM, auth=spnego(asn1.neg_token_init(KERBEROS, asn1.KERBEROS))))
    one.answer(d.ack((0, 0, d.NDR), auth=spnego(answer)))
    (row,) = found(tmp_path, one).tables["principals"]
    assert (row["mechanism"], row["outcome"], row["reason"]) == ("kerberos", outcome, reason)


def test_ntlm_after_kerberos_failed(tmp_path: Path) -> None:
    ntlm = Sealing().session
    one = talk().say(d.bind(QM2QM, auth=spnego(asn1.neg_token_init(KERBEROS, asn1.KERBEROS, asn1.NTLM))))
    one.answer(d.ack((0, 0, d.NDR), auth=spnego(asn1.neg_token_resp(1, asn1.krb_error(41), asn1.NTLM))))
    for state, client, server in (
        (1, ntlm.negotiate(), ntlm.challenge()),
        (0, ntlm.authenticate(), None),
    ):
        one.say(d.bind(QM2QM, kind=d.ALTER, auth=spnego(asn1.neg_token_resp(1, client))))
        answer = d.ack((0, 0, d.NDR), kind=d.ALTER_RESP, auth=spnego(asn1.neg_token_resp(state, server)))
        one.answer(answer)
    (row,) = found(tmp_path, one).tables["principals"]
    assert (row["mechanism"], row["username"], row["service_name"]) == ("ntlm", "alice", "HOST/hq.corp.example")
    assert (row["outcome"], row["reason"], len(row["frames"])) == ("accepted", None, 6)


def test_a_fault_refuses_the_last_leg(tmp_path: Path) -> None:
    ntlm = Sealing().session
    one = talk().say(d.bind(QM2QM, auth=spnego(asn1.neg_token_init(ntlm.negotiate()))))
    one.answer(d.ack((0, 0, d.NDR), auth=spnego(asn1.neg_token_resp(1, ntlm.challenge(), asn1.NTLM))))
    one.say(d.bind(QM2QM, kind=d.ALTER, call_id=2, auth=spnego(asn1.neg_token_resp(1, ntlm.authenticate()))))
    one.answer(d.fault(5, call_id=2))
    (row,) = found(tmp_path, one).tables["principals"]
    assert (row["username"], row["outcome"], row["reason"]) == ("alice", "refused", "ERROR_ACCESS_DENIED")


def test_calls_of_several_contexts_on_one_connection_have_each_its_own_name(tmp_path: Path) -> None:
    first, second = Sealing(level=PRIVACY, context_id=7), Sealing(Login("bob", "HQ", password="two"), INTEGRITY, 9)
    one = talk()
    for number, sealing in enumerate((first, second)):
        bind, ack = (sealing.bind, sealing.ack) if not number else (altered(sealing.bind), altered(sealing.ack))
        one.say(bind).answer(ack).say(sealing.auth3)
    for call_id, sealing in ((2, first), (3, second), (4, first)):
        one.say(sealing.request(bytes(4), opnum=6, call_id=call_id))
        one.answer(sealing.response(bytes(4), call_id=call_id))
    local = found(tmp_path, one, ALICE, Account("bob", "HQ", "two"))
    names = "username", "domain", "auth_type", "auth_level", "auth_context_id", "operation", "unsealed", "verified"
    alice = "alice", "CORP", 10, 6, 7, "RemoteQMPurgeQueue", True, True
    bob = "bob", "HQ", 10, 5, 9, "RemoteQMPurgeQueue", False, True
    calls = sorted(local.tables["calls"], key=lambda call: call["call_id"])
    assert [tuple(call[name] for name in names) for call in calls] == [alice, bob, alice]
    told = {
        row["auth_context_id"]: (row["username"], row["outcome"], row["secret"]) for row in local.tables["principals"]
    }
    assert told == {7: ("alice", "accepted", "right"), 9: ("bob", "accepted", "right")}


def altered(pdu: bytes) -> bytes:
    """A bind as alter_context, a bind_ack as its answer."""
    return pdu[:2] + bytes((pdu[2] + 3,)) + pdu[3:]
