"""The Java process that Spark runs in: it does not outlive a start that failed, and it is told how it ended."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from typing import TYPE_CHECKING, Any, Final

from pipelines.engine.run_folder import is_ended_by_us

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS: Final = 1.0
"""Its sockets close a moment before its end can be seen."""

_process: subprocess.Popen[bytes] | None = None


class _Java(subprocess.Popen[bytes]):
    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - handed on as they are
        # An interrupt may come before the process is made, or before its number is handed on.
        global _process  # noqa: PLW0603
        _process = self
        super().__init__(*arguments, **options)


@contextlib.contextmanager
def java_of_this_run() -> Iterator[None]:
    """Spark keeps the process to itself until it is ready, and leaves it running if an interrupt comes before."""
    from pyspark import java_gateway  # noqa: PLC0415 - slow to import

    # Not by name, for the module does not offer it.
    module = vars(java_gateway)
    usual, module["Popen"] = module["Popen"], _Java
    try:
        yield
    except BaseException:
        if _process is not None and _process.pid is not None and _process.poll() is None:
            _process.kill()
            _process.wait()
        raise
    finally:
        module["Popen"] = usual


def how_java_ended() -> str | None:
    """A clause; None while it runs, where it is not ours (spark-submit), and when it was told to end."""
    if _process is None or is_ended_by_us():
        return None
    try:
        code = _process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    return f"Spark's Java process ended ({_cause(code)})"


def _cause(code: int) -> str:
    if code == -signal.SIGKILL:
        return "it was killed, by the system if memory ran out: see dmesg"
    if code < 0:
        return f"by signal {-code}, {signal.strsignal(-code)}"
    return f"with exit code {code}"
