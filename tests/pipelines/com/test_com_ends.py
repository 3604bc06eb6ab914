"""How an object ends: not by what one of several clients does, nor by what was not done or not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.local import Local
from tests.pipelines.sessions.telling import told
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pipelines.sessions.telling import Row

A: Final = "0000000000000b01"
MADE: Final = """
connect r interface IRemoteSCMActivator
RemoteCreateInstance
connect a interface IMSMQQueueInfo
alter a interface IDispatch
alter a interface IRemUnknown
connect o interface IObjectExporter
"""
SHARED: Final = f"""{MADE}
connect r2 interface IRemoteSCMActivator from 10.0.0.6
r2: RemoteCreateInstance
connect o2 interface IObjectExporter from 10.0.0.6
o: ComplexPing
o2: ComplexPing -> pSetId=0x52
"""
REMOVED: Final = "ComplexPing pSetId={0} SequenceNum=2 AddToSet=null DelFromSet=[0x0B01] -> pSetId={0}"
FIRST, SECOND = f"o: {REMOVED.format('0x51')}", f"o2: {REMOVED.format('0x52')}"


def _object(tmp_path: Path, script: str, oid: str = A) -> Row:
    return next(row for row in told(tmp_path, script)["com_objects"] if row["oid"] == oid)


@pytest.mark.parametrize(
    ("pings", "end"),
    [
        (FIRST, "open_at_end"),
        (SECOND, "open_at_end"),
        (f"{FIRST} status=5\n{SECOND}", "open_at_end"),
        (f"{FIRST}\n{FIRST}", "open_at_end"),
        (f"{FIRST}\n{SECOND}", "unpinged"),
    ],
)
def test_out_of_every_ping_set(tmp_path: Path, pings: str, end: str) -> None:
    assert _object(tmp_path, f"{SHARED}{pings}")["end"] == end


@pytest.mark.parametrize("before", [True, False], ids=["before it is seen", "after"])
@pytest.mark.parametrize(
    ("more", "end"), [("", "open_at_end"), (f"o3: {REMOVED.format('0x53')}", "unpinged")], ids=["kept", "left"]
)
def test_who_has_it_in_a_ping_set_holds_it_however_that_came_to_be(
    tmp_path: Path, more: str, end: str, *, before: bool
) -> None:
    """Somebody handed a third client a reference out of sight."""
    third = "connect o3 interface IObjectExporter from 10.0.0.7\no3: ComplexPing -> pSetId=0x53\n"
    script = f"{third}{SHARED}" if before else f"{SHARED}{third}"
    assert _object(tmp_path, f"{script}{FIRST}\n{SECOND}\n{more}")["end"] == end


@pytest.mark.parametrize(
    ("released", "returned", "end"),
    [
        ("RemRelease refs=[[A, 5]]", 5, "released"),
        ("RemRelease refs=[[A, 5]] -> status=0x80070005", 0, "open_at_end"),
        ("RemRelease refs=[[A, 5]] -> none", 0, "open_at_end"),
        ("RemAddRef refs=[[A, 0, 2]]\nRemRelease refs=[[A, 5, 0]]", 5, "open_at_end"),
        ("RemAddRef refs=[[A, 0, 2]]\nRemRelease refs=[[A, 5, 2]]", 5, "released"),
        ("RemQueryInterface ripid=A -> gives=[B]\nRemRelease refs=[[A, 10]]", 10, "open_at_end"),
        ("RemQueryInterface ripid=A -> gives=[B]\nRemRelease refs=[[A, 5], [B, 5]]", 10, "released"),
    ],
)
def test_given_back_is_what_the_server_took(tmp_path: Path, released: str, returned: int, end: str) -> None:
    made = _object(tmp_path, f"{MADE}{released}")
    assert (made["references_returned"], made["end"]) == (returned, end)


@pytest.mark.parametrize(
    ("answer", "end"),
    [("", "open_at_end"), ("-> status=0x80004005", "open_at_end"), ("-> fault=0x80010108", "released")],
)
def test_what_answers_later_was_not_gone(tmp_path: Path, answer: str, end: str) -> None:
    """Somebody handed the other client a reference out of sight."""
    later = "wait 5m\nconnect b interface IMSMQQueueInfo from 10.0.0.6\nalter b interface IDispatch"
    script = f"{MADE}a: RemRelease refs=[[A, 5]]\n{later}\nb: Invoke object=A {answer}"
    assert _object(tmp_path, script)["end"] == end


def test_what_was_under_way_when_it_went_proves_nothing(tmp_path: Path) -> None:
    script = (
        f"{MADE}connect b interface IMSMQQueueInfo\nalter b interface IDispatch\na: ask x RemRelease refs=[[A, 5]]\n"
    )
    assert _object(tmp_path, f"{script}b: Invoke object=A\nanswer x")["end"] == "released"


@pytest.mark.parametrize(
    ("pings", "end"),
    [
        ("wait 40m", "pinged_out"),
        ("repeat 20 o2: SimplePing pSetId=0x52 -> after 2m", "open_at_end"),
        ("repeat 20 o: SimplePing lost -> lost after 2m", "open_at_end"),
    ],
)
def test_let_go_by_all_who_pinged(tmp_path: Path, pings: str, end: str) -> None:
    assert _object(tmp_path, f"{SHARED}{pings}\no: ServerAlive2")["end"] == end


@pytest.mark.parametrize(
    ("later", "end"),
    [
        (
            "connect b interface IMSMQQueueInfo from 10.0.0.6\nalter b interface IDispatch\nInvoke object=B",
            "open_at_end",
        ),
        ("connect p interface IObjectExporter from 10.0.0.6\nServerAlive2", "pinged_out"),
    ],
    ids=["the exporter's", "the resolver's"],
)
def test_a_capture_without_the_resolver_says_nothing_of_pings(tmp_path: Path, later: str, end: str) -> None:
    """Two capture points, one of which lives on."""
    scripts = f"{MADE}o: ComplexPing", f"wait 1h\n{later}"
    paths = [capture(tmp_path, script, f"{number}.pcap") for number, script in enumerate(scripts)]
    rows = Local(*paths).judged()["com_objects"]
    assert next(row for row in rows if row["oid"] == A)["end"] == end


@pytest.mark.parametrize(("flags", "end"), [(0, "pinged_out"), (0x1000, "open_at_end")])
def test_one_that_needs_no_pings(tmp_path: Path, flags: int, end: str) -> None:
    """[MS-DCOM] 2.2.18.2: SORF_NOPING."""
    script = MADE.replace("RemoteCreateInstance", f"RemoteCreateInstance -> sorf={flags}")
    assert _object(tmp_path, f"{script}o: ComplexPing\nwait 40m\no: ServerAlive2")["end"] == end


def test_the_account_is_that_of_the_host_that_it_was_handed_to(tmp_path: Path) -> None:
    """A client's own object is handed to the server, whose account the call does not tell."""
    script = f"{MADE}connect b interface IMSMQQueueInfo auth integrity\nalter b interface IDispatch\n"
    script += 'b: Invoke rgvarg=[[9, S]] at="10.0.0.5" oxid=0x0C01\nb: Invoke -> gives=B'
    rows = told(tmp_path, script)["com_objects"]
    found = {
        row["exporter"]["host"]: (row["client"], row["username"]) for row in rows if row["oid"] != A and row["oid"]
    }
    assert found == {"10.0.0.5": ("10.0.0.9", None), "10.0.0.9": ("10.0.0.5", "alice")}
