"""Which call belongs to which session, told by the handle or number in it; reads and moves say it themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipelines.store.tables import Tables

Row = dict[str, Any]
MARKS, FOUND, OFTEN = 0, 1, 2
"""Of a call: it begins, ends or empties something; a finding is about it; it is one of many."""


@dataclass(frozen=True, slots=True)
class HandleColumn:
    """Where a typed table names the session."""

    table: str
    column: str
    weight: int = OFTEN
    number: bool = False
    """By hQueue, not by a context handle."""
    for_application: bool = False
    """The caller is whom the session was opened for."""


NAMINGS: Final = (
    HandleColumn("qm2qm_RemoteQMOpenQueue", "response.phContext", MARKS),
    HandleColumn("qm2qm_RemoteQMCloseQueue", "request.pphContext", MARKS),
    HandleColumn("qm2qm_RemoteQMPurgeQueue", "request.hQueue", MARKS, number=True),
    HandleColumn("qm2qm_RemoteQMCloseCursor", "request.hQueue", number=True),
    HandleColumn("qmcomm_R_QMOpenRemoteQueue", "response.phQueue", MARKS, number=True, for_application=True),
    HandleColumn("qmcomm_rpc_QMOpenQueueInternal", "response.phQueue", MARKS),
    HandleColumn("qmcomm_rpc_ACCloseHandle", "request.phQueue", MARKS),
    HandleColumn("qmcomm_rpc_ACPurgeQueue", "request.hQueue", MARKS),
    HandleColumn("qmcomm_rpc_ACCloseCursor", "request.hQueue"),
    HandleColumn("qmcomm_rpc_ACSetCursorProperties", "request.hProxy"),
    HandleColumn("qmcomm_rpc_ACHandleToFormatName", "request.hQueue"),
    HandleColumn("qmcomm2_rpc_ACSendMessageEx", "request.hQueue"),
    HandleColumn("qmcomm2_rpc_ACCreateCursorEx", "request.hQueue"),
    HandleColumn("RemoteRead_R_OpenQueue", "response.pphContext", MARKS),
    HandleColumn("RemoteRead_R_OpenQueueForMove", "response.pphContext", MARKS),
    HandleColumn("RemoteRead_R_CloseQueue", "request.pphContext", MARKS),
    HandleColumn("RemoteRead_R_PurgeQueue", "request.phContext", MARKS),
    HandleColumn("RemoteRead_R_CreateCursor", "request.phContext"),
    HandleColumn("RemoteRead_R_CloseCursor", "request.phContext"),
    HandleColumn("RemoteRead_R_SetUserAcknowledgementClass", "request.phContext"),
)


class HandleNote(NamedTuple):
    """What is known of a call beside the call itself."""

    note: str
    label: str | None = None
    bytes: int | None = None
    message_uid: str | None = None
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class HandleMention:
    session_uid: str
    call_uid: str
    ts: int
    weight: int
    note: HandleNote | None = None


class Handles:
    """Of some sessions: handles are used again, so that the time tells which one is meant."""

    def __init__(self, sessions: Iterable[Row]) -> None:
        self._sessions: dict[tuple[str, str, str | int], list[Row]] = {}
        for row in sorted(sessions, key=lambda row: (row["ts"] or 0, row["session_uid"])):
            clients = {row["id.orig_h"], row["opened_for"]} - {None}
            for name in (row["handle"], row["queue_handle"]):
                for client in clients if name is not None else ():
                    self._sessions.setdefault((client, row["id.resp_h"], name), []).append(row)

    def calls(self, tables: Tables) -> Iterator[HandleMention]:
        for naming in NAMINGS:
            kind = pa.int64() if naming.number else pa.string()
            wanted = {name for _, _, name in self._sessions if isinstance(name, int if naming.number else str)}
            known = pa.array(sorted(wanted), kind)
            columns = ("call_uid", "ts", "id.orig_h", "id.resp_h", naming.column)
            for row in tables.rows(naming.table, columns, lambda batch: _among(batch, naming.column, known)):  # noqa: B023
                session = self._meant(row["id.orig_h"], row["id.resp_h"], row[naming.column], row["ts"] or 0, naming)
                if session is not None:
                    yield HandleMention(session["session_uid"], row["call_uid"], row["ts"] or 0, naming.weight)

    def _meant(self, client: str, server: str, name: str | int, ts: int, naming: HandleColumn) -> Row | None:
        found = self._sessions.get((client, server, name), ())
        if naming.for_application:
            # It comes before the session that it is for.
            theirs = (one for one in found if one["opened_for"] == client)
            return next((one for one in theirs if ts <= (one["closed_ts"] or ts)), None)
        own = (one for one in reversed(found) if one["id.orig_h"] == client)
        return next((one for one in own if (one["ts"] or 0) <= ts <= (one["closed_ts"] or ts)), None)


def _among(batch: pa.Table, column: str, known: pa.Array) -> pa.ChunkedArray:
    return pc.is_in(batch.column(column), value_set=known)
