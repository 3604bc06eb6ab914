"""The process that forks Spark's Python workers, made of the driver: it need not import again what that has imported.

Spark starts a program of its own for it, which hands over to this one (`mqtrail.taking_over`).
"""

from __future__ import annotations

import os
import select
import socket
import sys
import tempfile
from typing import TYPE_CHECKING, Final

from mqtrail.taking_over import PLACE, take_over
from pipelines.engine.forked import fork, is_quiet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PATHS: Final = "spark.executorEnv.PYTHONPATH"
_NAME: Final = "ready"


def ready_workers(asked: Mapping[str, str], sockets: Path) -> dict[str, str]:
    """Settings by which Spark comes to it; none where workers are to look for modules in other places than we do."""
    if _PATHS in asked or not is_quiet():
        return {}
    place = sockets / _NAME
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(place))
    listener.listen(1)
    # Nobody ever writes there: it ends when the driver does.
    alive, _held = os.pipe()
    fork(lambda: _wait(listener, alive), (listener.fileno(), alive))
    listener.close()
    os.close(alive)
    return {f"spark.executorEnv.{PLACE}": str(place)}


def _wait(listener: socket.socket, alive: int) -> None:
    # By which pyspark knows what its workers run.
    sys.argv[1:] = ["pyspark.worker"]
    from mqtrail.forking import fork_workers  # noqa: PLC0415

    ready, _, _ = select.select([listener.fileno(), alive], [], [])
    if alive in ready:
        return
    program = take_over(listener)
    listener.close()
    os.close(alive)
    # The driver's own; theirs is named by the environment.
    tempfile.tempdir = None
    with program:
        fork_workers()
