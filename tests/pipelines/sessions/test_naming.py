"""Which queue a session of qm2qm reads, for whom, and how certain that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.sessions.telling import columns, told

if TYPE_CHECKING:
    from pathlib import Path

ORDERS, SALARIES = r"DIRECT=OS:hq\private$\orders", r"DIRECT=OS:hq\private$\salaries"
NAMING = ("queue_name", "named_by", "naming_doubt", "other_names", "opened_for_username")

HANDSHAKE = r"""
    connect r from 10.0.0.20 interface qmcomm user alice
    r: R_QMOpenRemoteQueue queue="OS:hq\private$\orders" -> phQueue=0x31
"""
READ = """
    q: RemoteQMStartReceive2 hRemoteQueue=0x31 -> status=MQ_ERROR_IO_TIMEOUT
    q: RemoteQMCloseQueue
    close q
"""
SESSION = f"""
    connect q from 10.0.0.10 user HQ$
    q: RemoteQMOpenQueue hQueue=0x31
    {READ}
"""


def test_a_remote_open_that_is_open_names_the_session_for_certain(tmp_path: Path) -> None:
    tables = told(tmp_path, HANDSHAKE + SESSION + "close r")
    assert columns(tables["sessions"], *NAMING) == [(ORDERS, "remote_open", None, None, "alice")]
    (read,) = tables["reads"]
    assert (read["queue_name"], read["opened_for_username"], read["username"]) == (ORDERS, "alice", "HQ$")


def test_one_that_was_closed_an_hour_ago_names_nothing(tmp_path: Path) -> None:
    tables = told(tmp_path, HANDSHAKE + "r: R_QMCloseRemoteQueueContext\nclose r\nwait 3600s" + SESSION)
    assert columns(tables["sessions"], *NAMING) == [(None, None, "open_was_closed", [ORDERS], None)]
    assert columns(tables["reads"], "queue_name", "opened_for_username") == [(None, None)]


def test_one_that_was_run_down_names_nothing(tmp_path: Path) -> None:
    tables = told(tmp_path, HANDSHAKE + "reset r\nwait 60s" + SESSION)
    assert columns(tables["sessions"], *NAMING) == [(None, None, "open_was_closed", [ORDERS], None)]


def test_a_session_keeps_its_queue_open_when_the_handshake_is_over(tmp_path: Path) -> None:
    """[MS-MQMP] 3.1.4.3: the close of the handshake closes nothing that qm2qm has opened meanwhile."""
    script = f"""
        {HANDSHAKE}
        connect q from 10.0.0.10
        q: RemoteQMOpenQueue hQueue=0x31 -> phContext=A
        r: R_QMCloseRemoteQueueContext
        wait 60s
        connect p from 10.0.0.10 group q
        p: RemoteQMOpenQueue hQueue=0x31 -> phContext=B
        p: RemoteQMCloseQueue pphContext=B
        q: RemoteQMCloseQueue pphContext=A
        wait 60s
        q: RemoteQMOpenQueue hQueue=0x31 -> phContext=C
        q: RemoteQMCloseQueue pphContext=C
        close p
        close q
        close r
    """
    sessions = told(tmp_path, script)["sessions"]
    assert columns(sessions, "queue_name", "naming_doubt") == [
        (ORDERS, None),
        (ORDERS, None),
        (None, "open_was_closed"),
    ]


def test_the_context_counts_and_not_the_number_that_a_client_chose(tmp_path: Path) -> None:
    """[MS-MQQP] 3.1.4.3: hQueue SHOULD be ignored."""
    script = rf"""
        {HANDSHAKE}
        connect s from 10.0.0.30 interface qmcomm user bob
        s: R_QMOpenRemoteQueue queue="OS:hq\private$\salaries" -> phQueue=0x77 pphContext=Salaries
        connect q from 10.0.0.10
        {{version}}
        q: RemoteQMOpenQueue hQueue=0x31 pQueue=0x77 dwpContext=0x77
        q: RemoteQMCloseQueue
        close s
        close r
    """
    (known,) = told(tmp_path, script.format(version="q: RemoteQmGetVersion"))["sessions"]
    assert tuple(known[name] for name in NAMING) == (SALARIES, "remote_open", None, None, "bob")
    (unknown,) = told(tmp_path, script.format(version=""))["sessions"]
    assert tuple(unknown[name] for name in NAMING) == (SALARIES, "remote_open", "numbers_differ", [ORDERS], "bob")


def test_a_number_without_its_context_only_suggests_a_queue(tmp_path: Path) -> None:
    script = HANDSHAKE + "connect q from 10.0.0.10\nq: RemoteQMOpenQueue hQueue=0x31 pQueue=0x99 dwpContext=0x99"
    assert columns(told(tmp_path, script)["sessions"], *NAMING) == [(None, None, "numbers_differ", [ORDERS], None)]


def test_windows_2000_has_a_descriptor_beside_the_handle(tmp_path: Path) -> None:
    """[MS-MQMP] note <27>: dwpQueue differs from phQueue."""
    script = r"""
        connect r from 10.0.0.20 interface qmcomm user alice
        r: R_QMOpenRemoteQueue queue="OS:hq\private$\orders" -> phQueue=0x31 pdwContext=0x31 dwpQueue=0x80001000
        connect q from 10.0.0.10
        q: RemoteQMOpenQueue hQueue=0x31 pQueue=0x80001000 dwpContext=0x31
        q: RemoteQMCloseQueue
        close r
    """
    assert columns(told(tmp_path, script)["sessions"], *NAMING) == [(ORDERS, "remote_open", None, None, "alice")]


def test_a_stretch_that_was_not_seen_puts_the_name_in_doubt(tmp_path: Path) -> None:
    """The handshake may have been closed in it, and its number given to somebody else."""
    script = HANDSHAKE + 'r: R_QMGetObjectSecurityInternal queue="OS:hq\\private$\\orders" lost' + SESSION
    (session,) = told(tmp_path, script)["sessions"]
    assert (session["queue_name"], session["named_by"]) == (ORDERS, "remote_open")
    assert session["naming_doubt"] == "bytes_missing"


def test_an_open_whose_answer_was_lost_keeps_the_name_in_doubt(tmp_path: Path) -> None:
    script = f"""
        {HANDSHAKE}
        connect q from 10.0.0.10
        q: RemoteQMOpenQueue hQueue=0x31 -> lost
        r: R_QMCloseRemoteQueueContext
        wait 60s
        q: RemoteQMPurgeQueue hQueue=0x31
        q: RemoteQMCloseQueue
        close q
        close r
    """
    found = ("queue_name", "naming_doubt", "state", "purges")
    assert columns(told(tmp_path, script)["sessions"], *found) == [(ORDERS, "open_not_seen", "open_not_seen", 1)]


NUMBERED = """
    connect q from 10.0.0.10 user jdoe
    q: RemoteQMOpenQueue hQueue=0x31
    q: RemoteQMPurgeQueue hQueue=0x31
    {}
    q: RemoteQMCloseQueue
    close q
