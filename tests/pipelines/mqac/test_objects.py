"""State belongs to the object: over connections, files and clients, and where something is not seen."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.local import Local
from tests.pipelines.com.story import RPC
from tests.pipelines.mqac.conversations import conversation, told
from tests.scripts.player import capture, captures

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
OPEN = r"""
IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"
IMSMQQueueInfo4.Open object=I Access=1 -> gives=[Q]
"""
RECEIVE = "IMSMQQueue4.Receive object=Q -> gives=[M]"
BODY = 'IMSMQMessage4.get_Body object=M -> result="secret"'
OPENED = conversation(OPEN, "MSMQQueueInfo=I", also=("IMSMQQueue4", "IMSMQMessage4", "IMSMQTransaction3")).removesuffix(
    "close"
)


def only(rows: list[Row]) -> Row:
    (row,) = rows
    return row


def test_one_queue_on_three_connections_in_three_files(tmp_path: Path) -> None:
    script = f"""{OPENED}
        close
        connect two interface IMSMQQueue4 tap b
        alter interface IMSMQMessage4
        {RECEIVE}
        {BODY}
        close
        connect three interface IMSMQQueue4 tap c
        IMSMQQueue4.Close object=Q
        close
    """
    found = Local(*captures(tmp_path, script)).judged()
    session, read = only(found["sessions"]), only(found["reads"])
    assert (session["state"], session["doubt"], session["counts_doubt"]) == ("closed", None, None)
    assert (session["queue_name"], session["naming_doubt"]) == (r"hq\private$\orders", None)
    assert (session["acked"], session["message_bytes"]) == (1, 12)
    assert read["session_uid"] == session["session_uid"]
    assert len({session["uid"], read["uid"]}) == 2


def test_an_object_that_two_clients_call_is_one(tmp_path: Path) -> None:
    script = f"""{OPENED}
        connect other from 10.0.0.6 interface IMSMQQueue4 user bob
        IMSMQQueue4.Purge object=Q
        close other
        close
    """
    found = told(tmp_path, script)
    act = only(found["admin_actions"])
    assert (act["username"], act["action"], act["outcome"]) == ("bob", "purge", "success")
    assert act["session_uid"] == only(found["sessions"])["session_uid"]
    assert only(found["sessions"])["username"] == "alice"


@pytest.mark.parametrize(
    ("fetched", "size", "label", "complete"),
    [
        ("", None, None, False),
        ('IMSMQMessage4.get_Label object=M -> result="order 17"', None, "order 17", False),
        ("IMSMQMessage4.get_BodyLength object=M -> result=12", None, None, False),
        (BODY, 12, None, True),
    ],
)
def test_what_was_fetched_left_the_server(
    fetched: str, size: int | None, label: str | None, complete: bool, tmp_path: Path
) -> None:
    found = told(tmp_path, f"{OPENED}\n{RECEIVE}\n{fetched}\nclose")
    read, sighting = only(found["reads"]), only(found["message_sightings"])
    assert (read["outcome"], read["message_bytes"], read["message_label"]) == ("acked", size, label)
    assert only(found["sessions"])["message_bytes"] == (size or 0)
    assert (sighting["message_bytes"], sighting["complete"], sighting["body"]) == (size, complete, None)
    whole = hashlib.sha256("secret".encode("utf-16-le")).hexdigest()
    assert sighting["body_sha256"] == (whole if complete else None)


def test_bytes_of_a_body_are_kept_where_that_is_asked(tmp_path: Path) -> None:
    found = told(tmp_path, f"{OPENED}\n{RECEIVE}\n{BODY}\nclose", keep_payload=True)
    assert only(found["message_sightings"])["body"] == "secret".encode("utf-16-le")


def test_a_put_that_follows_says_nothing_of_what_was_received(tmp_path: Path) -> None:
    more = """
        IMSMQMessage4.put_Label object=M bstrLabel="mine"
        IMSMQMessage4.get_Label object=M -> result="mine"
    """
    found = told(tmp_path, f"{OPENED}\n{RECEIVE}\n{more}\nclose")
    assert only(found["reads"])["message_label"] is None


def test_sealed_calls_are_acts_in_doubt(tmp_path: Path) -> None:
    script = f"""{OPENED}
        close
        connect s interface IMSMQQueue4 auth privacy
        IMSMQQueue4.Purge object=Q
        close
    """
    found = told(tmp_path, script)
    act = only(found["admin_actions"])
    assert (act["action"], act["outcome"], act["doubt"]) == ("purge", "unknown", "sealed")
    assert only(found["sessions"])["purges"] == 0
    assert only(found["sessions"])["counts_doubt"] == "sealed"


def test_a_name_that_is_told_later_names_the_queue(tmp_path: Path) -> None:
    body = r"""
        IMSMQQuery4.LookupQueue object=X -> gives=[N]
        IMSMQQueueInfos4.Next object=N -> gives=[I]
        IMSMQQueueInfo4.Open object=I Access=1 -> gives=[Q]
        IMSMQQueue4.Purge object=Q
        IMSMQQueueInfo4.get_FormatName object=I -> result="PUBLIC=11111111-2222-3333-4444-555555555555"
    """
    found = told(tmp_path, conversation(body, "MSMQQuery=X"))
    session = only(found["sessions"])
    name = "PUBLIC=11111111-2222-3333-4444-555555555555"
    assert (session["queue_name"], session["named_by"], session["naming_doubt"]) == (name, "object", None)


def test_another_name_put_afterwards_is_another_queue(tmp_path: Path) -> None:
    more = r"""
        IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\other"
        IMSMQQueueInfo4.Open object=I Access=1 -> gives=[Q2]
        IMSMQQueue4.Purge object=Q2
        IMSMQQueue4.Purge object=Q
    """
    found = told(tmp_path, f"{OPENED}\n{more}\nclose")
    names = [row["queue_name"] for row in found["admin_actions"]]
    assert names == [r"hq\private$\other", r"hq\private$\orders"]
    assert len(found["sessions"]) == 2
    assert {one["names"][0]: one["purged"] for one in found["queues"]} == dict.fromkeys(names, 1)


@pytest.mark.parametrize(
    ("ending", "state"),
    [
        ("IMSMQQueue4.Close object=Q", "closed"),
        ("RemRelease refs=[[Q, 5]]", "closed"),
        ("", "open_at_end"),
    ],
)
def test_how_a_session_ends(ending: str, state: str, tmp_path: Path) -> None:
    session = only(told(tmp_path, f"{OPENED}\n{ending}\nclose")["sessions"])
    assert (session["state"], session["doubt"]) == (state, None)
    assert (session["close_call_uid"] is None) == (session["closed_ts"] is None) == (state == "open_at_end")


def test_a_close_that_the_client_gave_up_may_not_have_been_done(tmp_path: Path) -> None:
    script = f"""{OPENED}
        ask p IMSMQQueue4.Close object=Q
        cancel p
        answer p -> fault=0x1c00000d
        close
    """
    session = only(told(tmp_path, script)["sessions"])
    assert (session["state"], session["doubt"]) == ("closed", "times_cross")


def test_an_object_whose_birth_was_not_captured(tmp_path: Path) -> None:
    script = f"connect interface IMSMQQueue4\nalter interface IMSMQMessage4\n{RECEIVE}\n{BODY}\nclose"
    found = Local(capture(tmp_path, script), choice=RPC).judged()
    session = only(found["sessions"])
    assert (session["state"], session["doubt"], session["naming_doubt"]) == (
        "open_not_seen",
        "open_not_seen",
        "open_not_seen",
    )
    assert only(found["reads"])["outcome"] == "acked"
    assert only(found["reads"])["naming_doubt"] == "open_not_seen"


def test_a_queue_object_that_a_client_makes_is_no_queue(tmp_path: Path) -> None:
    body = "IMSMQQueue4.Purge object=Q -> status=0x80040007"
    found = told(tmp_path, conversation(body, "MSMQQueue=Q"))
    assert found["sessions"] == []
    assert (only(found["admin_actions"])["outcome"], only(found["admin_actions"])["session_uid"]) == ("failure", None)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("-> gives=[null]", "timed_out"),
        ("-> status=0xC00E001B", "timed_out"),
        ("-> status=0xC00E0088", "timed_out"),
        ("-> status=0xC00E0025", "failed"),
        ("-> status=0xC00E0008", "cancelled"),
        ("-> fault=5", "failed"),
        ("-> none", "unfinished"),
    ],
)
def test_what_an_answer_says_of_a_read(answer: str, outcome: str, tmp_path: Path) -> None:
    found = told(tmp_path, f"{OPENED}\nIMSMQQueue4.Receive object=Q {answer}\nclose")
    assert only(found["reads"])["outcome"] == outcome
    assert found["message_sightings"] == []


def test_a_transaction_that_was_begun_out_of_sight(tmp_path: Path) -> None:
    more = """
        IMSMQQueue4.Receive object=Q Transaction=[9, T] -> gives=[M]
        IMSMQTransaction3.Commit object=T
    """
    found = told(tmp_path, f"{OPENED}\n{more}\nclose")
    read, unit = only(found["reads"]), found["transactions"]
    assert {row["doubt"] for row in unit} == {"open_not_seen"}
    assert (read["outcome"], read["doubt"]) == ("unfinished", "open_not_seen")


@pytest.mark.parametrize(
    ("ending", "doubt"),
    [
        ("IMSMQQueue4.Close object=Q\nRemRelease refs=[[M, 5]]", None),
        ("RemRelease refs=[[Q, 5], [M, 5]]", "bytes_missing"),
    ],
)
def test_what_is_missed_afterwards_says_nothing_of_it(ending: str, doubt: str | None, tmp_path: Path) -> None:
    """`doubt`: what was missed before may have handed out what was given back."""
    refresh = "IMSMQQueueInfo4.Refresh object=I"
    after = f"{refresh}\n{refresh} lost\n{refresh}"
    found = told(tmp_path, f"{OPENED}\n{RECEIVE}\n{ending}\n{after}\nclose")
    session, read = only(found["sessions"]), only(found["reads"])
    assert (session["doubt"], session["counts_doubt"], read["doubt"]) == (None, None, None)
    before = told(tmp_path, f"{OPENED}\n{RECEIVE}\n{after}\n{ending}\nclose")
    session, read = only(before["sessions"]), only(before["reads"])
    assert (session["doubt"], session["counts_doubt"], read["doubt"]) == (doubt, "bytes_missing", "bytes_missing")


@pytest.mark.parametrize(
    ("auth", "released", "state", "doubt"),
    [
        ("integrity", "[[Q, 10]]", "closed", None),
        ("integrity", "[[Q, 5]]", "open_at_end", None),
        ("privacy", "[[Q, 5]]", "closed", "open_not_seen"),
        ("privacy", "[[Q, 10]]", "closed", "open_not_seen"),
    ],
)
def test_a_notification_hands_out_its_queue_once_more(
    auth: str, released: str, state: str, doubt: str | None, tmp_path: Path
) -> None:
    """Out of sight where it is sealed: then nobody knows who gave back the last reference."""
    script = f"""{OPENED}
        IMSMQQueue4.EnableNotification object=Q Event=E
        connect back from 10.0.0.9 to 10.0.0.5 interface _DMSMQEventEvents user HQ$ auth {auth}
        _DMSMQEventEvents.Arrived object=S Queue=Q Cursor=0 oxid=0xa01 oid=0xb02 public=5 at="10.0.0.9"
        close back
        RemRelease refs={released}
        close
    """
    session = only(Local(capture(tmp_path, script), choice=RPC).judged()["sessions"])
    assert (session["state"], session["doubt"]) == (state, doubt)


def test_more_was_given_back_than_was_seen_to_be_given(tmp_path: Path) -> None:
    found = told(tmp_path, f"{OPENED}\nRemRelease refs=[[Q, 5]]\nRemRelease refs=[[Q, 5]]\nclose")
    session = only(found["sessions"])
    assert (session["state"], session["doubt"]) == ("closed", "open_not_seen")


def test_a_sink_is_known_to_its_own_host(tmp_path: Path) -> None:
    """Arrived goes the other way: the client serves it."""
    script = """
        connect e from 10.0.0.9 to 10.0.0.5 interface _DMSMQEventEvents user HQ$
        _DMSMQEventEvents.Arrived object=S Queue=Q Cursor=0
        close
    """
    found = Local(capture(tmp_path, script), choice=RPC).judged()
    roles = {row["address"]: row["roles"] for row in found["hosts"]}
    assert roles == {"10.0.0.5": ["object_client"], "10.0.0.9": ["object_server"]}
    assert found["sessions"] == []


@pytest.mark.parametrize(
    "odd",
    [
        'IMSMQMessage4.put_Label object=Q bstrLabel="x"',
        'IMSMQMessage4.get_Body object=Q -> result="secret"',
        "IMSMQQueue4.Receive object=I -> gives=[M]",
        "IMSMQTransaction3.Abort object=Q",
    ],
)
def test_an_object_that_is_called_as_one_of_another_class_is_in_doubt(tmp_path: Path, odd: str) -> None:
    """No server has such a one, and who writes a capture can: found by damaging captures."""
    tables = told(tmp_path, f"{OPENED}\n{odd}\nIMSMQQueue4.Close object=Q\nclose\n")
    assert len(tables["com_calls"]) == 4
    assert [row["doubt"] for row in tables["sessions"]] == ["open_not_seen" if "object=Q" in odd else None]


@pytest.mark.parametrize(
    ("said", "doubt"),
    [
        ("IMSMQQueue4.Reset object=Q", None),
        ("IMSMQQueue4.Reset object=Q lost -> lost\nIMSMQQueue4.Reset object=Q", "bytes"),
    ],
    ids=["all was seen", "some was not"],
)
def test_a_queue_that_is_out_of_all_ping_sets_may_have_been_closed_out_of_sight(
    tmp_path: Path, said: str, doubt: str | None
) -> None:
    pinged = f"""{OPENED.replace("gives=[Q]", "gives=[Q] oid=0x0B09")}
        connect p interface IObjectExporter
        ComplexPing pSetId=0 SequenceNum=1 AddToSet=[0x0B09] -> pSetId=0x53
        {said}
        ComplexPing pSetId=0x53 SequenceNum=2 AddToSet=null DelFromSet=[0x0B09] -> pSetId=0x53
        close p
        close
        """
    row = only(told(tmp_path, pinged)["sessions"])
    assert row["state"] == "rundown"
    assert (row["doubt"] is None) == (doubt is None)
