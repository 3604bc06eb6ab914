"""Spark's classes in a file that the JVM maps at its start, in place of reading and verifying each. docs/adr/0024.

    python -m pipelines.engine.jvm_archive CAPTURE...    makes it, once for a Java and a Spark: for such runs

Only runs on this machine use it, and only what this user alone can have written: a JVM trusts such a file blindly.
Whatever is wrong with it, a run starts without.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import mqtrail
from ingest.files.private import PRIVATE, private_folder, remove_dead

if TYPE_CHECKING:
    from collections.abc import Sequence

_SUFFIX: Final = ".jsa"
_PREFIX: Final = "making-"
_KEPT: Final = 3
"""Of other versions of Java and Spark; each has 150 MB."""
_END_SECONDS: Final = 600
"""The JVM writes the file at its end: 20 seconds of processor time."""
_SILENT: Final = "-Xshare:auto -Xlog:disable"
"""What does not fit is not used, and not complained about: on stdout, at that."""


def options(java: str) -> str:
    """For the command line of the JVM; empty if there is no archive to trust."""
    try:
        path = _path(java)
        return f'"-XX:SharedArchiveFile={path}" {_SILENT}' if _is_ours(path) else ""
    except OSError:
        return ""


def java_program() -> str | None:
    """The one that Spark will start."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java")


def make(java: str, captures: Sequence[str]) -> Path | None:
    """None if it could not be made."""
    path = _path(java)
    if _is_ours(path):
        return path
    path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    remove_dead(path.parent, _PREFIX)
    folder = private_folder(path.parent, _PREFIX)
    try:
        made = folder.path / path.name
        _run(captures, folder.path / "out", f'"-XX:ArchiveClassesAtExit={made}" -Xlog:disable')
        if not made.is_file():
            return None
        made.chmod(0o400)
        made.replace(path)
    finally:
        folder.remove()
    _remove_old(path)
    return path if _is_ours(path) else None


def _path(java: str) -> Path:
    """By all that makes an archive fit: this Java, and Spark's jars. The JVM looks again, and more closely."""
    from pyspark.find_spark_home import _find_spark_home  # noqa: PLC0415 - slow to import

    program = Path(java).resolve()
    jars = Path(_find_spark_home()).resolve() / "jars"  # type: ignore[no-untyped-call]
    parts = [_look(program), _look(program.parents[1] / "release"), *(_look(jar) for jar in sorted(jars.glob("*.jar")))]
    return _folder() / f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}{_SUFFIX}"


def _look(file: Path) -> tuple[str, int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:  # not every Java has the file `release`
        return None
    return str(file), found.st_size, found.st_mtime_ns


def _folder() -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    # The standard says that a relative one is to be ignored.
    return (Path(given) if given.startswith("/") else Path.home() / ".cache") / "mqtrail"


def _is_ours(path: Path) -> bool:
    """Nobody else can have written the file, nor put it there."""
    try:
        folder, file = path.parent.lstat(), path.lstat()
    except FileNotFoundError:
        return False
    private = stat.S_ISDIR(folder.st_mode) and stat.S_IMODE(folder.st_mode) == PRIVATE
    unchanged = stat.S_ISREG(file.st_mode) and not stat.S_IMODE(file.st_mode) & 0o222
    return private and unchanged and folder.st_uid == file.st_uid == os.geteuid()


def _run(captures: Sequence[str], out: Path, java_options: str) -> None:
    """In this process, which has no Spark yet, and waits longer for the end of the JVM than a run does."""
    from pyspark import SparkContext  # noqa: PLC0415

    os.environ["SPARK_SUBMIT_OPTS"] = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} {java_options}"
    with tempfile.TemporaryFile("w") as said, contextlib.redirect_stdout(said):
        mqtrail.main(["analyze", *captures, "--out", str(out), "--master", "local[2]"])
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()
    java = getattr(SparkContext._gateway, "proc", None)
    if java is not None:
        java.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            java.wait(_END_SECONDS)


def _remove_old(newest: Path) -> None:
    others = [path for path in newest.parent.glob(f"*{_SUFFIX}") if path != newest]
    for path in sorted(others, key=lambda path: path.lstat().st_mtime_ns, reverse=True)[_KEPT:]:
        path.unlink(missing_ok=True)


def main(arguments: Sequence[str]) -> int:
    """Never a reason to stop: nothing but time depends on it."""
    java = java_program()
    try:
        made = make(java, arguments) if java and arguments else None
    except OSError as error:
        sys.stderr.write(f"jvm_archive: {error}\n")
        return 0
    sys.stderr.write(f"jvm_archive: {made or 'none was made; runs start without'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
