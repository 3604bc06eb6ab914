"""Kerberos as others speak it, both ends in this process: MIT's library, scapy's provider, impacket's client."""

from __future__ import annotations

import time
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
import scapy.layers.kerberos
from impacket.krb5 import crypto as impacket_crypto
from impacket.krb5 import gssapi as impacket_gssapi
from scapy.layers.gssapi import GSS_C_FLAGS, SSP
from scapy.libs.rfc3961 import EncryptionType
from scapy.libs.rfc3961 import Key as ScapyKey

from decoders.security.kerberos_names import ETYPES as NAMES
from decoders.security.keytab import read_keytab
from tests.decoders.dcerpc.kerberos_sealing import INTEGRITY, PRIVACY, RAW, SPNEGO, KerberosSealing, opened
from tests.decoders.dcerpc.test_unsealing import secrets, state, stubs
from tests.decoders.security import asn1
from tests.scripts.kerberos import ETYPES, REALM, SERVICE, Ticket, enc_ticket_part, encrypt
from tests.second_opinion import mit_kerberos as mit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from decoders.security.accounts import Secret
    from tests.decoders.dcerpc.kerberos_sealing import Protecting

scapy_kerberos: Any = scapy.layers.kerberos
LENGTHS = *range(1, 36), 100, 4_000
CONFIG = """[libdefaults]
 default_realm = CORP.EXAMPLE
 allow_weak_crypto = true
 dns_lookup_kdc = false
 permitted_enctypes = {}
[realms]
 CORP.EXAMPLE = {{
  kdc = 127.0.0.1:1
 }}
"""


def ticket_of(ticket: Ticket, begins: int, ends: int) -> bytes:
    """As a domain controller would hand it out, valid at that time."""
    moments = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(one)).encode() for one in (begins, ends))
    part = enc_ticket_part(ticket)
    for was, now in zip((b"20260105080000Z", b"20260105180000Z"), moments, strict=True):
        part = part.replace(was, now)
    sealed = asn1.encrypted(ticket.etype, ticket.kvno, encrypt(ticket.etype, ticket.service_key, 2, part))
    members = asn1.integer(5), asn1.text(REALM), asn1.name(*SERVICE), sealed
    return asn1.tlv(0x61, asn1.sequence(*(asn1.member(number, one) for number, one in enumerate(members))))


def is_read(sealing: KerberosSealing, lengths: Iterable[int], *keys: Secret) -> None:
    talk = opened(sealing, *keys)
    for number, length in enumerate(lengths, 1):
        talk.client(sealing.request(b"a" * length, call_id=number))
        talk.server(sealing.response(b"b" * length, call_id=number))
    talk.over()
    assert [stubs(call) for call in talk.calls] == [(b"a" * length, b"b" * length) for length in lengths]
    sealed = sealing.auth.level == PRIVACY
    assert {state(call) for call in talk.calls} == {(sealed, sealed, True)}
    assert {(call.username, call.domain) for call in talk.calls} == {("alice", REALM)}
    assert (talk.codes, secrets(talk)) == ([], ["right"])


