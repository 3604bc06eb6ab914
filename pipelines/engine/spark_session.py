"""The one place that builds a Spark session."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pipelines.engine import jvm_archive
from pipelines.engine.bare_session import make_bare
from pipelines.engine.guard import is_local, to_itself
from pipelines.engine.java_process import how_java_ended, java_of_this_run
from pipelines.engine.ready_workers import ready_workers
from pipelines.engine.run_folder import run_folder
from pipelines.engine.shipping import ship
from pipelines.engine.workers import SAFE, beside_the_driver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

OLDEST_JAVA: Final = 17
LOCAL: Final = "local[*]"
QUICK_JAVA: Final = "-XX:TieredStopAtLevel=1"
"""Of code that runs for seconds, to compile it well takes longer than to run it."""
_ONE_TRY: Final = re.compile(r"^local\[(\*|\d+)\]$")
_ALWAYS: Final = {
    "spark.sql.session.timeZone": "UTC",
    # The default, INT96, is deprecated and read as local time by some tools.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
_UNLESS_SET: Final = {
    "spark.app.name": "mqtrail",
    # Rows carry payload: a batch of the default 10,000 rows could hold hundreds of megabytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # The plan of a run says how many parts it wants; else every exchange would be a job of its own.
    "spark.sql.adaptive.enabled": "false",
    "spark.log.level": "ERROR",
}


class NoSpark(Exception):
    """Spark cannot start; the text says what to do."""


class NoJava(NoSpark):
    """The text says what to install."""


def spark_session(
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    *,
    quick: bool = False,
    alone: bool = False,
) -> SparkSession:
    """The session of this process; starting it takes several seconds, so ask only when there is work for it.

    Without a master: the one that spark-submit was given, else this machine. `quick`: there is little work.
    `alone`: nobody but us does anything in this process, nor has it done much yet.
    """
    asked = dict(settings or {}) | ({"spark.master": master} if master else {})
    _refuse_connect(asked)
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted:
        _need_java()
    # Python and the JVM must spell file names alike, also under cron, where no locale is set.
    if "utf" not in os.environ.get("LC_ALL", os.environ.get("LANG", "")).lower():
        os.environ["LC_ALL"] = "C.UTF-8"
    given = _of_the_running_jvm() if submitted else _of_the_environment()
    chosen = _UNLESS_SET | {"spark.master": LOCAL} | given | _ALWAYS | asked
    here = is_local(chosen["spark.master"])
    private = to_itself(asked) if here else {}
    try:
        folder = run_folder(chosen, spills=here or not submitted)
    except OSError as error:
        place = f"{error.filename}: no private folder can be made there ({error.strerror})"
        raise NoSpark(f"{place}; choose another with --spark-conf spark.local.dir=DIR") from None
    if here:
        chosen = {"spark.driver.memory": _driver_memory()} | chosen | private | folder.settings
        ready = ready_workers(chosen, folder.sockets) if alone and not submitted else {}
        chosen |= beside_the_driver(chosen, folder.path) | ready
        # Left to itself, Spark gives up on this machine with the first worker that the system kills.
        chosen["spark.master"] = _ONE_TRY.sub(r"local[\1,4]", chosen["spark.master"])
    else:
        chosen = SAFE | {"spark.executorEnv.LC_ALL": "C.UTF-8", "spark.io.encryption.enabled": "true"} | chosen
    # Workers start whatever `python3` is first in PATH unless they are told otherwise.
    theirs = chosen.get("spark.pyspark.python") or os.environ.get("PYSPARK_PYTHON") or sys.executable
    os.environ["PYSPARK_PYTHON"] = sys.executable if here else theirs
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    with folder.starting(here=here, java=_java_options(quick=quick) if here and not submitted else ""):
        changed = {key: value for key, value in chosen.items() if given.get(key) != value}
        place = asked.get("spark.master") or given.get("spark.master") or LOCAL
        session = _started(changed, place, bare=alone and here and not submitted)
    if submitted or not here:
        ship(session)
    # Spark's own handler talks to the JVM from within the signal, and then nobody hears of the interrupt.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return session


def _refuse_connect(asked: Mapping[str, str]) -> None:
    place = asked.get("spark.master") or asked.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")
    if place.startswith("sc:"):
        raise NoSpark(f"{place}: Spark Connect is not supported; give the master itself: spark://, yarn or k8s://")


def _of_the_running_jvm() -> dict[str, str]:
    """Settings that spark-submit has from its command line and its defaults."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 - slow to import

    # Without it SparkConf knows of no JVM and is empty.
    SparkContext._ensure_initialized()
    found = dict(SparkConf().getAll())
    if found.get("spark.app.name", "").endswith(".py"):  # not named by anybody
        del found["spark.app.name"]
    return found


def _of_the_environment() -> dict[str, str]:
    """The master in PYSPARK_SUBMIT_ARGS, where notebooks and launchers put it."""
    arguments = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    masters = [value for name, value in itertools.pairwise(arguments) if name == "--master"]
    return {"spark.master": masters[-1]} if masters else {}


def _started(chosen: Mapping[str, str], place: str, *, bare: bool) -> SparkSession:
    from py4j.protocol import Py4JError  # noqa: PLC0415
    from pyspark.errors import PySparkException  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    builder = SparkSession.builder
    for key, value in chosen.items():
        builder = builder.config(key, value)
    try:
        with _quiet_start(), java_of_this_run():
            if bare:
                make_bare(chosen)
            session = builder.getOrCreate()
    except (Py4JError, PySparkException, OSError) as error:
        ended = how_java_ended()
        why = f"; {ended}" if ended else ""
        raise NoSpark(f"{place}: Spark did not start there{why}; above is what it said") from error
    if accumulators := getattr(session.sparkContext, "_accumulatorServer", None):
        # Else it prints a traceback when the JVM is killed, which the run notices by itself.
        accumulators.handle_error = lambda *_: None
    return session


def _driver_memory() -> str:
    """A third of the machine for the JVM, since the Python workers and the page cache want the rest; 1 to 16 GiB."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{min(16_384, max(1_024, total // 3 // 1_048_576))}m"


def _java_options(*, quick: bool) -> str:
    java = jvm_archive.java_program()
    return f"{jvm_archive.options(java) if java else ''} {QUICK_JAVA if quick else ''}"


def _need_java() -> None:
    home, java = os.environ.get("JAVA_HOME"), jvm_archive.java_program()
    if java is None or not Path(java).exists():
        place = f"JAVA_HOME, which is {home}, has none" if home else "none was found"
        raise NoJava(f"Spark needs Java {OLDEST_JAVA} or newer and {place}; {_how_to_install()}")
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    version = re.search(r'version "(\d+)', said)
    if version is None or int(version[1]) < OLDEST_JAVA:
        raise NoJava(f"Spark needs Java {OLDEST_JAVA} or newer, {java} is not; {_how_to_install()}")


def _how_to_install() -> str:
    return "install it (Debian and Ubuntu: apt-get install openjdk-17-jre-headless) or set JAVA_HOME"


@contextlib.contextmanager
def _quiet_start() -> Iterator[None]:
    """The JVM greets on stderr before any log setting is read. Nobody needs that, unless the start fails."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        try:
            yield
        except Exception:
            said.seek(0)
            os.write(kept, said.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)
