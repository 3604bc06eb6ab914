"""The gate in a process of its own, forked before Spark starts: it imports Great Expectations while the JVM starts, and
checks the tables while the report is written.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from mqtrail.garbage import collecting
from pipelines.engine.forked import fork, is_quiet
from pipelines.quality import check_tables
from pipelines.quality.result import QualityResult

if TYPE_CHECKING:
    from collections.abc import Callable

_MODEST: Final = 10
"""To import is not urgent: the JVM goes before."""


class GateBeside:
    def __init__(self) -> None:
        self._other: socket.socket | None = None
        self.process = 0

    def prepare(self) -> None:
        if not is_quiet():
            return
        self._other, theirs = socket.socketpair()
        self.process = fork(lambda: _serve(theirs), (theirs.fileno(),))
        theirs.close()

    def begin(self, tables: str) -> Callable[[], QualityResult]:
        """What is returned waits for the result."""
        other = self._other
        if other is None:
            return partial(_here, tables)
        try:
            other.sendall(os.fsencode(tables))
            other.shutdown(socket.SHUT_WR)
        except OSError:  # it is gone
            return partial(_here, tables)

        @cache
        def answer() -> bytes:
            with other, other.makefile("rb") as file, contextlib.suppress(OSError):
                return file.read()
            return b""

        # Whatever went wrong there goes wrong here too, or does not: then it does not matter.
        return lambda: QualityResult.of(json.loads(answer())) if answer() else _here(tables)


def _here(tables: str) -> QualityResult:
    # Whoever waits for the result may have no garbage collected, and the library makes much.
    with collecting(on=True):
        return check_tables(tables)


def _serve(driver: socket.socket) -> None:
    """One folder is checked, and told of."""
    for work in (partial(_end_with, driver), _import):
        threading.Thread(target=work, daemon=True).start()
    with driver.makefile("rb") as file:
        tables = file.read()
    if tables:
        driver.sendall(json.dumps(check_tables(os.fsdecode(tables)).as_json()).encode())


def _end_with(driver: socket.socket) -> None:
    looking = select.poll()
    # For nothing but that the other end is closed.
    looking.register(driver, 0)
    looking.poll()
    os._exit(1)


def _import() -> None:
    # Of this thread only: a process cannot take it back.
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _MODEST)
    import pipelines.quality.checking  # noqa: PLC0415, F401