@pytest.mark.skipif(not mit.AVAILABLE, reason="MIT's library is not there")
@pytest.mark.parametrize(("etype", "level", "auth_type"), [*product(ETYPES, (INTEGRITY, PRIVACY), (SPNEGO, RAW))])
def test_what_mits_library_says(
    etype: int, level: int, auth_type: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket, now = Ticket(etype), int(time.time())
    begins, ends = now - 60, now + 3_600
    kt = mit.keytab(SERVICE, REALM, 5, etype, ticket.service_key)
    cc = mit.ccache(("alice",), SERVICE, REALM, ticket.session, range(begins, ends), ticket_of(ticket, begins, ends))
    for name, data in (("config", CONFIG.format(NAMES[etype]).encode()), ("keytab", kt), ("ccache", cc)):
        (tmp_path / name).write_bytes(data)
    monkeypatch.setenv("KRB5_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("KRB5_KTNAME", f"FILE:{tmp_path / 'keytab'}")
    monkeypatch.setenv("KRB5CCNAME", f"FILE:{tmp_path / 'ccache'}")
    monkeypatch.setenv("KRB5RCACHENAME", "none:")
    talk = mit.MitTalk(f"{'/'.join(SERVICE)}@{REALM}", spnego=auth_type == SPNEGO)
    senders, tokens = zip(*talk.legs, strict=True)
    assert senders[:3] == (True, False, True)
    sealing = KerberosSealing(ticket, level, auth_type, tokens=talk, legs=tokens[:3])
    is_read(sealing, LENGTHS, *read_keytab(kt))


class ScapyTalk:
    """Its provider signs and seals messages of AES, and seals those of RC4."""

    def __init__(self, ticket: Ticket) -> None:
        now = int(time.time())
        service = ScapyKey(EncryptionType(ticket.etype), key=ticket.service_key)
        session = ScapyKey(EncryptionType(ticket.session[0]), key=ticket.session[1])
        spn = "/".join(SERVICE)
        issued = scapy_kerberos.KRB_Ticket(ticket_of(ticket, now - 60, now + 3_600))
        kind = EncryptionType(ticket.etype)
        client = scapy_kerberos.KerberosSSP(ST=issued, UPN=f"alice@{REALM}", KEY=session, SPN=spn, SKEY_TYPE=kind)
        server = scapy_kerberos.KerberosSSP(KEY=service, SPN=spn, SKEY_TYPE=kind)
        self._ssps = {True: client, False: server}
        flags = (
            GSS_C_FLAGS.GSS_C_MUTUAL_FLAG
            | GSS_C_FLAGS.GSS_C_DCE_STYLE
            | GSS_C_FLAGS.GSS_C_CONF_FLAG
            | GSS_C_FLAGS.GSS_C_INTEG_FLAG
        )
        ends: dict[bool, Any] = {True: None, False: None}
        ends[True], first, _ = client.GSS_Init_sec_context(None, req_flags=flags)
        ends[False], second, _ = server.GSS_Accept_sec_context(None, scapy_kerberos.KRB_AP_REQ(bytes(first)))
        ends[True], third, _ = client.GSS_Init_sec_context(ends[True], scapy_kerberos.KRB_AP_REP(bytes(second)))
        self._ends = ends
        self.legs = [bytes(one) for one in (first, second, third)]

    def size(self, body: int, *, seal: bool) -> int:
        return len(self.protect(bytes(24), bytes(body), bytes(8), from_client=True, seal=seal)[1])

    def protect(
        self, head: bytes, body: bytes, trailer: bytes, *, from_client: bool, seal: bool
    ) -> tuple[bytes, bytes]:
        ssp, end = self._ssps[from_client], self._ends[from_client]
        if not seal:
            signed = [SSP.MIC_MSG(sign=True, data=one) for one in (head, body, trailer)]
            return body, bytes(ssp.GSS_GetMICEx(end, signed))
        pieces = ((head, False), (body, True), (trailer, False))
        messages = [SSP.WRAP_MSG(conf_req_flag=conf, sign=True, data=data) for data, conf in pieces]
        sent, token = ssp.GSS_WrapEx(end, messages)
        return sent[1].data, bytes(token)


@pytest.mark.filterwarnings("ignore:ARC4 has been moved")
@pytest.mark.parametrize(("etype", "level"), [(17, 5), (17, 6), (18, 5), (18, 6), (23, 6)])
def test_what_scapys_provider_says(etype: int, level: int) -> None:
    ticket = Ticket(etype)
    talk = ScapyTalk(ticket)
    is_read(KerberosSealing(ticket, level, RAW, tokens=talk, legs=talk.legs), LENGTHS)


class ImpacketClient:
    """It signs and seals bodies only, and its functions are a client's; a server's messages are ours."""

    def __init__(self, ticket: Ticket, ours: Protecting) -> None:
        etype, key = ticket.key
        self._key = impacket_crypto.Key(etype, key)
        self._gss: Any = impacket_gssapi.GSSAPI(self._key)
        self._ours, self._number = ours, 0

    def size(self, body: int, *, seal: bool) -> int:
        return len(self.protect(b"", bytes(body), b"", from_client=True, seal=seal)[1])

    def protect(
        self, head: bytes, body: bytes, trailer: bytes, *, from_client: bool, seal: bool
    ) -> tuple[bytes, bytes]:
        if not from_client:
            return self._ours.protect(head, body, trailer, from_client=False, seal=seal)
        self._number += 1
        if seal:
            sent, token = self._gss.GSS_Wrap(self._key, body, self._number)
            return sent[: len(body)], token
        return body, self._gss.GSS_GetMIC(self._key, body, self._number)


@pytest.mark.parametrize(("etype", "level"), [*product((17, 18, 23), (INTEGRITY, PRIVACY))])
def test_what_impackets_client_says(etype: int, level: int) -> None:
    ticket = Ticket(etype, server_subkey=etype)
    sealing = KerberosSealing(ticket, level)
    theirs = KerberosSealing(ticket, level, tokens=ImpacketClient(ticket, sealing.tokens))
    talk = opened(theirs)
    for length in LENGTHS:
        talk.client(theirs.request(b"a" * length, call_id=length))
    talk.over()
    assert [stubs(call)[0] for call in talk.calls] == [b"a" * length for length in LENGTHS]
    assert ({state(call)[2] for call in talk.calls}, talk.codes) == ({True}, [])
