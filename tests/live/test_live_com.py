"""impacket's DCOM client over loopback, recorded by tcpdump: objects and calls are what it asked for and was told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders.security.accounts import Account
from tests.builders import com_values as c
from tests.live import com_story as story
from tests.live.com_server import FRAGMENT
from tests.live.recording import Recording, record
from tests.live.report import HOST
from tests.local import Local, Row
from tests.second_opinion import tshark_com

if TYPE_CHECKING:
    from collections.abc import Iterator

SCENES = pytest.mark.parametrize("scene", story.SCENES, ids=lambda scene: scene.name)
READABLE = [scene for scene in story.SCENES if scene.name != "privacy"]
I_REMOTE_UNKNOWN = "00000131-0000-0000-c000-000000000046"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return record(tmp_path_factory.mktemp("live-com") / "live.pcap", "tests.live.com_talk")


@pytest.fixture(scope="module")
def opened(recording: Recording) -> Local:
    """With the password, in scope msmq: an activation of MSMQ's class leads to the exporter's port."""
    login = story.LOGIN
    return Local(recording.path, accounts=[Account(login.user, login.domain, login.password)])


@pytest.fixture(scope="module")
def sealed(recording: Recording) -> Local:
    return Local(recording.path)


def ports(recording: Recording, scene: story.Scene) -> tuple[int, int]:
    resolver, exporter = (recording.told[f"{scene.name} {name}"].server_port for name in ("resolver", "exporter"))
    return resolver, exporter


def at(rows: list[Row], port: int) -> list[Row]:
    return sorted((row for row in rows if row["id"]["resp_p"] == port), key=lambda row: row["ts_ns"])


def test_impacket_understood_the_answer_in_fragments(recording: Recording) -> None:
    for scene in story.SCENES:
        ((text, number),) = recording.told[f"{scene.name} exporter"].endpoints
        assert (text, number) == (story.LONG, story.NUMBERS["Report"])


def test_nothing_is_in_doubt(opened: Local) -> None:
    assert opened.tables["issues"] == []
    assert opened.imbalances() == []
    assert {row["decode_state"] for row in opened.tables["calls"]} == {"full"}
    assert not [row for row in opened.judged()["com_objects"] if row["doubt"]]


@SCENES
def test_calls_are_those_that_were_made(recording: Recording, opened: Local, scene: story.Scene) -> None:
    calls = at(opened.judged()["com_calls"], ports(recording, scene)[1])
    told = [(row["interface"], row["member"], row["kind"], row["via"]) for row in calls]
    names = ("IDispatch", "GetIDsOfNames", "method", "direct")
    assert told == [
        names,
        ("IDispatch", "PathName", "put", "invoke"),
        names,
        ("IDispatch", "Count", "method", "invoke"),
        names,
        ("IDispatch", "Report", "get", "invoke"),
        ("IRemUnknown", "RemQueryInterface", "method", "direct"),
        ("IRemUnknown", "RemRelease", "method", "direct"),
    ]
    assert {(row["outcome"], row["hresult_name"]) for row in calls} == {("answered", "S_OK")}
    assert len({row["causality_id"] for row in calls}) == 1
    user = None if scene.name == "none" else story.LOGIN.user
    assert {row["username"] for row in calls} == {user}


@SCENES
def test_arguments_are_those_that_were_sent(recording: Recording, opened: Local, scene: story.Scene) -> None:
    calls = at(opened.judged()["com_calls"], ports(recording, scene)[1])
    put, counted, report = (row for row in calls if row["via"] == "invoke")
    # By the type library: the number is that of PathName.
    assert put["arguments"] == [
        {"name": "bstrPathName", "direction": "in", "type": "BSTR", "value": story.PATH, "value_name": None}
    ]
    assert counted["arguments"] == [
        {"name": None, "direction": "in", "type": "VT_BSTR", "value": story.ASKED, "value_name": None},
        {"name": None, "direction": "in_out", "type": "VT_BYREF|VT_I4", "value": "2", "value_name": None},
    ]
    assert (put["result"], counted["result"]) == (None, "41")
    assert report["result"].startswith(story.LONG[:200])
    (row,) = [row for row in opened.tables["calls"] if row["call_uid"] == report["call_uid"]]
    assert row["response_fragments"] == -(-row["response_bytes"] // FRAGMENT) > 2


@SCENES
def test_the_object_is_that_of_the_activation(recording: Recording, opened: Local, scene: story.Scene) -> None:
    resolver, exporter = ports(recording, scene)
    (activation,) = at(opened.tables["calls"], resolver)
    (one,) = [row for row in opened.judged()["com_objects"] if row["oid"] == f"{scene.oid:016x}"]
    assert (one["class"], one["clsid"], one["oxid"]) == ("MSMQQueueInfo", c.QUEUE_INFO, f"{scene.oxid:016x}")
    assert one["exporter"] == {"host": HOST, "port": exporter}
    assert (one["given_by"], one["parent_object_uid"]) == (activation["call_uid"], None)
    assert [(each["ipid"], each["iid"]) for each in one["interfaces"]] == [
        (scene.ipid(story.OBJECT), c.DISPATCH),
        (scene.ipid(story.OTHER), c.I_QUEUE_INFO),
    ]
    # impacket gives back one of the five references that it was given, and none of the other interface's.
    assert (one["references_given"], one["references_returned"], one["end"]) == (6, 1, "open_at_end")
    kept = {(row["id"]["resp_p"], row["chosen_by"]) for row in opened.tables["flows"]}
    assert {(port, by) for port, by in kept if port in {resolver, exporter}} == {
        (resolver, "interface"),
        (exporter, "endpoint"),
    }


@SCENES
def test_signatures_fit(recording: Recording, opened: Local, scene: story.Scene) -> None:
    """The exporter's connection has three security contexts: impacket makes one for each interface it binds."""
    for port in ports(recording, scene):
        calls = at(opened.tables["calls"], port)
        level = None if scene.name == "none" else scene.level
        assert {row["auth_level"] for row in calls} == {level}
        assert {row["verified"] for row in calls} == {None if level is None else True}
        assert {row["unsealed"] for row in calls} == {scene.name == "privacy"}


def test_sealed_scenes_tell_nothing_without_the_password(recording: Recording, sealed: Local) -> None:
    """Nor do they lead anywhere: the activation's answer, which has the exporter's port, is sealed as well."""
    (private,) = [scene for scene in story.SCENES if scene not in READABLE]
    resolver, exporter = ports(recording, private)
    assert {row["decode_state"] for row in at(sealed.tables["calls"], resolver)} == {"opaque"}
    assert exporter not in {row["id"]["resp_p"] for row in sealed.tables["flows"]}
    assert {row["id"]["resp_p"] for row in sealed.judged()["com_calls"]} == {
        ports(recording, scene)[1] for scene in READABLE
    }


def by_tshark(recording: Recording) -> Iterator[tshark_com.ObjectCall]:
    yield from tshark_com.object_calls(recording.path).elements()


def test_tshark_counts_the_same_calls(recording: Recording, opened: Local) -> None:
    opnums = {row["call_uid"]: row["opnum"] for row in opened.tables["calls"]}
    ours = [
        tshark_com.ObjectCall(row["iid"], opnums[row["call_uid"]], row["ipid"]) for row in opened.judged()["com_calls"]
    ]
    assert sorted(map(str, by_tshark(recording))) == sorted(map(str, ours))
    assert len(ours) == 8 * len(story.SCENES)
