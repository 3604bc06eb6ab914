"""How an object ends: not by what one of several clients does, nor by what was not done or not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from decoders.oaut.building import variant
from decoders.oaut.names import VT
from pipelines.facts.stored_form import MAX_TOLD
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.local import Local
from tests.pipelines.com import story as s
from tests.pipelines.sessions.telling import columns, told
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


def test_an_object_of_a_third_host_is_at_that_host_in_doubt(tmp_path: Path) -> None:
    """[MS-DCOM] 3.1.1.5.2, 3.2.4.3. Of a process that its own resolver announced there is none.

    Whoever hands it on has no row.
    """
    handed = """
a: Invoke object=A -> gives=B at="10.0.0.77" oxid=0x0C01
a: Invoke object=A -> gives=C at="10.0.0.77"
a: Invoke object=A rgvarg=[[9, D]] at="10.0.0.77" oxid=0x0C02
a: Invoke object=A rgvarg=[[9, E]] at="10.0.0.5" oxid=0x0C03
"""
    rows = told(tmp_path, f"{MADE}{handed}")["com_objects"]
    found = {
        oid[-1]: (exporter["host"], doubt) for oid, exporter, doubt in columns(rows, "oid", "exporter", "doubt") if oid
    }
    assert found == {
        "1": ("10.0.0.9", None),
        "2": ("10.0.0.77", "open_not_seen"),
        "3": ("10.0.0.9", None),
        "4": ("10.0.0.77", "open_not_seen"),
        "5": ("10.0.0.5", None),
    }


def test_an_object_that_is_handed_on_to_a_third_host_stays_where_it_is(tmp_path: Path) -> None:
    """[MS-DCOM] 3.2.4.3: with one of the five references, so that its end comes when both have given back theirs."""
    handed = """
