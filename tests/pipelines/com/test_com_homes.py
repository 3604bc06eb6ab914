"""A server of objects with several addresses is one: where its resolver says so, and nobody says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from ingest.choice import Scope
from pipelines.judging.homes import Homes, homes_of
from schemas.internal import FACTS
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.builders.com_talk import ComTalk
from tests.builders.conversations import Ends
from tests.pipelines.com import sinks as k
from tests.pipelines.com import story as s
from tests.pipelines.dataset.growing import add, read

if TYPE_CHECKING:
    from pathlib import Path

SECOND, V6, OTHER_CLIENT = "10.9.0.2", "fd00::2", "10.0.0.55"
RESOLVER, CLIENT = p.SERVER, p.CLIENT
ALL = s.where(s.PORT, "SERVER", RESOLVER, SECOND, V6)


def at(address: str, port: int = 50_001, client: str = CLIENT) -> Ends:
    return Ends(port, s.PORT, client, address)


@pytest.mark.parametrize("address", [RESOLVER, SECOND])
def test_objects_are_one_at_whichever_address_they_are_called(tmp_path: Path, address: str) -> None:
    calls, objects = s.rows(s.captured(tmp_path, s.activation(bindings=ALL), s.whole_life(ends=at(address))))
    assert len(objects) == len({row["object_uid"] for row in objects}) == 3
    assert not [row for row in objects if row["doubt"]]
    assert {row["exporter"]["host"] for row in objects} == {RESOLVER}
    assert {row["id"]["resp_h"] for row in calls} == {address}
    assert {row["object_uid"] for row in calls} <= {row["object_uid"] for row in objects}
    made = s.by_oid(objects)[s.OBJECT_OID]
    assert (made["clsid"], made["end"]) == (c.MMC, "released")


def test_two_addresses_by_which_two_clients_reach_one_object(tmp_path: Path) -> None:
    """Both resolvers name each other: they are one host, though one client was told of neither in the capture."""
    here = s.executed(s.created(s.exporter(ends=at(RESOLVER))))
    again = s.activation(bindings=ALL, ends=Ends(50_004, 135, OTHER_CLIENT, SECOND))
    there = s.executed(ComTalk(at(SECOND, 50_005, OTHER_CLIENT)).bind(c.DISPATCH))
    third = s.executed(ComTalk(at(SECOND, 50_006, "10.0.0.66")).bind(c.DISPATCH))
    calls, objects = s.rows(s.captured(tmp_path, s.activation(bindings=ALL), here, again, there, third))
    made = s.by_oid(objects)[s.OBJECT_OID]
    assert made["calls_made"] == 3
    assert {row["object_uid"] for row in calls if row["via"] == "invoke"} == {made["object_uid"]}


@pytest.mark.parametrize("named", [(CLIENT, SECOND), (SECOND,)], ids=["all its addresses", "a private one"])
def test_a_sink_is_one_at_whichever_address_its_client_is_called_back(tmp_path: Path, named: tuple[str, ...]) -> None:
    """Where the reference does not name the address that it came from, it may be somebody else's: there is a doubt."""
    sink = c.objref(c.UNKNOWN, k.CLIENTS_OXID, k.SINK_OID, k.SINK, hosts=named)
    told = k.resolved(SECOND, s.where(k.CLIENTS_PORT, *named))
    calls, objects = s.rows(s.captured(tmp_path, s.activation(), k.advised(sink), told, k.called_back(SECOND)))
    (event,) = [row for row in calls if row["interface"] == "_DMSMQEventEvents"]
    (one,) = [row for row in objects if row["object_uid"] == event["object_uid"]]
    assert (one["oxid"], one["oid"], one["client"]) == (f"{k.CLIENTS_OXID:016x}", f"{k.SINK_OID:016x}", p.SERVER)
    assert [row["ipid"] for row in one["interfaces"]] == [k.SINK, k.SINK_EVENTS]
    assert (one["doubt"], event["doubt"]) == (("open_not_seen",) * 2 if CLIENT not in named else (None, None))
    alike = [row for row in objects if row["oid"] == one["oid"] and row is not one]
    assert [row["exporter"]["host"] for row in alike if not row["doubt"]] == []


def test_behind_nat_an_address_is_somebody_else_who_speaks_for_himself(tmp_path: Path) -> None:
    """The resolver tells its private address. A host that has it here told of an exporter of its own."""
    told = s.activation(bindings=s.where(s.PORT, SECOND))
    own = s.activation(bindings=s.where(s.PORT, SECOND), ends=Ends(50_004, 135, CLIENT, SECOND))
    talks = s.executed(ComTalk(at(SECOND, 50_005)).bind(c.DISPATCH)), s.executed(ComTalk(at(RESOLVER)).bind(c.DISPATCH))
    _, objects = s.rows(s.captured(tmp_path, told, own, *talks))
    called = [row for row in objects if row["calls_made"]]
    assert {row["exporter"]["host"] for row in called} == {RESOLVER, SECOND}


