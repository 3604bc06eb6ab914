"""A request that the snap length cut tells what was captured of it; what was not is unknown, and never zero."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.builders.conversations import Frame
from tests.local import Local
from tests.pipelines.sessions.telling import violations
from tests.scripts.player import play, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.scripts.tape import Timed

Row = dict[str, Any]
Tables = dict[str, dict[object, Row]]
SCRIPTS: Final = {
    "qm2qm": """
        connect auth none
        RemoteQMOpenQueue hQueue=9 -> phContext=S1
        RemoteQMStartReceive2 hRemoteQueue=9 dwRequestID=102 -> pphContext=R1
        RemoteQMEndReceive pphContext=R1 dwAck=2
        RemoteQMStartReceive2 hRemoteQueue=9 dwRequestID=103 ulAction=PEEK_CURRENT hCursor=4
        RemoteQMPurgeQueue hQueue=9
        RemoteQMCloseCursor hQueue=9 hCursor=4
        RemoteQMCloseQueue pphContext=S1
        close
    """,
    "RemoteRead": """
        connect interface RemoteRead auth none
        R_OpenQueue dwAccess=1 dwShareMode=1
        R_StartReceive dwRequestId=102
        R_EndReceive dwRequestId=102 dwAck=2
        R_CreateCursor -> phCursor=4
        R_StartReceive dwRequestId=103 ulAction=PEEK_CURRENT hCursor=4
        R_CloseCursor hCursor=4
        R_CloseQueue
        close
    """,
    "qmcomm": """
        connect x interface qmcomm auth none
        connect y interface qmcomm2 auth none
        x: rpc_QMOpenQueueInternal dwDesiredAccess=1 dwShareMode=1
        x: R_QMEnlistInternalTransaction transaction=T1
        y: rpc_ACReceiveMessageEx transaction=T1 -> message=20
        y: rpc_ACSendMessageEx transaction=T1 message=30
        x: R_QMAbortTransaction
        x: rpc_ACCloseHandle
        close y
        close x
    """,
    "qmmgmt": """
        connect interface qmmgmt
        R_QMMgmtAction queue="OS:far\\sink" lpwszAction="PAUSE"
        close
    """,
}
NUMBERS_CUT: Final = {
    "two opens": """
        connect auth none
        RemoteQMOpenQueue hQueue=9 -> phContext=S1
        RemoteQMOpenQueue hQueue=10 -> phContext=S2
        RemoteQMStartReceive2 hRemoteQueue=10 dwRequestID=102 -> pphContext=R1
        RemoteQMEndReceive pphContext=R1 dwAck=2
        RemoteQMStartReceive2 hRemoteQueue=10 dwRequestID=103 -> pphContext=R2
        RemoteQMEndReceive pphContext=R2 dwAck=2
        RemoteQMCloseQueue pphContext=S1
        RemoteQMCloseQueue pphContext=S2
        close
    """,
    "another association": """
        connect a auth none
        connect b auth none
        a: RemoteQMOpenQueue hQueue=9 -> phContext=S1
        b: RemoteQMStartReceive2 hRemoteQueue=9 dwRequestID=102 -> pphContext=R1
        b: RemoteQMEndReceive pphContext=R1 dwAck=2
        b: RemoteQMStartReceive2 hRemoteQueue=9 dwRequestID=103 -> pphContext=R2
        b: RemoteQMEndReceive pphContext=R2 dwAck=2
        a: RemoteQMCloseQueue pphContext=S1
        close a
        close b
    """,
    "one in each association": """
        connect a auth none
        connect b auth none
        a: RemoteQMOpenQueue hQueue=9 -> phContext=S1
        b: RemoteQMOpenQueue hQueue=10 -> phContext=S2
        b: RemoteQMStartReceive2 hRemoteQueue=9 dwRequestID=102 -> pphContext=R1
        b: RemoteQMEndReceive pphContext=R1 dwAck=2
        a: RemoteQMCloseQueue pphContext=S1
        b: RemoteQMCloseQueue pphContext=S2
        close a
        close b
    """,
}
TOLD: Final = {
    "sessions": ("state", "access", "share_mode", "queue_handle", "queue_name"),
    "reads": ("session_uid", "action", "request_id", "cursor", "outcome", "transaction"),
    "sends": ("session_uid", "outcome", "transaction"),
    "admin_actions": ("action", "outcome"),
}
HEADERS: Final = 54 + 24
_OPEN: Final = "RemoteQMOpenQueue"


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_nothing_is_told_of_what_was_cut_off(tmp_path: Path, script: str) -> None:
    frames = play(script)
    whole = _told(tmp_path, frames)
    wrong = [(place, size, *one) for place, size, cut in _cuts(frames) for one in _wrong(_told(tmp_path, cut), whole)]
    assert wrong == []


@pytest.mark.parametrize("script", NUMBERS_CUT.values(), ids=NUMBERS_CUT)
def test_read_is_in_doubt_where_the_numbers_of_an_open_are_unknown(tmp_path: Path, script: str) -> None:
    """[MS-MQQP] 3.1.4.3: any of the queues may have the number that the read names."""
    frames, lines = play(script), script.splitlines()
    whole = _told(tmp_path, frames)
    cut = [_cut(one, HEADERS) if _OPEN in lines[one.line - 1] and one.about == "request" else one for one in frames]
    told = _told(tmp_path, cut)
    assert [*_wrong(told, whole)] == []
    assert {row["doubt"] for row in (*told["reads"].values(), *told["sessions"].values())} == {"bytes_missing"}


def _wrong(told: Tables, whole: Tables) -> Iterator[tuple[str, str, object]]:
    """What is told without doubt, and is not so."""
    for table, rows in told.items():
        for key, row in rows.items():
            for name in TOLD[table] if row["doubt"] is None else ():
                if row[name] is not None and row[name] != whole[table].get(key, {}).get(name):
                    yield table, name, row[name]


def _cuts(frames: list[Timed]) -> Iterator[tuple[int, int, list[Timed]]]:
    """Each request, cut at some twenty places of its stub."""
    for place, one in enumerate(frames):
        if one.about != "request":
            continue
        whole = len(one.frame.captured)
        for size in range(HEADERS, whole, max(4, (whole - HEADERS) // 80 * 4)):
            yield place, size, [*frames[:place], _cut(one, size), *frames[place + 1 :]]


def _cut(one: Timed, size: int) -> Timed:
    return replace(one, frame=Frame(one.frame.captured[:size], one.frame.wire_len))


def _told(folder: Path, frames: list[Timed]) -> Tables:
    """Rows by the time of the call that they begin with."""
    write(folder / "cut.pcap", frames)
    tables = Local(folder / "cut.pcap").judged()
    assert not violations(tables)
    # A read whose beginning was not seen stands for itself.
    return {name: {row["ts"]: row for row in tables[name] if row.get("start_call_uid", True)} for name in TOLD}