"""
_TAKE = """
    q: RemoteQMStartReceive2 hRemoteQueue=0x31 -> pphContext={0} destination="{1}"
    q: RemoteQMEndReceive pphContext={0}
"""


def test_messages_that_agree_name_the_queue_and_are_evidence_of_their_kind(tmp_path: Path) -> None:
    """Also in the rows of what was done before the first of them was read."""
    tables = told(tmp_path, NUMBERED.format("".join(_TAKE.format(one, r"OS:hq\private$\orders") for one in "ABC")))
    assert columns(tables["sessions"], *NAMING, "addressed") == [(ORDERS, "messages", "messages_only", None, None, 3)]
    assert set(columns(tables["reads"], "queue_name", "naming_doubt")) == {(ORDERS, "messages_only")}
    assert columns(tables["admin_actions"], "action", "queue_name", "target", "naming_doubt") == [
        ("purge", ORDERS, ORDERS, "messages_only")
    ]
    (queue,) = tables["queues"]
    assert (queue["names"], queue["numbers"], queue["purged"], queue["received"]) == ([ORDERS], ["0x00000031"], 1, 3)
    assert {(one["act"], one["username"], one["naming_doubt"]) for one in queue["acts"]} == {
        (act, "jdoe", "messages_only") for act in ("opened", "purged", "received")
    }
    purge = [row for row in tables["findings"] if row["rule_id"] == "detect-purge"]
    assert {(row["queue_name"], row["naming_doubt"]) for row in purge} <= {(ORDERS, "messages_only")}


@pytest.mark.parametrize("other", [r"OS:hq\private$\salaries", r"OS:hq\orders"])
def test_messages_that_differ_name_nothing(tmp_path: Path, other: str) -> None:
    script = NUMBERED.format(_TAKE.format("A", r"OS:hq\private$\orders") + _TAKE.format("B", other))
    (session,) = told(tmp_path, script)["sessions"]
    assert (session["queue_name"], session["naming_doubt"]) == (None, "messages_differ")
    assert session["other_names"] == sorted([ORDERS, f"DIRECT={other}"])


def test_two_names_of_one_queue_agree(tmp_path: Path) -> None:
    script = NUMBERED.format(
        _TAKE.format("A", r"OS:hq\private$\orders") + _TAKE.format("B", r"TCP:10.0.0.9\private$\orders")
    )
    assert columns(told(tmp_path, script)["sessions"], "queue_name", "addressed") == [(ORDERS, 2)]


def test_a_queue_known_by_its_number_only_stands_among_the_queues(tmp_path: Path) -> None:
    tables = told(tmp_path, NUMBERED.format("") + NUMBERED.format("").replace("0x31", "0x32"))
    found = {tuple(row["numbers"]): (row["names"], row["opened"], row["purged"]) for row in tables["queues"]}
    assert found == {("0x00000031",): ([], 1, 1), ("0x00000032",): ([], 1, 1)}


def test_two_uses_of_a_number_have_links_of_their_own(tmp_path: Path) -> None:
    use = r"""
        r: R_QMOpenRemoteQueue queue="OS:hq\private$\orders" -> phQueue=7
        q: RemoteQMOpenQueue hQueue=7
        a: rpc_QMOpenQueueInternal queue="OS:hq\private$\orders" hRemoteQueue=7
        r: R_QMCloseRemoteQueueContext
        q: RemoteQMCloseQueue
        a: rpc_ACCloseHandle
        wait 60s
    """
    script = f"""
        connect a from 10.0.0.20 to 10.0.0.10 interface qmcomm
        connect r from 10.0.0.20 to 10.0.0.9 interface qmcomm
        connect q from 10.0.0.10 to 10.0.0.9
        {use * 2}
    """
    sessions = told(tmp_path, script)["sessions"]
    remote, local = ([row["link_uid"] for row in sessions if row["endpoint"] == end] for end in ("qm2qm", "qmcomm"))
    assert remote == local
    assert len(set(remote)) == 2
    assert {row["link_doubt"] for row in sessions} == {None}


def test_what_was_named_in_doubt_names_nothing_else_for_certain(tmp_path: Path) -> None:
    """A session that comes just after the close is named in doubt, and keeps the open alive no better than that."""
    script = f"""
        {HANDSHAKE}
        r: R_QMCloseRemoteQueueContext
        connect q from 10.0.0.10
        q: RemoteQMOpenQueue hQueue=0x31 -> phContext=A
        wait 60s
        q: RemoteQMOpenQueue hQueue=0x31 -> phContext=B
        q: RemoteQMCloseQueue pphContext=B
        q: RemoteQMCloseQueue pphContext=A
        close q
        close r
    """
    sessions = told(tmp_path, script)["sessions"]
    assert columns(sessions, "queue_name", "naming_doubt") == [(ORDERS, "open_was_closed")] * 2
