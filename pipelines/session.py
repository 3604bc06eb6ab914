"""The one place that builds a Spark session."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

OLDEST_JAVA: Final = 17
_SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    # The default, INT96, is deprecated and read as local time by some tools.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Rows carry payload: a batch of the default 10,000 rows could hold hundreds of megabytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Spark joins them again where there is little; tens of millions of conversations want this many.
    "spark.sql.shuffle.partitions": "64",
    "spark.log.level": "ERROR",
}


class NoJava(Exception):
    """Spark cannot start; the text says what to install."""


def spark_session(master: str = "local[*]", settings: Mapping[str, str] | None = None) -> SparkSession:
    """The session of this process; starting it takes several seconds, so ask only when there is work for it."""
    _need_java()
    # Workers start whatever `python3` is first in PATH unless they are told otherwise.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession  # noqa: PLC0415 - slow to import

    builder = SparkSession.builder.master(master).appName("mqtrail")
    chosen = _SETTINGS | ({"spark.driver.memory": _driver_memory()} if master.startswith("local") else {})
    for key, value in (chosen | dict(settings or {})).items():
        builder = builder.config(key, value)
    # Python and the JVM must spell file names alike, also under cron, where no locale is set.
    if "utf" not in os.environ.get("LC_ALL", os.environ.get("LANG", "")).lower():
        os.environ["LC_ALL"] = "C.UTF-8"
    with _quiet_start():
        session = builder.getOrCreate()
    # Spark's own handler talks to the JVM from within the signal, and then nobody hears of the interrupt.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return session


def _driver_memory() -> str:
    """A third of the machine for the JVM, since the Python workers and the page cache want the rest; 1 to 16 GiB."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{min(16_384, max(1_024, total // 3 // 1_048_576))}m"


def _need_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
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
        except BaseException:
            said.seek(0)
            os.write(kept, said.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)