def test_what_was_missed_at_one_address_is_missed_at_its_home(tmp_path: Path) -> None:
    life = s.whole_life(ends=at(SECOND))
    whole = s.captured(tmp_path, s.activation(bindings=ALL), life).judged()
    assert [row for row in whole["findings"] if row["verdict"] == "violation"] == []
    for missing in range(3, len(life.packets)):
        talk = s.whole_life(ends=at(SECOND))
        del talk.talk.packets[missing]
        found = s.captured(tmp_path, s.activation(bindings=ALL), talk).judged()
        assert [row for row in found["findings"] if row["verdict"] == "violation"] == []


@pytest.mark.parametrize("last", [0, 1, 2])
def test_night_by_night_as_in_one_run(tmp_path: Path, last: int) -> None:
    """Whichever night tells that the two addresses are one, or that they are not."""
    own = s.activation(bindings=s.where(s.PORT, SECOND), ends=Ends(50_004, 135, CLIENT, SECOND))
    talks = [s.activation(bindings=ALL), s.whole_life(ends=at(SECOND)), own]
    nights = [talk for number, talk in enumerate(talks) if number != last] + [talks[last]]
    files = s.files(tmp_path, *nights)
    add(None, tmp_path / "whole", files, Scope.RPC)
    for file in files:
        add(None, tmp_path / "grown", [file], Scope.RPC)
    whole, grown = read(tmp_path / "whole"), read(tmp_path / "grown")
    for table in ("com_objects", "com_calls", "verdicts"):
        assert whole[table] == grown[table]
    add(None, tmp_path / "joined", files[:2], Scope.RPC)
    rows = read(tmp_path / "joined")["com_objects"]
    assert (len([row for row in rows if SECOND not in row]) == 3) == (last == 2)


@pytest.mark.parametrize(
    ("told", "homes"),
    [
        ([(CLIENT, "a", "a")], Homes()),
        ([(CLIENT, "a", "a"), (CLIENT, "a", "b")], Homes({}, {(CLIENT, "b"): "a"})),
        # Each host has an address of a virtual network: it is nobody's.
        ([(CLIENT, "a", "v"), (CLIENT, "b", "v")], Homes()),
        ([(CLIENT, "a", "v"), ("d", "b", "v")], Homes({}, {(CLIENT, "v"): "a", ("d", "v"): "b"})),
        ([(CLIENT, "a", "b"), (CLIENT, "b", "b")], Homes()),
        ([(CLIENT, "a", "b"), ("d", "b", "a")], Homes({"b": "a"})),
        # Three that name each other in a row, and one that only they name.
        (
            [("d", "a", "b"), ("d", "b", "a"), ("d", "b", "c"), ("d", "c", "b"), ("d", "c", "v"), ("d", "a", "v")],
            Homes({"b": "a", "c": "a"}, {("d", "v"): "a"}),
        ),
    ],
)
def test_homes(told: list[tuple[str, str, str]], homes: Homes) -> None:
    assert homes_of(told) == homes
    assert homes_of(reversed(told)) == homes


def test_more_than_is_kept_in_mind_makes_no_homes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes first: what is found does not depend on the order."""
    monkeypatch.setattr("pipelines.judging.homes.MAX_TOLD", 3)
    told = [(CLIENT, RESOLVER, f"10.9.0.{number}") for number in range(4)]
    assert homes_of(told[:3])
    assert not homes_of(told)


def test_who_is_judged_again() -> None:
    homes = Homes({"b": "a"}, {("client", "v"): "b"})
    assert homes.with_kin(frozenset(("v", "z"))) == {"v", "b", "a", "z"}
    assert homes.with_kin(frozenset("z")) == {"z"}


def test_calls_go_home_and_what_was_missed_is_told_twice() -> None:
    homes = Homes({"b": "a"})
    row = {"client": CLIENT, "ts_ns": 1, "file": 0, "frame": 1, "place": 0, "uid": "C1", "data": b""}
    kinds = ("com", "blind", "call", "given", "handed", "connection")
    facts = [{**row, "server": server, "kind": kind} for server in "ab" for kind in kinds]
    batch = homes.of_batch(pa.RecordBatch.from_pylist(facts, schema=FACTS.arrow))
    found = [(one["server"], one["kind"]) for one in batch.to_pylist()]
    assert [kind for server, kind in found if server == "a"] == [*kinds, "com", "blind", "given", "handed"]
    assert [kind for server, kind in found if server == "b"] == ["blind", "call", "connection"]
