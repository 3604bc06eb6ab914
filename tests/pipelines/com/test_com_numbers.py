"""Numbers that are dealt again, or by two processes of a host: what was done with one object is not told of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.pipelines.com.test_com_ends import MADE
from tests.pipelines.sessions.telling import columns, told, violations
from tests.scripts.words import handle

if TYPE_CHECKING:
    from pathlib import Path

OTHER_PORT: Final = 49_800
_SECOND: Final = (
    f"connect b interface IMSMQQueueInfo port {OTHER_PORT}\nalter b interface IDispatch\nalter b interface IRemUnknown"
)


def _lives(tmp_path: Path, script: str) -> list[tuple[Any, ...]]:
    tables = told(tmp_path, script)
    assert violations(tables) == set()
    names = ("oxid", "exporter", "calls_made", "references_returned", "end")
    rows = [row for row in tables["com_objects"] if row["oid"] is not None]
    assert len({row["object_uid"] for row in rows}) == len(rows)
    return sorted((int(oxid, 16), exporter["port"], *rest) for oxid, exporter, *rest in columns(rows, *names))


def test_an_oxid_that_comes_to_another_process_is_another_exporter(tmp_path: Path) -> None:
    """Known by its Remote Unknown. The objects of the one before had the same numbers, and are gone."""
    again = f"""
a: Invoke
wait 1h
r: RemoteCreateInstance -> gives=[B] unknown=RU2 oid=0x0B01 port={OTHER_PORT}
{_SECOND}
b: Invoke object=B
b: Invoke object=B
"""
    assert _lives(tmp_path, f"{MADE}{again}") == [
        (0x0A01, 49_700, 1, 0, "exporter_replaced"),
        (0x0A01, OTHER_PORT, 2, 0, "open_at_end"),
    ]


def test_an_ipid_of_two_processes_is_told_apart_by_their_ports(tmp_path: Path) -> None:
    """[MS-DCOM] 1.1: it is unique within an exporter."""
    both = f"""
r: RemoteCreateInstance -> gives=[A] unknown=RU2 oxid=0x0A02 oid=0x77 port={OTHER_PORT}
{_SECOND}
a: Invoke
b: Invoke object=A
a: Invoke
a: RemRelease refs=[[A, 5]]
"""
    assert _lives(tmp_path, f"{MADE}{both}") == [
        (0x0A01, 49_700, 2, 5, "released"),
        (0x0A02, OTHER_PORT, 1, 0, "open_at_end"),
    ]


def test_a_remote_unknown_of_two_processes_is_told_apart_too(tmp_path: Path) -> None:
    both = f"""
r: RemoteCreateInstance -> gives=[B] oxid=0x0A02 oid=0x77 port={OTHER_PORT}
{_SECOND}
a: RemRelease refs=[[A, 5]]
b: RemRelease refs=[[B, 5]]
b: RemRelease refs=[[B, 5]]
"""
    tables = told(tmp_path, f"{MADE}{both}")
    unknowns = [row for row in tables["com_objects"] if row["interfaces"][0]["ipid"] == handle("RU")]
    assert [(row["oxid"][-4:], row["calls_made"]) for row in unknowns] == [("0a01", 1), ("0a02", 2)]


def test_an_ipid_that_a_process_deals_again_is_of_the_new_one(tmp_path: Path) -> None:
    again = """
a: RemRelease refs=[[A, 5]]
r: RemoteCreateInstance -> gives=[A] oid=0x77
a: Invoke
"""
    assert _lives(tmp_path, f"{MADE}{again}") == [
        (0x0A01, 49_700, 0, 5, "released"),
        (0x0A01, 49_700, 1, 0, "open_at_end"),
    ]
