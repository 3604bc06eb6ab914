"""The life of objects over several connections and files: handed out at port 135, called elsewhere, given back."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from tests.builders import com_values as c
from tests.builders import packets as p
from tests.builders.com_talk import ComTalk
from tests.builders.conversations import Ends, write_pcap
from tests.local import Local
from tests.pipelines.com import story as s

if TYPE_CHECKING:
    from pathlib import Path

TIMES = ("ts", "ts_ns", "last_ts")


def timeless(rows: list[s.Row]) -> list[s.Row]:
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def test_every_field_of_an_object(tmp_path: Path) -> None:
    local = s.captured(tmp_path, s.activation(), s.whole_life())
    calls, objects = s.rows(local)
    (activation,) = [row["call_uid"] for row in local.tables["calls"] if row["operation"] == "RemoteGetClassObject"]
    created, queried = (row["call_uid"] for row in calls[:2])
    remote_unknown, factory, made = (s.by_oid(objects)[oid] for oid in (None, s.FACTORY_OID, s.OBJECT_OID))
    common = {
        "oxid": "00000000000000a1",
        "exporter": {"host": p.SERVER, "port": s.PORT},
        "runs_as": "CORP\\svc",
        "client": p.CLIENT,
        "username": None,
        "domain": None,
        "doubt": None,
    }
    unknown = {"ipid": s.REMOTE_UNKNOWN, "iid": "00000131-0000-0000-c000-000000000046", "interface": "IRemUnknown"}
    assert timeless([remote_unknown, factory, made]) == [
        common
        | {
            "object_uid": remote_unknown["object_uid"],
            "oid": None,
            "class": None,
            "clsid": None,
            "interfaces": [unknown | {"given_by": activation}],
            "given_by": activation,
            "parent_object_uid": None,
            "calls_made": 5,
            "references_given": 0,
            "references_returned": 0,
            "end": "open_at_end",
            "capture_id": "0.pcap",
        },
        common
        | {
            "object_uid": factory["object_uid"],
            "oid": "0000000000000001",
            "class": "MMC20.Application",
            "clsid": c.MMC,
            "interfaces": [{"ipid": s.FACTORY, "iid": c.FACTORY, "interface": "IClassFactory", "given_by": activation}],
            "given_by": activation,
            "parent_object_uid": None,
            "calls_made": 1,
            "references_given": 5,
            "references_returned": 5,
            "end": "released",
            "capture_id": "0.pcap",
        },
        common
        | {
            "object_uid": made["object_uid"],
            "oid": "0000000000000002",
            "class": "MMC20.Application",
            "clsid": c.MMC,
            "interfaces": [
                {"ipid": s.OBJECT, "iid": c.UNKNOWN, "interface": "IUnknown", "given_by": created},
                {"ipid": s.DISPATCH, "iid": c.DISPATCH, "interface": "IDispatch", "given_by": queried},
            ],
            "given_by": created,
            "parent_object_uid": factory["object_uid"],
            "calls_made": 2,
            "references_given": 12,
            "references_returned": 12,
            "end": "released",
            "capture_id": "1.pcap",
        },
    ]
    assert not local.tables["issues"]
    assert local.imbalances() == []


def test_calls_in_the_order_of_time_with_their_objects(tmp_path: Path) -> None:
    calls, objects = s.rows(s.captured(tmp_path, s.activation(), s.whole_life()))
    names = {row["object_uid"]: oid for oid, row in s.by_oid(objects).items()}
    assert [(names[row["object_uid"]], row["interface"], row["member"], row["via"]) for row in calls] == [
        (s.FACTORY_OID, "IClassFactory", "CreateInstance", "direct"),
        (None, "IRemUnknown2", "RemQueryInterface", "direct"),
        (None, "IRemUnknown2", "RemRelease", "direct"),
        (None, "IRemUnknown2", "RemAddRef", "direct"),
        (s.OBJECT_OID, "IDispatch", "GetIDsOfNames", "direct"),
        (s.OBJECT_OID, "IDispatch", "ExecuteShellCommand", "invoke"),
        (None, "IRemUnknown2", "RemRelease", "direct"),
        (None, "IRemUnknown2", "RemRelease", "direct"),
    ]
    assert {(row["hresult"], row["hresult_name"], row["outcome"]) for row in calls} == {(0, "S_OK", "answered")}
    assert {row["causality_id"] for row in calls} == {c.CAUSALITY}
    assert {row["id"]["resp_p"] for row in calls} == {s.PORT}
    assert [row["ts_ns"] for row in calls] == sorted(row["ts_ns"] for row in calls)


def test_the_order_of_files_makes_no_difference(tmp_path: Path) -> None:
    paths = s.files(tmp_path, s.activation(), s.whole_life())
    told = [tuple(timeless(rows) for rows in s.rows(Local(*some, choice=s.RPC))) for some in permutations(paths)]
    assert told[0] == told[1]


def test_the_exporter_may_be_resolved_after_its_objects_were_called(tmp_path: Path) -> None:
    """Announced last, as when the client knew the exporter from before. The call that gave the object is there."""
    talk = s.created(s.exporter()).close()
    resolved = ComTalk(s.RESOLVER_ENDS).bind(c.RESOLVER)
    asked: dict[str, Any] = {"pOxid": s.OXID, "cRequestedProtseqs": 1, "arRequestedProtseqs": [7]}
    answered = {
        "ppdsaOxidBindings": s.where(),
        "pipidRemUnknown": s.REMOTE_UNKNOWN,
        "pAuthnHint": 4,
        "pComVersion": {"MajorVersion": 5, "MinorVersion": 7},
        "return_value": 0,
    }
    resolved.native(c.RESOLVER, "ResolveOxid2", asked, answered)
    objects = s.by_oid(s.rows(s.captured(tmp_path, talk, resolved))[1])
    made = objects[s.OBJECT_OID]
    assert (made["runs_as"], made["exporter"]["port"], made["doubt"]) == ("CORP\\svc", s.PORT, None)
    assert made["clsid"] is None, "the factory's activation was not captured"


@pytest.mark.parametrize(("missing", "end"), [(0, "released"), (1, "open_at_end")])
def test_released_with_the_last_reference(tmp_path: Path, missing: int, end: str) -> None:
    talk = s.created(s.exporter())
    s.counted(talk, "RemRelease", object=5, dispatch=5 - missing)
    made = s.by_oid(s.rows(s.captured(tmp_path, s.activation(), talk))[1])[s.OBJECT_OID]
    assert (made["references_given"], made["references_returned"], made["end"]) == (10, 10 - missing, end)


def test_a_release_that_faulted_gave_nothing_back(tmp_path: Path) -> None:
    refs = [{"ipid": of, "cPublicRefs": 5, "cPrivateRefs": 0} for of in (s.OBJECT, s.DISPATCH)]
    asked = {"cInterfaceRefs": 2, "InterfaceRefs": refs}
    talk = s.created(s.exporter()).refused(c.REMOTE_UNKNOWN2, "RemRelease", s.REMOTE_UNKNOWN, asked, 5)
    made = s.by_oid(s.rows(s.captured(tmp_path, s.activation(), talk))[1])[s.OBJECT_OID]
    assert (made["references_returned"], made["end"]) == (0, "open_at_end")


def test_handed_out_again_it_is_open_again(tmp_path: Path) -> None:
    talk = s.created(s.exporter())
    s.counted(talk, "RemRelease", object=5, dispatch=5)
    s.queried(talk, s.OBJECT, c.DISPATCH, s.DISPATCH)
    made = s.by_oid(s.rows(s.captured(tmp_path, s.activation(), talk))[1])[s.OBJECT_OID]
    assert (made["references_given"], made["references_returned"], made["end"]) == (15, 10, "open_at_end")


def test_another_process_at_its_port_ends_it(tmp_path: Path) -> None:
    first = s.created(s.exporter())
    s.counted(first, "RemRelease", factory=5)
    objects = s.rows(s.captured(tmp_path, s.activation(), first, s.restarted()))[1]
    ends = {(row["oxid"][-2:], row["oid"] and int(row["oid"], 16)): row["end"] for row in objects}
    assert ends == {
        ("a1", None): "exporter_replaced",
        ("a1", s.FACTORY_OID): "released",
        ("a1", s.OBJECT_OID): "exporter_replaced",
        ("b2", None): "open_at_end",
        ("b2", 77): "open_at_end",
    }


def test_one_that_still_answers_was_not_replaced(tmp_path: Path) -> None:
    """Apartments of one process have an OXID each and share its port."""
    later = s.executed(ComTalk(Ends(50_011, s.PORT)).bind(c.DISPATCH))
    talks = s.activation(), s.created(s.exporter()), s.restarted(), later
    assert ends(s.rows(s.captured(tmp_path, *talks))[1]) == {"open_at_end"}


def ends(objects: list[s.Row]) -> set[str]:
    return {row["end"] for row in objects}


def activated_again(number: int) -> ComTalk:
    """The first exporter once more."""
    return s.activation(ends=Ends(number, 135))


@pytest.mark.parametrize(
    ("later", "end"),
    [
        ([s.restarted(process="0e84")], "open_at_end"),
        ([s.restarted()], "exporter_replaced"),
        ([s.restarted(process="0000")], "exporter_replaced"),
        ([s.restarted(), activated_again(50_012)], "open_at_end"),
        ([s.restarted(), activated_again(50_012), s.restarted(0xC3, "2c40", 50_013)], "exporter_replaced"),
    ],
    ids=["by its number", "another number", "no number", "announced again", "and replaced then"],
)
def test_apartments_of_one_process_share_its_port(tmp_path: Path, later: list[ComTalk], end: str) -> None:
    """Each has an OXID. Neither ends the other, and what comes after both ends both."""
    objects = s.rows(s.captured(tmp_path, s.activation(), s.created(s.exporter()), *later))[1]
    made = s.by_oid(objects)
    assert made[s.OBJECT_OID]["end"] == end
    if len(later) == 3:
        assert {row["end"] for row in objects if row["oxid"][-2:] != "c3"} == {"exporter_replaced"}


def test_out_of_the_ping_set(tmp_path: Path) -> None:
    talks = s.activation(), s.created(s.exporter()), s.pinged(removed=[s.OBJECT_OID, 0xDEAD])
    objects = s.by_oid(s.rows(s.captured(tmp_path, *talks))[1])
    assert {oid: row["end"] for oid, row in objects.items()} == {
        None: "open_at_end",
        s.FACTORY_OID: "open_at_end",
        s.OBJECT_OID: "unpinged",
    }


def test_an_interface_that_was_called_before_another_told_the_number(tmp_path: Path) -> None:
    """Its calls lead to a row, although the object has another one by then."""
    talk = s.executed(s.exporter())
    s.created(talk)
    calls, objects = s.rows(s.captured(tmp_path, talk))
    assert {row["object_uid"] for row in calls} <= {row["object_uid"] for row in objects}
    assert len({row["object_uid"] for row in objects}) == len(objects)
    assert next(row["doubt"] for row in calls if row["via"] == "invoke") == "open_not_seen"


@pytest.mark.parametrize(("minutes", "end"), [(19, "open_at_end"), (21, "pinged_out")])
def test_a_client_that_stops_to_ping_has_let_go(tmp_path: Path, minutes: int, end: str) -> None:
    """[MS-DCOM] 3.1.2.6: six minutes; note 58: Windows may keep an object fourteen minutes longer."""
    talks = s.activation(), s.created(s.exporter()), s.pinged(removed=[])
    later = ComTalk(Ends(50_030, 135)).bind(c.RESOLVER).native(c.RESOLVER, "ServerAlive", {}, {"return_value": 0})
    paths = [*s.files(tmp_path, *talks), tmp_path / "later.pcap"]
    write_pcap(paths[-1], later.frames, minutes * 60_000)
    objects = s.by_oid(s.rows(Local(*paths, choice=s.RPC))[1])
    assert {oid: row["end"] for oid, row in objects.items() if oid} == {s.FACTORY_OID: end, s.OBJECT_OID: end}
