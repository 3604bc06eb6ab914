"""Sigma rules written for Zeek's dce_rpc.log run on ours as they are."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from sigma.backends.sqlite.sqlite import sqliteBackend
from sigma.collection import SigmaCollection

from ingest.choice import Choice, Scope
from pipelines.exports.formats import FORMATS
from schemas.exports import zeek
from schemas.tables import CALLS
from schemas.tables import CAPTURES as CAPTURES_TABLE
from tests.conftest import ROOT
from tests.exports.run_folder import write
from tests.local import Local

RULES = Path(__file__).parent / "sigma"
CAPTURES = ROOT.parent / "shared" / "captures"
EXPECTED = {
    "zeek_dce_rpc_queue_purged": [("127.0.0.2", "qm2qm", "RemoteQMPurgeQueue")],
    "zeek_dce_rpc_queue_manager_administered": [("127.0.0.2", "qmmgmt", "R_QMMgmtAction")] * 3,
    "zeek_dce_rpc_message_reads": [
        *[("127.0.0.2", "qm2qm", "RemoteQMStartReceive")],
        *[("127.0.0.2", "qm2qm", "RemoteQMStartReceiveByLookupId")] * 3,
    ],
    "zeek_dce_rpc_endpoint_enumeration": [
        *[("127.0.0.1", "epmapper", "ept_lookup")],
        *[("127.0.0.2", "epmapper", "ept_lookup")] * 2,
    ],
    "zeek_dce_rpc_unknown_operation": [("127.0.0.2", "qm2qm", "unknown-11")],
    "zeek_dce_rpc_remote_execution": [],
}


@pytest.fixture(scope="module")
def logs(sample_run: Path) -> sqlite3.Connection:
    return database(sample_run)


def database(run: Path) -> sqlite3.Connection:
    names = [field.target for field in zeek.DCE_RPC.fields]
    made = sqlite3.connect(":memory:")
    made.execute("create table logs ({})".format(", ".join(f"`{name}`" for name in names)))
    lines = FORMATS["zeek-json"].parts["dce_rpc"](str(run), Counter())
    rows = [[json.loads(line).get(name) for name in names] for line in lines]
    made.executemany("insert into logs values ({})".format(", ".join("?" * len(names))), rows)
    return made


def found(name: str, logs: sqlite3.Connection) -> list[tuple[str, str, str]]:
    rules = SigmaCollection.from_yaml((RULES / f"{name}.yml").read_text(encoding="utf-8"))
    assert [rule.errors for rule in rules.rules] == [[]]
    (query,) = sqliteBackend().convert(rules)  # type: ignore[no-untyped-call]
    return sorted(logs.execute(query.replace("SELECT *", "SELECT `id.orig_h`, endpoint, operation")).fetchall())


def test_every_rule_is_expected_to_find_something_or_nothing() -> None:
    assert {path.stem for path in RULES.glob("*.yml")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_rule_finds_what_it_is_about(name: str, logs: sqlite3.Connection) -> None:
    assert found(name, logs) == EXPECTED[name]


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="the captures are not there")
def test_tasks_registered_by_sealed_calls_are_found(tmp_path: Path) -> None:
    """With --scope rpc, by the name that Zeek gives the opnum: what is sealed does not matter."""
    (path,) = CAPTURES.glob("sample-captures__create_two_tasks*")
    write(tmp_path, CALLS, Local(path, choice=Choice(Scope.RPC)).tables["calls"])
    write(tmp_path, CAPTURES_TABLE, [])
    registered = found("zeek_dce_rpc_remote_execution", database(tmp_path))
    assert {row[1:] for row in registered} == {("ITaskSchedulerService", "SchRpcRegisterTask")}
    assert len(registered) == 2
