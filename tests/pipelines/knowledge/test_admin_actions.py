"""Who administered what, and what it was before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
ORDERS = r"DIRECT=OS:hq\private$\orders"


def acts(folder: Path, script: str) -> list[Row]:
    return Local(capture(folder, script)).judged()["admin_actions"]


@pytest.mark.parametrize("word", ["CONNECT", "disconnect", "Tidy"])
def test_the_queue_manager_is_told_something(tmp_path: Path, word: str) -> None:
    (act,) = acts(tmp_path, f'connect interface qmmgmt\nR_QMMgmtAction lpwszAction="{word}"\nclose\n')
    assert (act["action"], act["target_type"], act["outcome"]) == (word.lower(), "machine", "success")
    assert (act["username"], act["domain"], act["auth_level"]) == ("alice", "CORP", 5)
    assert act["request_frames"]
    assert act["response_frames"]


def test_an_unknown_word_is_told_as_it_is(tmp_path: Path) -> None:
    (act,) = acts(tmp_path, 'connect interface qmmgmt\nR_QMMgmtAction lpwszAction="EXPLODE"\nclose\n')
    assert (act["action"], act["detail"]) == ("other", "EXPLODE")


def test_a_purge_in_each_protocol_names_its_queue(tmp_path: Path) -> None:
    found = acts(
        tmp_path,
        """
        connect r from 10.0.0.20 interface qmcomm
        r: R_QMOpenRemoteQueue queue="OS:hq\\private$\\orders"
        connect q from 10.0.0.10
        q: RemoteQMOpenQueue
        q: RemoteQMPurgeQueue
        connect x interface RemoteRead
        x: R_OpenQueue queue="OS:hq\\private$\\orders"
        x: R_PurgeQueue -> status=MQ_ERROR_ACCESS_DENIED
        r: rpc_QMOpenQueueInternal queue="OS:hq\\private$\\orders"
        r: rpc_ACPurgeQueue
        """,
    )
    assert [(act["action"], act["queue_name"], act["outcome"]) for act in found] == [
        ("purge", ORDERS, "success"),
        ("purge", ORDERS, "failure"),
        ("purge", ORDERS, "success"),
    ]
    assert [act["opened_for"] for act in found] == ["10.0.0.20", None, None]
    assert found[1]["status_name"] == "MQ_ERROR_ACCESS_DENIED"
    assert all(act["session_uid"] for act in found)


def test_values_have_the_one_before_where_it_was_seen(tmp_path: Path) -> None:
    read, changed, again = acts(
        tmp_path,
        """
        connect interface qmcomm
        R_QMGetObjectProperties queue="OS:hq\\private$\\orders" aProp=[105] -> apVar=[100]
        R_QMSetObjectProperties queue="OS:hq\\private$\\orders" aProp=[105, 108] apVar=[200, "x"]
        R_QMSetObjectProperties queue="OS:HQ\\private$\\orders" aProp=[105] apVar=[300]
        close
        """,
    )
    assert (read["is_query"], changed["is_query"]) == (True, False)
    quota, label = changed["changes"]
    assert (quota["name"], quota["old"], quota["new"]) == ("PROPID_Q_QUOTA", "100", "200")
    assert quota["old_call_uid"] == read["call_uid"]
    assert (label["old"], label["new"]) == (None, "x")
    assert (again["changes"][0]["old"], again["changes"][0]["new"]) == ("200", "300")


def test_a_change_that_was_refused_changes_nothing(tmp_path: Path) -> None:
    *_, last = acts(
        tmp_path,
        """
        connect interface qmcomm
        R_QMSetObjectProperties queue="OS:hq\\q" aProp=[105] apVar=[200] -> status=MQ_ERROR_ACCESS_DENIED
        R_QMSetObjectProperties queue="OS:hq\\q" aProp=[105] apVar=[300]
        close
        """,
    )
    assert last["changes"][0]["old"] is None


def test_rights_are_told_as_sddl(tmp_path: Path) -> None:
    before, after = acts(
        tmp_path,
        """
        connect interface qmcomm
        R_QMGetObjectSecurityInternal queue="OS:hq\\q"
        R_QMSetObjectSecurityInternal queue="OS:hq\\q"
        close
        """,
    )
    (change,) = after["changes"]
    assert (after["action"], change["name"]) == ("set_security", "security")
    assert "D:" in change["new"]
    assert change["old"] == before["changes"][0]["new"]


def test_what_is_sealed_is_told_as_far_as_it_shows(tmp_path: Path) -> None:
    (act,) = acts(tmp_path, "connect auth privacy\nRemoteQMPurgeQueue\nclose\n")
    assert (act["action"], act["outcome"], act["doubt"], act["queue_name"]) == ("purge", "unknown", "sealed", None)


def test_the_directory_counts_too(tmp_path: Path) -> None:
    found = acts(
        tmp_path,
        """
        connect interface dscomm
        S_DSCreateObject dwObjectType=1 pwcsPathName="hq\\orders"
        S_DSDeleteObject dwObjectType=2 pwcsPathName="hq"
        close
        """,
    )
    assert [(act["action"], act["target_type"], act["target"]) for act in found] == [
        ("create", "queue", r"hq\orders"),
        ("delete", "MQDS_MACHINE", "hq"),
    ]
