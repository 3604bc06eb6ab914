"""The project against itself."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING

from decoders.dcerpc.troubles import TroubleCode
from decoders.net.fragments import FragmentFate
from decoders.net.model import PacketOutcome
from decoders.tcp.model import Fate
from pipelines.facts.reasons import REASONS, Reason
from pipelines.rules.findings import Verdict
from pipelines.rules.write_pages import pages as rule_pages
from pipelines.sessions.model import ReadOutcome
from schemas import internal
from schemas.interface_pages import pages
from schemas.model import Table, ddl_type
from schemas.reference import markdown
from schemas.tables import TABLES
from schemas.tables.accounting import COUNTERS
from schemas.tables.findings import VERDICTS_MEAN
from schemas.tables.issues import ISSUE_CODES
from schemas.tables.reads import READ_OUTCOMES
from tests.conftest import ROOT
from tests.every import each

if TYPE_CHECKING:
    from pathlib import Path

PRODUCT = [path for folder in ("decoders", "schemas", "ingest", "pipelines") for path in (ROOT / folder).rglob("*.py")]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("samples/*.md")]
INTERNAL = [value for value in vars(internal).values() if isinstance(value, Table)]


def test_every_table_and_column_is_documented() -> None:
    each([*TABLES, *INTERNAL], attrgetter("name"), _is_documented)


def _is_documented(table: Table) -> None:
    assert table.doc.endswith("."), table.name
    assert len(set(table.names)) == len(table.names)
    for column in table.columns:
        assert column.doc.endswith("."), f"{table.name}.{column.name}"


def test_same_column_name_means_same_type_in_all_published_tables() -> None:
    types = defaultdict(set)
    for table in TABLES:
        for column in table.columns:
            types[column.name].add(ddl_type(column.type))
    of_operation = {"request", "response"}
    # Of a host those that it serves or calls, by name; of an object those that it has, each with its own number.
    of_objects = {"interfaces"}
    assert {name for name, kinds in types.items() if len(kinds) > 1} == of_operation | of_objects


def test_contract_columns_are_there() -> None:
    """People script against these; see the README's tables."""
    fixed = {
        "captures": "capture_id path format bytes packets first_ts last_ts link_types state",
        "flows": "uid community_id id first_ts last_ts conn_state history orig_bytes resp_bytes missed_bytes "
        "tcp_stream starts_midstream",
        "pdus": "uid ts is_orig pkt_type call_id ctx_id opnum flags frag_len auth_type auth_level frames capture_id",
        "calls": "call_uid ts uid community_id id rtt_us endpoint interface_uuid interface_version opnum operation "
        "call_id transfer_syntax auth_type auth_level username domain encrypted status status_name fault decode_state "
        "request_frames response_frames capture_id",
        "endpoints": "ts uid interface_uuid endpoint host port source",
        "sessions": "session_uid uid id endpoint opened_ts closed_ts state handle queue_handle queue_name client_qm "
        "username domain peeks receives acked nacked cancelled unfinished purges message_bytes",
        "reads": "read_uid session_uid start_call_uid end_call_uid action request_id handle lookup_id sequential_id "
        "outcome message_bytes message_sha256 message_label arrived_ts",
        "findings": "rule_id level verdict reason count title spec ts uid call_uid session_uid username attack "
        "evidence",
        "admin_actions": "ts uid call_uid id username domain auth_level action target queue_name outcome status "
        "status_name",
        "issues": "code detail capture_id uid call_uid frame offset",
        "accounting": "capture_id stage counter value",
    }
    found = {table.name: set(table.names) for table in TABLES}
    assert {name: set(columns.split()) - found[name] for name, columns in fixed.items()} == {
        name: set() for name in fixed
    }


def test_no_module_beside_the_submitted_program_hides_one_of_python() -> None:
    """spark-submit puts the folder of pipelines/submit.py in front of Python's own."""
    beside = {path.stem for path in (ROOT / "pipelines").iterdir()}
    assert beside & sys.stdlib_module_names == set()


def test_reference_page_is_fresh() -> None:
    page = ROOT / "docs" / "reference" / "tables.md"
    assert page.read_text(encoding="utf-8") == markdown(), "run make docs"


def test_interface_pages_are_fresh() -> None:
    folder = ROOT / "docs" / "reference" / "interfaces"
    assert {page.name: page.read_text(encoding="utf-8") for page in folder.glob("*.md")} == pages(), "run make docs"


