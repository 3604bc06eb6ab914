"""Every event of every format stands at the time at which its act happened on the wire."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from pyarrow import parquet

from pipelines.exports.formats import FORMATS
from schemas.tables import WRITTEN
from tests.conftest import ROOT
from tests.report.runs import run_of_captures, run_of_scripts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Row = dict[str, Any]
SCRIPTS = sorted((ROOT / "tests" / "data" / "scripts").glob("*.calls"))
CAPTURES = {
    "sample": "msmq-loopback.pcap",
    "incident": "incident/orders.pcap",
    "script": "script/invoices.pcap",
}
CLAIMED = {"Message Arrival": "as the server says", "Message Sent": "as the sender says"}
"""What did not happen on the wire, and who says so."""
ROUNDED = dt.timedelta(milliseconds=1)
"""OCSF knows milliseconds."""


class Event(NamedTuple):
    what: str
    uid: str | None
    time: dt.datetime
    over: bool = False
    """It may happen on another connection of the two hosts: the end of a session."""


@pytest.fixture(scope="module", params=["examples", *CAPTURES])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp(request.param)
    if request.param == "examples":
        return run_of_scripts(place, *(path.read_text(encoding="utf-8") for path in SCRIPTS))
    return run_of_captures(place / "run", ROOT / "samples" / CAPTURES[request.param])


def lines(folder: Path, form: str, part: str = "") -> Iterator[Row]:
    return map(json.loads, FORMATS[form].parts[part](str(folder), Counter()))


def epoch(seconds: float) -> dt.datetime:
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=round(seconds * 1_000_000))


def timesketch(folder: Path) -> Iterator[Event]:
    for event in lines(folder, "timesketch"):
        means = event["timestamp_desc"]
        if means in CLAIMED:
            assert not {"uid", "username", "id.orig_h"} & event.keys(), "a claim is held against nobody"
        else:
            time = dt.datetime.fromisoformat(event["datetime"])
            yield Event(means, event["uid"], time, means in ("Session End", "Transaction End"))


def ecs(folder: Path) -> Iterator[Event]:
    for one in lines(folder, "ecs"):
        what, uid = one["event"]["dataset"], one["msmq"]["uid"]
        yield Event(what, uid, dt.datetime.fromisoformat(one["@timestamp"]))
        for end in ("start", "end"):
            if end in one["event"]:
                yield Event(f"{what} {end}", uid, dt.datetime.fromisoformat(one["event"][end]), end == "end")


def ocsf(folder: Path) -> Iterator[Event]:
    for one in lines(folder, "ocsf"):
        (evidence,) = one.get("evidences", ({},))
        known = (one, evidence)
        uid = next(
            (of["connection_info"]["uid"] for of in known if "connection_info" in of), one["unmapped"].get("uid")
        )
        yield Event(f"{one['class_uid']}", uid, epoch(one["time"] / 1000) + ROUNDED)
        for end in ("start_time", "end_time"):
            if end in one:
                yield Event(f"{one['class_uid']} {end}", uid, epoch(one[end] / 1000) + ROUNDED, end == "end_time")


def zeek(folder: Path) -> Iterator[Event]:
    for log in FORMATS["zeek-json"].logs:
        for line in lines(folder, "zeek-json", log):
            yield Event(log, line.get("uid"), epoch(line["ts"]))


def tables(folder: Path) -> Iterator[Event]:
    """jsonl; csv has the same values."""
    once = ("ts", "given_ts", "opened_ts", "began_ts")
    for table in WRITTEN:
        if {"ts", "uid"} <= set(table.names):
            for row in lines(folder, "jsonl", table.name):
                for name in {*once, "ended_ts", "closed_ts"} & row.keys():
                    if row[name] is not None:
                        time = dt.datetime.fromisoformat(row[name])
                        yield Event(f"{table.name}.{name}", row["uid"], time, name not in once)


FORMATS_WITH_TIMES = {"timesketch": timesketch, "ecs": ecs, "ocsf": ocsf, "zeek": zeek, "tables": tables}


@pytest.mark.parametrize("form", FORMATS_WITH_TIMES)
def test_every_event_lies_within_its_connection(form: str, folder: Path) -> None:
    flows = {row["uid"]: row for row in parquet.read_table(folder / "tables" / "flows").to_pylist()}
    between: dict[tuple[str, str], list[Row]] = {}
    for row in flows.values():
        between.setdefault((row["id"]["orig_h"], row["id"]["resp_h"]), []).append(row)
    told = [event for event in FORMATS_WITH_TIMES[form](folder) if event.uid is not None]
    assert len(told) > 20
    outside = []
    for event in told:
        flow = flows[event.uid or ""]
        others = between[flow["id"]["orig_h"], flow["id"]["resp_h"]] if event.over else [flow]
        last = max(row["last_ts"] for row in others)
        if not flow["first_ts"] <= event.time <= last + ROUNDED * (form == "ocsf"):
            outside.append(event)
    assert outside == []


@pytest.mark.parametrize("folder", ["examples", "sample", "incident"], indirect=True)
def test_claims_are_there_to_be_left_out(folder: Path) -> None:
    assert CLAIMED.keys() & {event["timestamp_desc"] for event in lines(folder, "timesketch")}
