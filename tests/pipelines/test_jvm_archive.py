"""Which archive of classes a JVM is given, and which not; no JVM is started."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from pipelines.engine import jvm_archive
from pipelines.engine import spark_session as session


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of a machine with a Java, a Spark of two jars and an empty cache."""
    for name in ("java/bin/java", "java/release", "spark/jars/a.jar", "spark/jars/b.jar"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = jvm_archive.java_program()
    assert found == str(tmp_path / "java/bin/java")
    return found


def made_by(monkeypatch: pytest.MonkeyPatch, content: bytes | None) -> list[str]:
    """A run that leaves such an archive, or none; the options that its JVM had."""
    seen: list[str] = []

    def run(_captures: object, _out: object, options: str) -> None:
        seen.append(options)
        if content is not None:
            Path(options.partition("=")[2].partition('"')[0]).write_bytes(content)

    monkeypatch.setattr(jvm_archive, "_run", run)
    return seen


@pytest.fixture
def archive(java: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    made_by(monkeypatch, b"classes")
    path = jvm_archive.make(java, ["a.pcap"])
    assert path is not None
    return path


def test_made_once_and_for_the_user_alone(archive: Path, java: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (archive.read_bytes(), archive.stat().st_mode & 0o777) == (b"classes", 0o400)
    assert (list(archive.parent.iterdir()), archive.parent.stat().st_mode & 0o777) == ([archive], 0o700)
    assert f'"-XX:SharedArchiveFile={archive}"' in jvm_archive.options(java)
    again = made_by(monkeypatch, b"others")
    assert (jvm_archive.make(java, ["a.pcap"]), again) == (archive, [])


@pytest.mark.parametrize("file", ["java/bin/java", "java/release", "spark/jars/b.jar", "spark/jars/c.jar"])
def test_another_java_or_spark_has_another(archive: Path, java: str, tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_text("newer, and of another size")
    assert archive.exists()
    assert jvm_archive.options(java) == ""


def writable(archive: Path) -> None:
    archive.chmod(0o600)


def open_to_others(archive: Path) -> None:
    archive.parent.chmod(0o755)


def linked(archive: Path) -> None:
    archive.rename(archive.parents[1] / "elsewhere")
    archive.symlink_to(archive.parents[1] / "elsewhere")


def folder_linked(archive: Path) -> None:
    archive.parent.rename(archive.parents[1] / "elsewhere")
    archive.parent.symlink_to(archive.parents[1] / "elsewhere")


@pytest.mark.parametrize("change", [writable, open_to_others, linked, folder_linked])
def test_what_others_could_have_written_is_not_used(archive: Path, java: str, change: object) -> None:
    assert callable(change)
    change(archive)
    assert jvm_archive.options(java) == ""


def test_nor_what_others_own(archive: Path, java: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert archive.exists()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert jvm_archive.options(java) == ""


def test_a_jvm_that_leaves_none_leaves_nothing(java: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_by(monkeypatch, None)
    assert jvm_archive.main(["a.pcap"]) == 0
    assert list((tmp_path / "cache" / "mqtrail").iterdir()) == []
    assert jvm_archive.options(java) == ""


def test_a_cache_that_cannot_be_written_is_no_failure(
    java: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert jvm_archive.options(java) == ""
    assert jvm_archive.main(["a.pcap"]) == 0
    assert "/dev/null/mqtrail" in capsys.readouterr().err


def test_old_ones_go(archive: Path, java: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [archive]
    for number in range(6):
        (tmp_path / "java/release").write_text("x" * number)
        made_by(monkeypatch, b"classes")
        path = jvm_archive.make(java, ["a.pcap"])
        assert path is not None
        os.utime(path, (number + 1, number + 1))
        made.append(path)
    assert sorted(archive.parent.iterdir()) == sorted([archive, *made[-3:]])  # the first is of today


def test_an_archive_that_does_not_fit_is_passed_over_in_silence(
    archive: Path, java: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = shlex.split(jvm_archive.options(java))
    monkeypatch.delenv("JAVA_HOME")
    program = jvm_archive.java_program()
    if program is None:
        pytest.skip("no java")
    done = subprocess.run([program, *options, "--version"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert archive.name not in done.stdout
    assert "warning" not in done.stdout


@pytest.fixture
def command_line(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Fills with what a JVM would be started with."""
    found: list[str] = []
    for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "PYSPARK_PYTHON", "SPARK_REMOTE"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYSPARK_DRIVER_PYTHON", "")
    options = lambda *_, **__: found.append(os.environ.get("SPARK_SUBMIT_OPTS", ""))  # noqa: E731 - a stand-in
    monkeypatch.setattr(session, "_started", options)
    monkeypatch.setattr(session, "_need_java", lambda: None)
    monkeypatch.setattr(session, "ship", lambda _: None)
    return found


def test_a_run_on_this_machine_uses_it_and_a_small_one_compiles_in_haste(
    archive: Path, command_line: list[str]
) -> None:
    session.spark_session("local[2]")
    session.spark_session("local[2]", quick=True)
    session.spark_session("spark://there:7077", quick=True)
    assert [str(archive) in one for one in command_line] == [True, True, False]
    assert [session.QUICK_JAVA in one for one in command_line] == [False, True, False]