def test_pages_of_the_rules_are_fresh() -> None:
    folder = ROOT / "docs" / "reference"
    assert {name: (folder / name).read_text(encoding="utf-8") for name in rule_pages()} == rule_pages(), "run make docs"


def test_names_in_tables_are_explained() -> None:
    assert {str(outcome) for outcome in ReadOutcome} == set(READ_OUTCOMES)
    assert {str(verdict) for verdict in Verdict} == set(VERDICTS_MEAN)
    assert set(Reason) == set(REASONS)


def test_every_reason_is_given_by_something() -> None:
    given = "".join(path.read_text() for path in PRODUCT if path.name != "reasons.py")
    assert {reason.name for reason in Reason if f"Reason.{reason.name}" not in given} == set()


def test_catalogue_has_no_issue_code_that_nothing_gives() -> None:
    codes = {str(fate) for fate in FragmentFate} - {str(FragmentFate.DUPLICATE)}
    codes |= {outcome.code for outcome in (PacketOutcome.HEADER_CUT, PacketOutcome.MALFORMED, PacketOutcome.TOO_DEEP)}
    literal = re.compile(r'"([a-z]+(?:-[a-z]+)+)"')
    for path in PRODUCT:
        if path.name != "issues.py":
            codes |= set(literal.findall(path.read_text()))
    assert set(ISSUE_CODES) - codes == set()


def test_every_issue_code_given_is_in_the_catalogue() -> None:
    """Codes that come by other ways than these two are looked at in the tables of every run, see running.run."""
    given = re.compile(r'(?:Note|UnreadableCapture)\(\s*"([a-z-]+)"')
    codes = {code for path in PRODUCT for code in given.findall(path.read_text())}
    codes |= {str(fate) for fate in FragmentFate} - {str(FragmentFate.DUPLICATE)}
    assert len(codes) > 10
    assert codes - set(ISSUE_CODES) == set()


def test_every_issue_code_is_tested() -> None:
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("*.py") if "meta" not in path.parts)
    untested = {code for code in ISSUE_CODES if code not in tests and code.replace("-", "_").upper() not in tests}
    by_name = {str(fate) for fate in FragmentFate if f"FragmentFate.{fate.name}" in tests}
    by_name |= {str(code) for code in TroubleCode if f"TroubleCode.{code.name}" in tests}
    assert untested - by_name == set()


def test_every_counter_is_declared() -> None:
    packets = COUNTERS["packets"]
    aside = {f"set_aside_{outcome.counter}" for outcome in PacketOutcome} - {"set_aside_tcp", "set_aside_ip_fragment"}
    assert aside <= set(packets)
    assert {str(fate) for fate in Fate} | {"in"} == set(COUNTERS["payload_bytes"])


def test_nothing_refers_to_what_users_do_not_have() -> None:
    each([*PRODUCT, *DOCUMENTS], lambda path: str(path.relative_to(ROOT)), _refers_to_nothing_else)


def _refers_to_nothing_else(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "../shared" not in text
    assert "/work/" not in text


def test_only_one_place_builds_a_spark_session() -> None:
    builders = {str(path.relative_to(ROOT)) for path in PRODUCT if "SparkSession.builder" in path.read_text()}
    assert builders == {"pipelines/engine/spark_session.py"}


def test_only_one_module_imports_dpkt() -> None:
    imports = re.compile(r"^(import|from) dpkt", re.MULTILINE)
    importers = {str(path.relative_to(ROOT)) for path in PRODUCT if imports.search(path.read_text())}
    assert importers == {"decoders/net/dissect.py"}


def test_two_modules_import_impacket() -> None:
    imports = re.compile(r"^\s*(import|from) impacket", re.MULTILINE)
    importers = {str(path.relative_to(ROOT)) for path in PRODUCT if imports.search(path.read_text())}
    assert importers == {"decoders/security/ntlm_keys.py", "decoders/security/kerberos_crypto.py"}


def test_readme_names_every_option_and_exit_code() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    analyze = (ROOT / "pipelines" / "cli" / "analyze.py").read_text(encoding="utf-8")
    for option in re.findall(r'add_argument\("(--[a-z-]+)"', analyze):
        assert f"`{option}" in readme, option
    codes = (ROOT / "pipelines" / "cli" / "exit_codes.py").read_text(encoding="utf-8")
    for code in re.findall(r"= (\d+)$", codes, re.MULTILINE):
        assert f"| {code} |" in readme, code
