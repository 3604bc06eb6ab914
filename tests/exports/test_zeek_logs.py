"""Zeek's logs, as another project's parser reads them."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsezeeklogs import ZeekLog
from parsezeeklogs.reader import ZeekHeader, convert_value

from pipelines.exports import lookups
from pipelines.exports.formats import FORMATS
from pipelines.exports.mapped import event_maker
from pipelines.exports.zeek_logs import cell
from schemas.exports import zeek
from schemas.exports.converters import endpoint_name, operation_name
from schemas.exports.model import TABLES_BY_NAME
from schemas.tables import CAPTURES, ISSUES, PRINCIPALS
from tests.exports.run_folder import Row, decided_findings, write
from tests.exports.strategies import WIRE_TEXT, rows

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.exports.model import Mapping

each_stream = pytest.mark.parametrize("stream", zeek.STREAMS, ids=lambda stream: stream.name)
KINDS = {"time", "interval", "string", "addr", "port", "enum", "count", "bool", "double", "set[string]", "set[enum]"}


def lines(folder: Path, form: str, stream: str) -> list[str]:
    return list(FORMATS[form].parts[stream](str(folder), Counter()))


def parsed(found: list[str]) -> list[Row]:
    with ZeekLog(io.StringIO("".join(f"{line}\n" for line in found), newline="")) as log:
        records = list(log)
        assert log.skipped == 0
    return records


def without_unset(record: Row) -> Row:
    return {name: value for name, value in record.items() if value is not None}


@pytest.fixture
def folder(run_folder: Path) -> Path:
    issues: list[Row] = [
        {
            "code": "tcp-gap",
            "detail": "a\tb\nc",
            "uid": "C1ZNm7YERxKgc0FvHx",
            "path": "a.pcap",
            "frame": 9,
            "offset": 1,
        },
        {"code": "record-cut", "detail": "", "path": "msmq-loopback.pcap", "offset": 7},
        {"code": "property-malformed", "detail": "-", "call_uid": "R623c064ecaed664eefb645fe", "path": "b.pcap"},
        {"code": "empty-file", "detail": "\\", "path": "nowhere.pcap"},
    ]
    write(run_folder, ISSUES, issues)
    return run_folder


@each_stream
def test_both_forms_say_the_same_to_another_parser(stream: Mapping, folder: Path) -> None:
    tsv, plain = (lines(folder, form, stream.name) for form in ("zeek-tsv", "zeek-json"))
    assert [without_unset(record) for record in parsed(tsv)] == [json.loads(line) for line in plain]


def test_header_is_zeeks_own(folder: Path) -> None:
    found = lines(folder, "zeek-tsv", "dce_rpc")
    assert found[:9] == [
        "#separator \\x09",
        "#set_separator\t,",
        "#empty_field\t(empty)",
        "#unset_field\t-",
        "#path\tdce_rpc",
        "#open\t2026-11-16-03-51-10",
        "#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\trtt\tnamed_pipe\tendpoint\toperation",
        "#types\ttime\tstring\taddr\tport\taddr\tport\tinterval\tstring\tstring\tstring",
        "1794801070.066178\tC1ZNm7YERxKgc0FvHx\t127.0.0.1\t54425\t127.0.0.1\t135\t0.001979\t-\tepmapper\tept_map",
    ]
    assert found[-1] == "#close\t2026-11-16-03-51-10"


def test_times_of_the_header_are_those_of_the_captures(tmp_path: Path) -> None:
    assert lines(tmp_path, "zeek-tsv", "conn")[5] == "#open\t1970-01-01-00-00-00"
    times = ("2026-01-02T03:04:05.9+00:00", "2026-01-02T04:00:00+00:00", "2026-01-03T00:00:00+00:00")
    first, middle, last = map(dt.datetime.fromisoformat, times)
    captures: list[Row] = [
        {"path": "b", "first_ts": middle, "last_ts": last},
        {"path": "a", "first_ts": first},
        {"path": "c"},
    ]
    write(tmp_path, CAPTURES, captures)
    found = lines(tmp_path, "zeek-tsv", "conn")
    assert (found[5], found[-1]) == ("#open\t2026-01-02-03-04-05", "#close\t2026-01-03-00-00-00")


@each_stream
def test_types_are_zeeks(stream: Mapping) -> None:
    assert {field.kind for field in stream.fields} <= KINDS


def test_issues_have_the_time_and_ends_of_what_they_concern(folder: Path) -> None:
    found = {record["name"]: record for record in parsed(lines(folder, "zeek-tsv", "weird"))}
    gap, cut, malformed, empty = (found[name] for name in ("tcp-gap", "record-cut", "property-malformed", "empty-file"))
    assert (gap["ts"], gap["id.resp_p"], gap["addl"], gap["source"]) == (1794801070.062522, 135, "a\tb\nc", "stream")
    assert (cut["ts"], cut["uid"], cut["addl"], cut["source"]) == (1794801070.062522, None, "", "file")
    assert (malformed["ts"], malformed["addl"]) == (1794801070.069786, "-")
    assert (empty["ts"], empty["addl"]) == (None, "\\")


def test_few_issues_wait_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = lines(folder, "zeek-json", "weird")
    monkeypatch.setattr(lookups, "AT_ONCE", 1)
    assert lines(folder, "zeek-json", "weird") == expected


def test_what_is_not_decidable_is_no_notice(folder: Path) -> None:
    notices = parsed(lines(folder, "zeek-tsv", "notice"))
    assert len(notices) == decided_findings(folder)
    purge = next(record for record in notices if record["note"] == "MSMQ::detect-purge")
    assert (purge["sub"], purge["src"], purge["p"]) == ("T1485", "127.0.0.2", 2105)


def test_who_authenticated_by_ntlm_and_was_let_in(tmp_path: Path) -> None:
    ends = {"orig_h": "10.0.0.1", "orig_p": 1, "resp_h": "10.0.0.2", "resp_p": 2}
    both = {"uid": "A", "id": ends, "nb_computer_name": "HQ-MQ01", "dns_tree_name": "corp.example"}
    contexts = [
        both
        | {"ts_ns": 1, "mechanism": "ntlm", "username": "u", "workstation": "W", "domain": "D", "outcome": "accepted"},
        both | {"ts_ns": 2, "mechanism": "kerberos", "outcome": "accepted"},
        both | {"ts_ns": 3, "mechanism": "ntlm", "username": "v", "outcome": "refused"},
        both | {"ts_ns": 4, "mechanism": "ntlm", "outcome": "unknown"},
    ]
    write(tmp_path, PRINCIPALS, contexts)
    found = parsed(lines(tmp_path, "zeek-tsv", "ntlm"))
    assert [(one["username"], one["success"]) for one in found] == [("u", True), ("v", False), (None, None)]
    first = found[0]
    assert (first["hostname"], first["domainname"], first["server_nb_computer_name"]) == ("W", "D", "HQ-MQ01")
    assert (first["server_dns_computer_name"], first["server_tree_name"]) == (None, "corp.example")


def test_names_are_zeeks() -> None:
    assert endpoint_name("epm", "e1af8308-5d1f-11c9-91a4-08002b14a0fa") == "epmapper"
    assert endpoint_name(None, "5ca1ab1e-0000-4000-8000-00000000beef") == "unknown-5ca1ab1e-0000-4000-8000-00000000beef"
    assert endpoint_name(None, None) is None
    assert operation_name(None, 11, None) == "unknown-11"
    assert (operation_name("x", 1, None), operation_name(None, None, None)) == ("x", None)
    tasks = "86d35949-83c9-4044-b424-db363231fd0c"
    assert (endpoint_name(None, tasks), operation_name(None, 1, tasks)) == (
        "ITaskSchedulerService",
        "SchRpcRegisterTask",
    )
    assert operation_name(None, 99, tasks) == "unknown-99"


@given(WIRE_TEXT)
def test_any_text_is_read_back(text: str) -> None:
    written = cell(text, "string")
    assert len(written.splitlines()) == 1
    assert "\t" not in written
    expected = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    assert convert_value(written, "string", ZeekHeader(), "epoch") == expected


@given(st.lists(WIRE_TEXT, max_size=4))
def test_any_set_is_read_back(texts: list[str]) -> None:
    written = cell(texts, "set[string]")
    expected = [text.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for text in texts]
    # A set of one empty text looks like an empty set: in Zeek's own logs too.
    assert convert_value(written, "set[string]", ZeekHeader(), "epoch") == ([] if texts == [""] else expected)


@each_stream
@given(st.data())
def test_any_row_is_one_line(stream: Mapping, data: st.DataObject) -> None:
    row: Any = data.draw(rows(TABLES_BY_NAME[stream.table]))
    for lookup in stream.lookups:
        row[lookup.table] = data.draw(st.none() | rows(TABLES_BY_NAME[lookup.table]))
    told = event_maker(stream)(row)
    line = "\t".join(cell(value, field.kind) for (_, value), field in zip(told, stream.fields, strict=True))
    assert len(line.splitlines()) == 1
    assert line.count("\t") == len(stream.fields) - 1
    line.encode()