connect c interface IMSMQQueueInfo to 10.0.0.7
alter c interface IDispatch
c: Invoke object=X rgvarg=[[9, {0}]] at="10.0.0.9" oxid=0x0A01 oid={1} public=1
connect d interface IMSMQQueueInfo from 10.0.0.7
alter d interface IDispatch
alter d interface IRemUnknown
d: Invoke object={0}
"""
    released = "a: RemRelease refs=[[A, 4]]\nd: RemRelease refs=[[A, 1]]"
    rows = told(tmp_path, f"{MADE}{handed.format('A', '0x0B01')}{released}")["com_objects"]
    (one,) = [row for row in rows if row["exporter"]["host"] == "10.0.0.9" and row["oid"]]
    assert (one["calls_made"], one["references_given"], one["end"], one["doubt"]) == (1, 5, "released", None)
    rows = told(tmp_path, f"{MADE}{handed.format('Y', '0x77')}")["com_objects"]
    (other,) = [row for row in rows if row["exporter"]["host"] == "10.0.0.9" and row["calls_made"]]
    assert (other["oxid"][-4:], other["oid"][-4:], other["client"]) == ("0a01", "0077", "10.0.0.7")
    assert (other["references_given"], other["doubt"]) == (0, "open_not_seen")

    more = handed.format("Z", "0x0B01")
    rows = told(tmp_path, f"{MADE}{more}")["com_objects"]
    (same,) = [row for row in rows if row["exporter"]["host"] == "10.0.0.9" and row["calls_made"]]
    assert (same["oid"][-4:], len(same["interfaces"]), same["doubt"]) == ("0b01", 2, None)


THIRD: Final = """
connect c interface IMSMQQueueInfo to 10.0.0.7
alter c interface IDispatch
connect s interface IRemoteSCMActivator to 10.0.0.7
connect d interface IMSMQQueueInfo to 10.0.0.7
alter d interface IDispatch
alter d interface IRemUnknown
"""


@pytest.mark.parametrize(
    ("more", "calls", "doubt"),
    [
        ("c: Invoke object=P -> gives=B\nd: Invoke object=B", 1, None),
        ("d: Invoke object=B", 1, "open_not_seen"),
        ("c: Invoke object=P -> gives=B", 0, None),
        ("", 0, "open_not_seen"),
    ],
    ids=["given by its host and called", "called there", "given by its host", "not seen there"],
)
def test_whoever_hands_on_an_object_of_somebody_else_keeps_no_row_of_it(
    tmp_path: Path, more: str, calls: int, doubt: str | None
) -> None:
    """The host whose it is has the row, and it alone: without doubt where it was seen to hand it out itself."""
    handed = 'a: Invoke object=A -> gives=B at="10.0.0.7" oxid=0x0C01 oid=0x0BBB'
    rows = told(tmp_path, f"{MADE}{THIRD}{handed}\n{more.replace('gives=B', 'gives=B oxid=0x0C01 oid=0x0BBB')}")
    (found,) = [row for row in rows["com_objects"] if row["oid"] == "0000000000000bbb"]
    assert (found["exporter"]["host"], found["calls_made"], found["doubt"]) == ("10.0.0.7", calls, doubt)


def test_one_whose_references_are_counted_here_is_told_here(tmp_path: Path) -> None:
    """What its reference says of another host is a doubt then."""
    handed = 'a: Invoke object=A -> gives=B at="10.0.0.77" oxid=0x0C01 oid=0x0BBB\na: RemRelease refs=[[B, 1]]'
    rows = [row for row in told(tmp_path, f"{MADE}{handed}")["com_objects"] if row["oid"] == "0000000000000bbb"]
    assert {row["exporter"]["host"]: row["doubt"] for row in rows}["10.0.0.9"] == "open_not_seen"


def _handed_on(tmp_path: Path, *hosts: tuple[str, ...]) -> dict[int, list[str]]:
    """In one call of a client, an object for each. By OID: which hosts have it."""
    given = (c.objref(c.DISPATCH, 0x99, 0x900 + n, c.ipid(0x70 + n), hosts=named) for n, named in enumerate(hosts))
    talk = s.created(s.exporter())
    asked = c.invoked(7, *(variant(VT["VT_DISPATCH"], c.interface(one)) for one in given))
    _, objects = s.rows(
        s.captured(tmp_path, s.activation(), talk.orpc(c.DISPATCH, "Invoke", s.DISPATCH, asked, c.returned()))
    )
    found: dict[int, list[str]] = {}
    for row in objects:
        if row["oid"] is not None and int(row["oid"], 16) >= 0x900:
            found.setdefault(int(row["oid"], 16), []).append(row["exporter"]["host"])
    return found


def test_the_first_of_several_addresses_has_the_row(tmp_path: Path) -> None:
    assert _handed_on(tmp_path, ("10.9.9.9", "192.168.9.9")) == {0x900: ["10.9.9.9"]}


def test_objects_of_more_hosts_than_are_told_stay_with_whom_handed_them_on(tmp_path: Path) -> None:
    """No host beyond the limit hears of it: somebody tells of each object all the same."""
    hosts = [(f"10.9.9.{n}",) for n in range(1, MAX_TOLD + 4)]
    found = _handed_on(tmp_path, *hosts)
    assert len(found) == len(hosts)
    assert all(len(one) == 1 for one in found.values())
    assert sum(one == [p.CLIENT] for one in found.values()) == 3


def test_the_account_is_that_of_the_host_that_it_was_handed_to(tmp_path: Path) -> None:
    """A client's own object is handed to the server, whose account the call does not tell."""
    script = f"{MADE}connect b interface IMSMQQueueInfo auth integrity\nalter b interface IDispatch\n"
    script += 'b: Invoke rgvarg=[[9, S]] at="10.0.0.5" oxid=0x0C01\nb: Invoke -> gives=B'
    rows = told(tmp_path, script)["com_objects"]
    found = {
        row["exporter"]["host"]: (row["client"], row["username"]) for row in rows if row["oid"] != A and row["oid"]
    }
    assert found == {"10.0.0.5": ("10.0.0.9", None), "10.0.0.9": ("10.0.0.5", "alice")}
