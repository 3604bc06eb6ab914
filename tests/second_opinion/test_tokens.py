"""Authentication tokens as impacket and scapy read them: of the real captures, and made by the two."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import scapy.layers.spnego  # noqa: F401 - so that GSSAPI_BLOB knows it
from impacket import ntlm, spnego
from impacket.krb5.asn1 import AP_REP, AP_REQ, KRB_ERROR
from pyasn1.codec.der import decoder
from scapy.layers.gssapi import GSSAPI_BLOB
from scapy.layers.kerberos import KRB_AP_REQ, Kerberos
from scapy.layers.kerberos import KRB_ERROR as SCAPY_ERROR
from scapy.layers.ntlm import NTLM_AUTHENTICATE, NTLM_CHALLENGE, NTLM_NEGOTIATE, NTLM_Header

from decoders.dcerpc import auth_contexts
from decoders.security.kerberos import ApRep, ApReq, KrbError, parse_kerberos
from decoders.security.ntlm import AuthenticateMessage, ChallengeMessage, NegotiateMessage
from decoders.security.ntlm_names import flag_names
from decoders.security.spnego import NegTokenInit
from decoders.security.tokens import Token, read_token
from ingest.choice import Choice, Scope
from tests.decoders.security import asn1
from tests.decoders.security.test_ntlm import ALICE, challenge, pairs, wide
from tests.local import Local

CAPTURES: Final = Path(__file__).resolve().parents[3] / "shared" / "captures"
_AV: Final = {
    "MsvAvNbComputerName": ntlm.NTLMSSP_AV_HOSTNAME,
    "MsvAvNbDomainName": ntlm.NTLMSSP_AV_DOMAINNAME,
    "MsvAvDnsComputerName": ntlm.NTLMSSP_AV_DNS_HOSTNAME,
    "MsvAvDnsDomainName": ntlm.NTLMSSP_AV_DNS_DOMAINNAME,
    "MsvAvDnsTreeName": ntlm.NTLMSSP_AV_DNS_TREENAME,
    "MsvAvTargetName": ntlm.NTLMSSP_AV_TARGET_NAME,
}
_V1_BYTES: Final = 24
_DER: Final = {ApReq: AP_REQ, ApRep: AP_REP, KrbError: KRB_ERROR}
# file -> why one of the others does not read a token of it
UNREADABLE: Final = {
    "zeek__testing_btest_Traces_dce-rpc_ntlm-empty-av-sequence.pcap": "TargetInfo lies outside of the message",
}


@pytest.fixture(scope="module")
def captured() -> list[tuple[bytes, Token]]:
    if not CAPTURES.is_dir():
        pytest.skip("the captures are not there")
    found: list[tuple[bytes, Token]] = []

    def recorded(token: bytes, *, from_client: bool) -> Token:
        found.append((token, read_token(token, from_client=from_client)))
        return found[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auth_contexts, "read_token", recorded)
        for path in sorted(CAPTURES.glob("*.pcap*")):
            if path.name not in UNREADABLE:
                Local(path, choice=Choice(Scope.RPC))
    return found


def test_there_is_something_of_every_kind(captured: list[tuple[bytes, Token]]) -> None:
    kinds = {type(token.message) for _, token in captured}
    assert kinds >= {NegotiateMessage, ChallengeMessage, AuthenticateMessage, ApReq, ApRep}
    assert [token.problem for _, token in captured if token.problem] == []


def test_captured_ntlm(captured: list[tuple[bytes, Token]]) -> None:
    for raw, token in captured:
        if isinstance(token.message, NegotiateMessage | ChallengeMessage | AuthenticateMessage):
            message = raw[raw.index(b"NTLMSSP\0") :]
            of_impacket(message, token.message)
            of_scapy(message, token.message)


def test_captured_kerberos_and_spnego(captured: list[tuple[bytes, Token]]) -> None:
    for raw, token in captured:
        if isinstance(token.spnego, NegTokenInit):
            theirs = spnego.SPNEGO_NegTokenInit(raw)
            assert theirs["MechToken"] == token.spnego.mech_token
            offered = GSSAPI_BLOB(raw).innerToken.token
            assert [one.oid.val for one in offered.mechTypes] == list(token.spnego.mech_types)
        if isinstance(token.message, ApReq | ApRep):
            tag = b"\x6e\x82" if isinstance(token.message, ApReq) else b"\x6f"
            of_pyasn1(raw[raw.index(tag) :], token.message)


@pytest.mark.parametrize("message", [asn1.ap_req(), asn1.ap_req(kvno=None), asn1.ap_rep(), asn1.krb_error()])
def test_written_kerberos(message: bytes) -> None:
    ours = parse_kerberos(message)
    of_pyasn1(message, ours)
    theirs = Kerberos(message).root
    if isinstance(ours, ApReq):
        assert isinstance(theirs, KRB_AP_REQ)
        assert (theirs.ticket.realm.val.decode(), theirs.ticket.encPart.etype.val) == (ours.realm, ours.ticket.etype)
    if isinstance(ours, KrbError):
        assert isinstance(theirs, SCAPY_ERROR)
        assert theirs.errorCode.val == ours.error_code


def test_written_ntlm() -> None:
    told = challenge(wide("CORP"), pairs(a1=wide("HQ"), a2=wide("CORP"), a3=wide("hq.corp.example"), a7=bytes(8)))
    first = ntlm.getNTLMSSPType1("BRANCH7", "CORP", signingRequired=True)
    last, _ = ntlm.getNTLMSSPType3(first, told, "alice", "secret", "CORP")
    for message, from_client in ((first.getData(), True), (told, False), (last.getData(), True), (ALICE, True)):
        ours = read_token(message, from_client=from_client).message
        assert isinstance(ours, NegotiateMessage | ChallengeMessage | AuthenticateMessage)
        of_scapy(message, ours)
        of_impacket(message, ours)


def of_impacket(message: bytes, ours: NegotiateMessage | ChallengeMessage | AuthenticateMessage) -> None:
    if isinstance(ours, NegotiateMessage):
        assert int.from_bytes(message[12:16], "little") == ours.NegotiateFlags
        return
    theirs: Any = (
        ntlm.NTLMAuthChallengeResponse() if isinstance(ours, AuthenticateMessage) else ntlm.NTLMAuthChallenge()
    )
    theirs.fromString(message)
    assert theirs["flags"] == ours.NegotiateFlags
    if isinstance(ours, ChallengeMessage):
        assert theirs["challenge"] == ours.ServerChallenge
        told = theirs["TargetInfoFields"]
        known = ours.TargetInfo
    else:
        codec = "utf-16-le" if ours.NegotiateFlags & 1 else "cp1252"
        names = tuple(theirs[name].decode(codec) for name in ("user_name", "domain_name", "host_name"))
        assert names == (ours.UserName, ours.DomainName, ours.Workstation)
        assert (theirs["ntlm"], theirs["lanman"]) == (ours.NtChallengeResponse, ours.LmChallengeResponse)
        told, known = ours.NtChallengeResponse[44:] if len(ours.NtChallengeResponse) > 24 else b"", ours.AvPairs
    listed = ntlm.AV_PAIRS(told) if told else {}
    for name, number in _AV.items():
        value = listed[number] if told else None
        assert (value and value[1].decode("utf-16-le")) == getattr(known, name)


def of_scapy(message: bytes, ours: NegotiateMessage | ChallengeMessage | AuthenticateMessage) -> None:
    if isinstance(ours, AuthenticateMessage) and len(ours.NtChallengeResponse) == _V1_BYTES:
        # scapy takes every response for one of NTLMv2, and ends inside of it.
        return
    theirs = NTLM_Header(message)
    kinds = {NegotiateMessage: NTLM_NEGOTIATE, ChallengeMessage: NTLM_CHALLENGE, AuthenticateMessage: NTLM_AUTHENTICATE}
    assert isinstance(theirs, kinds[type(ours)])
    assert int(theirs.NegotiateFlags) == ours.NegotiateFlags
    # scapy leaves `NTLMSSP_` away.
    names = {name.removeprefix("NTLMSSP_").removeprefix("NTLM_") for name in flag_names(ours.NegotiateFlags)}
    same = {str(name) for name in str(theirs.NegotiateFlags).split("+")} & names
    assert len(same) >= len(names) - 3
    if ours.Version is not None:
        assert (theirs.ProductMajorVersion, theirs.ProductBuild) == (ours.Version[0], ours.Version[2])
    payload = dict(theirs.Payload)
    if isinstance(ours, AuthenticateMessage):
        assert payload.get("UserName", "") == ours.UserName
        assert payload.get("DomainName", "") == ours.DomainName


def of_pyasn1(message: bytes, ours: object) -> None:
    theirs, _ = decoder.decode(message, asn1Spec=_DER[type(ours)]())
    if isinstance(ours, ApReq):
        ticket = theirs["ticket"]
        assert (str(ticket["realm"]), "/".join(map(str, ticket["sname"]["name-string"]))) == (ours.realm, ours.sname)
        assert (int(ticket["enc-part"]["etype"]), bytes(ticket["enc-part"]["cipher"])) == (
            ours.ticket.etype,
            ours.ticket.cipher,
        )
        kvno = ticket["enc-part"]["kvno"]
        assert (int(kvno) if kvno.hasValue() else None) == ours.ticket.kvno
        assert [number for number, bit in enumerate(theirs["ap-options"]) if bit] == [2] * (
            "mutual-required" in ours.ap_options
        )
    elif isinstance(ours, ApRep):
        assert int(theirs["enc-part"]["etype"]) == ours.enc_part.etype
    elif isinstance(ours, KrbError):
        assert (int(theirs["error-code"]), str(theirs["realm"])) == (ours.error_code, ours.realm)
