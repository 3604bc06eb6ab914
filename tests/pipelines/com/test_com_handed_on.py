"""Objects that are handed on: the host whose they are has a row of them, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from decoders.oaut.building import variant
from decoders.oaut.names import VT
from pipelines.facts.stored_form import MAX_TOLD
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.pipelines.com import story as s
from tests.pipelines.com.test_com_ends import MADE
from tests.pipelines.sessions.telling import columns, told

if TYPE_CHECKING:
    from pathlib import Path


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
