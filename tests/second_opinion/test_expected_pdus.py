"""PDUs by type in the real captures, beside tshark's count; a run over all of them in scope rpc."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from decoders.dcerpc.header import PacketType
from ingest.choice import Scope
from tests.pipelines.running import Tables, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CAPTURES: Final = Path(__file__).resolve().parents[3] / "shared" / "captures"
COUNTS: Final = CAPTURES / "expected-pdus.tsv"
EXPECTED: Final = (
    {
        row["file"]: row["by_type"]
        for row in csv.DictReader(COUNTS.read_text(encoding="utf-8").splitlines(), delimiter="\t")
    }
    if COUNTS.exists()
    else {}
)

# file -> (what we have beyond tshark's count, why)
WE_DIFFER: Final = {
    "arkime__tests_pcap_dcerpc_synthetic.pcap": (
        {0: 6, 2: 4, 3: 1, 11: 6, 12: 6, 17: 1},
        "Six connections carry bare DCE/RPC on port 445; tshark reads that port as SMB whatever is in it.",
    ),
    "suricata-verify__tests_truncate-applayer-test-01_input.pcap": (
        {2: 1},
        "The last fragment of call 5361 spans frames 67 to 69; tshark shows the one before it and drops this one.",
    ),
    "zeek__testing_btest_Traces_dce-rpc_mapi.pcap": (
        {0: 5, 2: 5},
        "One connection was joined in the middle; tshark takes its client's port 1153 for ANSI C12.22.",
    ),
}


# Their connections are in other captures of the folder too: given together, each packet counts once.
SEEN_ELSEWHERE: Final = (
    "suricata-verify__tests_dcerpc_dcerpc-dce-iface-02_input.pcap",
    "zeek__testing_btest_Traces_dce-rpc_ntlm-empty-av-sequence.pcap",
)


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    if not EXPECTED:
        pytest.skip("the captures are not there")
    folder = tmp_path_factory.mktemp("pdus")
    most = [CAPTURES / name for name in EXPECTED if name not in SEEN_ELSEWHERE]
    found = run(spark, most, folder / "most", Scope.RPC)
    for table, rows in run(spark, [CAPTURES / name for name in SEEN_ELSEWHERE], folder / "others", Scope.RPC).items():
        found[table] += rows
    return found


@pytest.mark.skipif(not EXPECTED, reason="the captures are not there")
@pytest.mark.parametrize("name", EXPECTED)
def test_pdus_by_type_are_tsharks_or_the_difference_is_explained(tables: Tables, name: str) -> None:
    (capture,) = [row["capture_id"] for row in tables["captures"] if row["path"].endswith(name)]
    ours = Counter(row["pkt_type_number"] for row in tables["pdus"] if row["capture_id"] == capture)
    theirs = Counter({int(kind): int(count) for kind, count in (pair.split("=") for pair in EXPECTED[name].split(";"))})
    beyond, _ = WE_DIFFER.get(name, ({}, ""))
    assert ours - theirs == Counter(beyond)
    assert theirs - ours == Counter()


@pytest.mark.skipif(not EXPECTED, reason="the captures are not there")
def test_every_request_is_a_call(tables: Tables) -> None:
    requests = {row["call_uid"] for row in tables["pdus"] if row["pkt_type_number"] == PacketType.REQUEST}
    assert None not in requests
    assert requests <= {row["call_uid"] for row in tables["calls"]}


@pytest.mark.skipif(not EXPECTED, reason="the captures are not there")
def test_endpoint_mapper_in_real_traffic_decodes_to_the_last_byte(tables: Tables) -> None:
    calls = [row for row in tables["calls"] if row["endpoint"] == "epm" and row["operation"] and not row["encrypted"]]
    assert len(calls) > 5
    assert {row["decode_state"] for row in calls if row["outcome"] == "answered"} == {"full"}
    assert not [row for row in tables["issues"] if row["code"].startswith("ndr-")]
    assert {row["protocol"] for row in tables["endpoints"]} >= {"ncacn_ip_tcp"}
