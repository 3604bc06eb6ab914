"""What ties protocols together on one server: [MS-MQMP] 4.2 and [MS-MQQP] 3.2.4.1.

A session of qm2qm names no queue. It is opened with three numbers that R_QMOpenRemoteQueue had answered, mostly to
another host: the application asks, and its supporting server reads. Numbers are used again, so the latest counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact
    from pipelines.sessions.model import Session

MAX_REMOTE_OPENS: Final = 65_536
MAX_REMOTE_CURSORS: Final = 65_536


class Links:
    def __init__(self) -> None:
        self._opens: Recent[tuple[int, int, int], Session] = Recent(MAX_REMOTE_OPENS)
        """By phQueue, dwpQueue and pdwContext, as RemoteQMOpenQueue repeats them."""
        self._by_queue: Recent[int, Session] = Recent(MAX_REMOTE_OPENS)
        self._cursors: Recent[tuple[int, int], CallFact] = Recent(MAX_REMOTE_CURSORS)

    def note(self, opened: Session) -> None:
        if opened.queue_handle is None:
            return
        self._opens.put((opened.queue_handle, opened.p_queue or 0, opened.context or 0), opened)
        self._by_queue.put(opened.queue_handle, opened)

    def behind(self, values: tuple[int, int, int]) -> Session | None:
        """The remote open that gave these three; or, where the client mixed them up, the first of them."""
        return self._opens.get(values) or self._by_queue.get(values[0])

    def note_cursor(self, queue_handle: int, cursor: int, made: CallFact) -> None:
        self._cursors.put((queue_handle, cursor), made)

    def cursor(self, queue_handle: int, cursor: int) -> CallFact | None:
        return self._cursors.get((queue_handle, cursor))
