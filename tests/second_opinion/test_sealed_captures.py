"""Sealed calls of real captures whose passwords are known: opaque without them, proven by every signature with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from decoders.dcerpc.call_model import Call
from decoders.dcerpc.calls import CallTracker
from decoders.security.accounts import Account, ServiceKey
from ingest.choice import Choice, Scope
from tests.local import Local

if TYPE_CHECKING:
    from decoders.dcerpc.call_model import CallEvent
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.security.accounts import Secret

CAPTURES: Final = Path(__file__).resolve().parents[3] / "shared" / "captures"
# beginning of the file's name -> user, password, NTLM version, texts in the stubs of its requests
SEALED: Final = {
    "sample-captures__create_two_tasks": ("clem", "clem", "v1_ess", ("\\firsttask", "\\secondtask")),
    "sample-captures__wireshark-samples_files_ntlmssp": ("admin", "admin", "v1_ess", ()),
    "scapy__test_pcaps_dcerpc_msdrsr": ("Administrator", "Password123!", "v2", ()),
    "scapy__test_pcaps_dcerpc_privacy": ("Administrator", "Password123!", "v2", ("192.168.0.100",)),
}

pytestmark = pytest.mark.skipif(not CAPTURES.is_dir(), reason="the captures are not there")


def seen(name: str, monkeypatch: pytest.MonkeyPatch, *accounts: Secret) -> tuple[Local, list[Call]]:
    """The tables, and the calls with their stubs: no interface of ours is in them."""
    calls: list[Call] = []
    told = CallTracker.pdu

    def noted(tracker: CallTracker, from_client: bool, framed: AnyPdu, heard: int) -> list[CallEvent]:
        events = told(tracker, from_client, framed, heard)
        calls.extend(event for event in events if isinstance(event, Call))
        return events

    monkeypatch.setattr(CallTracker, "pdu", noted)
    (path,) = CAPTURES.glob(f"{name}*")
    found = Local(path, choice=Choice(Scope.RPC), accounts=accounts, in_bulk=False)
    return found, [call for call in calls if call.encrypted]


@pytest.mark.parametrize("name", SEALED)
def test_opaque_without_the_secret(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, calls = seen(name, monkeypatch)
    assert calls
    assert not any(call.unsealed or call.verified for call in calls)
    assert {row["decode_state"] for row in found.tables["calls"] if row["encrypted"]} == {"opaque"}


@pytest.mark.parametrize("name", SEALED)
def test_read_and_verified_with_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    user, password, version, texts = SEALED[name]
    found, calls = seen(name, monkeypatch, Account(user, None, password))
    assert all(call.unsealed and call.verified for call in calls)
    stubs = b"".join(call.request.stub for call in calls if call.request)
    assert [text for text in texts if text.encode("utf-16-le") not in stubs] == []
    assert {row["unsealed"] for row in found.tables["calls"]} >= {True}
    (who,) = [row for row in found.tables["principals"] if row["username"]]
    assert (who["ntlm_version"], who["secret"], who["outcome"]) == (version, "right", "accepted")
    assert [row for row in found.tables["issues"] if row["code"].startswith(("rpc-", "secret-"))] == []


@pytest.mark.parametrize("name", SEALED)
def test_a_wrong_secret_leaves_them_opaque_and_is_told_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, calls = seen(name, monkeypatch, Account(SEALED[name][0], None, "wrong"))
    assert not any(call.unsealed or call.verified for call in calls)
    assert [row["code"] for row in found.tables["issues"]] == ["secret-wrong"]


def test_tickets_of_a_real_client_are_not_opened_by_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has the key of this one. An entry that names the ticket's service is wrong; others say nothing."""
    name = "zeek__testing_btest_Traces_dce-rpc_kerberos135_auth"
    without, _ = seen(name, monkeypatch)
    tickets = {
        (row["service_name"], row["realm"], row["ticket_kvno"], row["ticket_etype"])
        for row in without.tables["principals"]
        if row["service_name"]
    }
    assert tickets
    wrong = [ServiceKey(*ticket, bytes(32)) for ticket in tickets]
    found, _ = seen(name, monkeypatch, *wrong)
    told = {(row["username"], row["name_sealed"], row["secret"]) for row in found.tables["principals"]}
    assert told == {(None, True, "wrong")}
    assert {row["code"] for row in found.tables["issues"]} - {row["code"] for row in without.tables["issues"]} == {
        "secret-wrong"
    }
    other, _ = seen(name, monkeypatch, ServiceKey("HOST/nobody", "NOWHERE", 1, 18, bytes(32)))
    assert (other.tables["principals"], other.tables["issues"]) == (
        without.tables["principals"],
        without.tables["issues"],
    )
