"""What scripts say, and how wrong ones are refused."""

from __future__ import annotations

import pytest

from tests.scripts.language import parse
from tests.scripts.player import play
from tests.scripts.statements import (
    Answer,
    Ask,
    Bare,
    Call,
    Callback,
    Close,
    Connect,
    Reset,
    ScriptError,
    Side,
    Wait,
    Written,
)


def test_every_statement() -> None:
    script = r"""
    # nothing here
    connect a from 10.1.1.1 to ::1 port 9 interface 41208ee0-e970-11d1-9b9e-00e02c064c39 auth none lose bind,auth3 tap x
    refuse interface qm2qm version 2.0 reason 0x4  # why not
    a: Purge hQueue=0x10 name="a # \\b" list=[1, [x, "y"], []] lost -> status=MQ_OK after 1.5s lost
    b: ask L Purge
    callback L Prove dwContext=1 -> after 1s
    answer L -> none
    close
    reset a by server
    wait 200ms"""
    values: dict[str, Written] = {"hQueue": Bare("0x10"), "name": r"a # \b", "list": (Bare("1"), (Bare("x"), "y"), ())}
    called = Ask(5, "a", "Purge", Side(values, lost=True))
    assert parse(script) == [
        Connect(3, "a", "10.1.1.1", "::1", 9, "qmmgmt", auth="none", lose=frozenset(("bind", "auth3")), tap="x"),
        Connect(4, interface="qm2qm", version=(2, 0), refused=True, reason=4),
        Call(5, called, Side({"status": Bare("MQ_OK")}, lost=True, after_us=1_500_000)),
        Ask(6, "b", "Purge", Side(), "L"),
        Callback(7, Ask(7, None, "Prove", Side({"dwContext": Bare("1")}), "L"), Side(after_us=1_000_000)),
        Answer(8, "L", Side(none=True)),
        Close(9, None),
        Reset(10, "a", by_server=True),
        Wait(11, 200_000),
    ]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("connect c sideways", "'sideways' is not an option"),
        ("connect auth total", "'total' is not an authentication level"),
        ("connect from nowhere", "'nowhere' is not an address"),
        ("connect interface qmcomm3", "'qmcomm3' is not an interface"),
        ("connect port", "the value of 'port' is missing"),
        ("connect lose request", "'request' is not a packet of the opening"),
        ("connect group other", "no connection 'other'"),
        ("close d", "no connection 'd'"),
        ("wait long", "'long' is no duration"),
        ("reset c by client", "'by'"),
        ("close c now", "'now' is not 'by server'"),
        ('RemoteQMPurgeQueue hQueue="7', "what is '\"7'"),
        ("RemoteQMPurgeQueue hQueue=", "the value of 'hQueue' is missing"),
        ("RemoteQMPurgeQueue hQueue=[7", "the list of 'hQueue' lacks"),
        ("RemoteQMPurgeQueue hQueue=7 hQueue=8", "'hQueue' is given twice"),
        ("RemoteQMPurgeQueue none", "'none' has no value"),
        ("RemoteQMPurgeQueue hQueue=x", "'x' is neither a number nor a name"),
        ("RemoteQMPurgeQueue hQueue=0x100000000", "'hQueue' has no room for 4294967296"),
        ("RemoteQMPurgeQueue hQueue=null", "'hQueue' has no room for None"),
        ("RemoteQMPurgeQueue hCursor=1", "'hCursor' is nothing that RemoteQMPurgeQueue has"),
        ("RemoteQMPurgeQueue -> hQueue=1", "'hQueue' is nothing that RemoteQMPurgeQueue has"),
        ("RemoteQMPurgeQueue -> status=MQ_EROR", "'MQ_EROR' is neither"),
        ("RemoteQMPurgeQueue -> fault=5 status=1", "'status' beside a fault"),
        ("RemoteQMPurge", "'RemoteQMPurge' is no operation"),
        ("RemoteQMStartReceive2 descriptor=77", "'descriptor' can be null"),
        ("RemoteQMStartReceive -> buffer=xyz", "'xyz' is not hexadecimal"),
        ("RemoteQMEndReceive pphContext=1-2", "'1-2' is neither a GUID nor a name"),
        ("R_QMMgmtAction", "no open connection speaks qmmgmt"),
        ("d: RemoteQMPurgeQueue", "no connection 'd'"),
        ("c: wait 5s", "'wait' takes no connection"),
        ("answer L", "'L'"),
        ("S_InitSecCtx", "'S_InitSecCtx' is a callback"),
        ("callback L S_InitSecCtx", "nothing was asked as 'L'"),
        ("callback L RemoteQMPurgeQueue", "'RemoteQMPurgeQueue' is no callback"),
        ("c: callback L S_InitSecCtx", "the label says the connection already"),
    ],
)
def test_errors_name_line_and_word(wrong: str, words: str) -> None:
    with pytest.raises(ScriptError, match=r"^line 3: ") as caught:
        play(f"connect\n\n{wrong}\nwait 1s")
    assert words in str(caught.value)


def test_closed_connections_and_labels_in_use() -> None:
    with pytest.raises(ScriptError, match="line 3: 'c' is closed"):
        play("connect\nclose\nc: RemoteQMPurgeQueue")
    with pytest.raises(ScriptError, match="line 2: no open connection speaks qm2qm"):
        play("refuse\nRemoteQMPurgeQueue")
    with pytest.raises(ScriptError, match="line 3: 'L' waits"):
        play("connect\nask L RemoteQMPurgeQueue\nask L RemoteQMPurgeQueue")
