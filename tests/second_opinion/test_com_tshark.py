"""COM in real captures: the same calls, activations, interfaces and exporters as tshark's."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest

from ingest.choice import Choice, Scope
from tests.decoders.dcom.captured import paths
from tests.local import Local
from tests.second_opinion import tshark_com as theirs
from tests.second_opinion.tshark_com import Handed, ObjectCall

if TYPE_CHECKING:
    from pathlib import Path

FILES: Final = paths()
NATIVE: Final = {
    "afa8bd80-7d8a-11c9-bef4-08002b102989": "management",
    "76f03f96-cdfd-44fc-a22c-64950a001209": "IRemoteWinspool",
    "ccd8c074-d0e5-4a40-92b4-d074faa6ba28": "Witness",
    None: "Witness too: their binds were not captured",
}
"""They use the object UUID for what they like."""
NATIVE_CALLS: Final = 43
COM_CALLS: Final = 468
DESERVED: Final[dict[str, dict[str, str]]] = {
    "arkime__tests_pcap_dcerpc_synthetic.pcap": {
        "rpc-bind-answer-mismatch": "made by hand: frames 19, 60 and 116 answer one context with no result",
        "tcp-overlap-conflict": "made by hand: frame 7 says other bytes under the same numbers",
        "rpc-resynchronised": "made by hand: after those bytes the next PDU has to be found",
    },
    "arkime__tests_pcap_ntlm_synthetic.pcap": {"rpc-bind-answer-mismatch": "made by hand: frame 116 has no result"},
    "sample-captures__wireshark-samples_files_dcerpc-and-msrpc-based-protocols_dcerpc_witness.pcapng": {
        "rpc-context-unknown": "joined in the middle: contexts of binds that were not captured",
        "rpc-bind-answer-mismatch": "frames 352 and 361 have one result for three contexts",
    },
    "sample-captures__wireshark-samples_files_dcerpc-and-msrpc-based-protocols_nspi.pcap": {
        "tcp-gap": "194 bytes were not captured"
    },
    "suricata-verify__tests_dcerpc_dce-gap-handling_input.pcap": {"tcp-gap": "215 bytes were not captured, on purpose"},
    "zeek__testing_btest_Traces_dce-rpc_cs_window7-join_stream092.pcap": {
        "rpc-bind-answer-mismatch": "frame 8 has one result for three contexts"
    },
    "zeek__testing_btest_Traces_dce-rpc_mapi.pcap": {
        "rpc-context-unknown": "joined in the middle: contexts of binds that were not captured"
    },
    "zeek__testing_btest_Traces_dce-rpc_ntlm-empty-av-sequence.pcap": {
        "rpc-auth-token-bad": "an NTLM challenge with a field outside of the message"
    },
}
"""Issues that remain, and why. None is of COM."""

pytestmark = pytest.mark.skipif(not FILES, reason="the captures are not there")
each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:60])
Rows = dict[str, list[dict[str, Any]]]


@cache
def ours(path: Path) -> Rows:
    local = Local(path, choice=Choice(Scope.RPC))
    assert local.imbalances() == []
    return {"endpoints": []} | local.tables | local.judged()


def given(rows: Rows, *operations: str) -> dict[str, list[tuple[dict[str, Any], dict[str, Any]]]]:
    """Objects and interfaces that calls of these operations handed out, by call."""
    calls = {row["call_uid"] for row in rows["calls"] if row["operation"] in operations}
    found: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {uid: [] for uid in calls}
    for one in rows["com_objects"]:
        for interface in one["interfaces"]:
            if interface["given_by"] in calls and one["oid"] is not None:
                found[interface["given_by"]].append((one, interface))
    return found


def handed(one: dict[str, Any], interface: dict[str, Any]) -> Handed:
    return Handed(int(one["oxid"], 16), int(one["oid"], 16), interface["ipid"])


@each
def test_the_same_calls_of_objects(path: Path) -> None:
    rows = ours(path)
    opnums = {row["call_uid"]: row["opnum"] for row in rows["calls"]}
    found = Counter(ObjectCall(row["iid"], opnums[row["call_uid"]], row["ipid"]) for row in rows["com_calls"])
    told = theirs.object_calls(path)
    assert found == Counter({call: count for call, count in told.items() if call.interface not in NATIVE})
    with_object = Counter((row["opnum"], row["object_uuid"]) for row in rows["calls"] if row["object_uuid"])
    assert with_object == _without_interface(told)


def _without_interface(told: Counter[ObjectCall]) -> Counter[tuple[int, str]]:
    found: Counter[tuple[int, str]] = Counter()
    for call, count in told.items():
        found[call.opnum, call.object] += count
    return found


def test_there_are_both_kinds() -> None:
    told = [call for path in FILES for call in theirs.object_calls(path).elements()]
    assert sum(call.interface in NATIVE for call in told) == NATIVE_CALLS
    assert sum(len(ours(path)["com_calls"]) for path in FILES) == len(told) - NATIVE_CALLS == COM_CALLS


@each
def test_the_same_activations(path: Path) -> None:
    rows = ours(path)
    told = theirs.activations(path)
    found = given(rows, "RemoteCreateInstance", "RemoteGetClassObject")
    assert Counter(tuple(handed(*one) for one in some) for some in found.values() if some) == Counter(
        one.handed for one in told
    )
    clsids = {(one["clsid"], handed(one, interface)) for some in found.values() for one, interface in some}
    assert clsids == {(one.clsid, given_one) for one in told for given_one in one.handed}
    unknowns = {
        (int(one["oxid"], 16), one["interfaces"][0]["ipid"])
        for one in rows["com_objects"]
        if one["oid"] is None and one["given_by"] in found
    }
    assert unknowns == {(one.oxid, one.remote_unknown) for one in told}


@each
def test_the_same_interfaces_by_query(path: Path) -> None:
    found = given(ours(path), "RemQueryInterface")
    assert {handed(*one) for some in found.values() for one in some} == theirs.queried(path)


@each
def test_the_same_exporters(path: Path) -> None:
    found = {
        f"{row['annotation']}[{row['port']}]"
        for row in ours(path)["endpoints"]
        if row["source"] in ("RemoteCreateInstance", "RemoteGetClassObject", "ResolveOxid2")
    }
    activated = (exporter for one in theirs.activations(path) for exporter in one.exporters)
    assert found == {*activated, *theirs.resolved(path)}


@each
def test_the_same_references_given_back(path: Path) -> None:
    """Counted where the object is known, told in the arguments in any case."""
    told = theirs.released(path)
    releases = [row for row in ours(path)["com_calls"] if row["member"] == "RemRelease"]
    texts = " ".join(row["arguments"][1]["value"] for row in releases)
    assert Counter({ipid: texts.count(ipid) for ipid in told}) == told
    assert texts.count("ipid ") == sum(told.values())


@each
def test_the_same_members_and_texts(path: Path) -> None:
    """The strings of tshark are those that are not empty, last argument first."""
    found: Counter[tuple[str, ...]] = Counter()
    for row in ours(path)["com_calls"]:
        if row["via"] == "invoke":
            values = [one["value"] for one in row["arguments"] if one["type"] == "VT_BSTR" and one["value"]]
            found[tuple(reversed(values))] += 1
    told = Counter(tuple(text for text in texts.split("|") if text) for _, texts in theirs.invoked(path).elements())
    assert found == told


@each
def test_no_issue_that_the_capture_does_not_deserve(path: Path) -> None:
    codes = {row["code"] for row in ours(path)["issues"]}
    assert codes == set(DESERVED.get(path.name, ()))


@each
def test_rows_lead_to_each_other(path: Path) -> None:
    rows = ours(path)
    objects = [row["object_uid"] for row in rows["com_objects"]]
    calls = [row["call_uid"] for row in rows["com_calls"]]
    assert len(set(objects)) == len(objects)
    assert len(set(calls)) == len(calls)
    assert {row["object_uid"] for row in rows["com_calls"]} <= set(objects)
    assert set(calls) <= {row["call_uid"] for row in rows["calls"]}
    called = Counter(row["object_uid"] for row in rows["com_calls"])
    assert {row["object_uid"]: row["calls_made"] for row in rows["com_objects"] if row["calls_made"]} == dict(called)
