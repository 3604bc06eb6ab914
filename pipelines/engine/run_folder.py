"""Where a run writes temporarily on this machine: folders that nobody else may enter.

A run on one machine has everything there. Of one on a cluster, what its driver writes; workers are set up elsewhere.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ingest.files.private import PRIVATE, PrivateFolder, private_folder, remove_dead

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PREFIX: Final = "mqtrail-run-"
_LONGEST: Final = 64
"""A path of a socket has room for 107 bytes, and Spark's names take 43 of them."""
_SHORT: Final = Path("/tmp")  # noqa: S108 - a private folder is made there
_END_SECONDS: Final = 30
"""For the JVM to end by itself, once it is told."""


class RunFolder:
    """One in each place where Spark may spill; the first holds everything else too."""

    def __init__(self, places: tuple[Path, ...]) -> None:
        self._folders = [_fresh(place) for place in places]
        self._spills = [str(self.path / "spark"), *(str(one.path) for one in self._folders[1:])]
        for name in ("tmp", "spark", "sockets", "warehouse"):
            (self.path / name).mkdir(PRIVATE)
        self.sockets = self.path / "sockets"
        """For those that processes of the run talk through."""
        if len(os.fsencode(self.sockets)) > _LONGEST:
            self._folders.append(_fresh(_SHORT))
            self.sockets = self._folders[-1].path

    @property
    def path(self) -> Path:
        return self._folders[0].path

    @property
    def settings(self) -> dict[str, str]:
        """Of a run that has its workers on this machine too."""
        return {
            "spark.local.dir": ",".join(self._spills),
            "spark.sql.warehouse.dir": (self.path / "warehouse").as_uri(),
            "spark.executorEnv.TMPDIR": str(self.path / "tmp"),
            # JVM and Python otherwise talk through ports that anybody can knock at first, which fails the run.
            "spark.python.unix.domain.socket.enabled": "true",
            "spark.python.unix.domain.socket.dir": str(self.sockets),
        }

    @contextlib.contextmanager
    def starting(self, *, here: bool, java: str = "") -> Iterator[None]:
        """The environment that a JVM needs when it starts, to keep to the folder. `here`: and to loopback.

        `java`: more options for its command line.
        """
        usual = tempfile.tempdir
        # hsperfdata would lie in /tmp, whatever the property says.
        java = f'"-Djava.io.tmpdir={self.path / "tmp"}" -XX:-UsePerfData {java}'
        variables = {
            "SPARK_LOCAL_DIRS": ",".join(self._spills),
            "SPARK_SUBMIT_OPTS": f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} {java}",
            **({"SPARK_LOCAL_IP": "127.0.0.1"} if here else {}),
        }
        before = {name: os.environ.get(name) for name in variables}
        tempfile.tempdir = str(self.path / "tmp")
        os.environ.update(variables)
        try:
            yield
        finally:
            tempfile.tempdir = usual
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value

    def remove(self) -> None:
        for folder in self._folders:
            folder.remove()


_made: RunFolder | None = None
_ending: threading.Thread | None = None


def run_folder(settings: Mapping[str, str] | None = None, *, spills: bool = True) -> RunFolder:
    """That of this process: a JVM, once started, serves all its sessions.

    `spills`: Spark is to spill there. Else it has places of its own for that, which others may be able to write: a
    volume of a pod, for one.
    """
    global _made  # noqa: PLW0603
    if _made is None:
        _made = RunFolder(_places(settings or {}) if spills else (Path(tempfile.gettempdir()),))
        atexit.register(_made.remove)
        atexit.register(_wait_for_the_end)
    return _made


def end_spark() -> None:
    """Spark has nothing more to do in this process, and ends while that goes on."""
    global _ending  # noqa: PLW0603
    if _ending is None:
        _ending = threading.Thread(target=_end_spark, kwargs={"at_once": True}, daemon=True)
        _ending.start()


def is_ended_by_us() -> bool:
    """A JVM that is gone was told to go."""
    return _ending is not None


def _fresh(place: Path) -> PrivateFolder:
    place.mkdir(parents=True, exist_ok=True)
    remove_dead(place, PREFIX)
    return private_folder(place.resolve(), PREFIX)


def _places(settings: Mapping[str, str]) -> tuple[Path, ...]:
    """As Spark chooses them: the variable goes before the setting."""
    given = os.environ.get("SPARK_LOCAL_DIRS") or settings.get("spark.local.dir") or tempfile.gettempdir()
    return tuple(Path(place.strip()).absolute() for place in given.split(",") if place.strip())


def _wait_for_the_end() -> None:
    if _ending is None:
        _end_spark()
    else:
        _ending.join()


def _end_spark(*, at_once: bool = False) -> None:
    """Whoever still writes would make again what is being removed.

    `at_once`: a JVM whose context has stopped has nothing left to do, and takes more than a second for it.
    """
    from pyspark import SparkContext  # noqa: PLC0415

    gateway, context = SparkContext._gateway, SparkContext._active_spark_context
    stopped = False
    if context is not None:
        with contextlib.suppress(Exception):  # the JVM may be gone, or cut off by an interrupt
            context.stop()
            stopped = True
    java = getattr(gateway, "proc", None)
    if java is None:  # spark-submit's own, which outlives us
        return
    if at_once and stopped:
        java.kill()
    java.stdin.close()
    until = time.monotonic() + _END_SECONDS
    while java.poll() is None:
        if time.monotonic() > until:
            java.kill()
        time.sleep(0.02)
