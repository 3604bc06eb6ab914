"""URLs: how they are spelled, and what a user is told when one leads nowhere."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import threading

import pytest

from ingest import files
from ingest.files import locking, remote

PATIENCE_SECONDS = 300.0
"""The first answer of an object store takes its time on a busy machine."""


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("/a/b/", "/a/b"),
        ("file:/a/b", "/a/b"),
        ("file:///a/b c", "/a/b c"),
        ("file://localhost/a", "/a"),
        ("FILE:/a", "/a"),
        ("s3://bucket/a//b/", "s3://bucket/a/b"),
        ("s3a://bucket", "s3a://bucket"),
        ("hdfs:/a/b", "hdfs:///a/b"),
        ("hdfs://nn:8020/a%20b", "hdfs://nn:8020/a%20b"),
    ],
)
def test_one_spelling_a_place(given: str, normal: str) -> None:
    assert files.normalised(given) == normal


@pytest.mark.parametrize("folder", ["/", "/a", "a", "s3a://bucket", "s3a://bucket/a/", "hdfs:///a"])
def test_names_are_joined_and_taken_apart(folder: str) -> None:
    path = files.join(folder, "b", "c")
    assert path.endswith("b/c")
    assert files.name_of(path) == "c"
    assert files.parent_of(files.parent_of(path)) == folder.rstrip("/") or folder == "/"
    assert files.parent_of("s3a://bucket") == "s3a://bucket"
    assert files.name_of("s3a://bucket") == ""


def test_no_such_bucket(s3_settings: str) -> None:
    with pytest.raises(FileNotFoundError, match="no such bucket: 's3a://none-of-that/a'"):
        files.write_bytes("s3a://none-of-that/a", b"x")
    with pytest.raises(files.NoSuchInput, match="s3a://none-of-that/a: no such bucket"):
        files.expand(["s3a://none-of-that/a"])
    with pytest.raises(FileNotFoundError, match="names no bucket; write s3a://BUCKET/PATH: 's3a:///a'"):
        files.read_bytes("s3a:///a")


def test_no_server(s3_settings: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(remote, "_ATTEMPTS", 1)
    with pytest.raises(OSError, match="the server does not answer; check AWS_ENDPOINT_URL"):
        files.read_bytes("s3a://bucket/a")


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        ("AWS Error ACCESS_DENIED during HeadObject operation: No response body.", PermissionError, "AWS_ACCESS_KEY"),
        ("AWS Error UNKNOWN (HTTP status 403) during ListObjectsV2", PermissionError, "AWS_ACCESS_KEY_ID"),
        ("AWS Error UNKNOWN (HTTP status 301). Looks like the configured region is 'a'", OSError, "set AWS_REGION"),
        ("Unable to load libhdfs: no such file", OSError, "CLASSPATH"),
        ("something else\nwith details", OSError, "something else: 's3a://b/a'"),
    ],
)
def test_errors_say_what_to_set(said: str, kind: type[OSError], told: str) -> None:
    with pytest.raises(kind, match=told) as caught, remote.errors_of_path("s3a://b/a"):
        raise OSError(said)
    assert caught.value.filename == "s3a://b/a"
    assert "\n" not in str(caught.value)


def test_no_hadoop_client() -> None:
    """In a process of its own: pyarrow remembers a failure, and loads a JVM on success."""
    program = "from ingest.files import exists, expand\nfor ask in (exists, lambda url: expand([url])):\n"
    program += (
        "    try: ask('hdfs://127.0.0.1:9/a')\n    except Exception as error: print(type(error).__name__, error)\n"
    )
    environment = {"PATH": "/usr/bin:/bin", "ARROW_LIBHDFS_DIR": "/none"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment, timeout=60
    )
    first, second = done.stdout.splitlines()
    assert "set HADOOP_HOME, JAVA_HOME and CLASSPATH=" in first
    assert second.startswith("NoSuchInput hdfs://127.0.0.1:9/a: hdfs: needs Hadoop's client")


def test_unknown_scheme() -> None:
    with pytest.raises(OSError, match=r"use a local path, file:, hdfs: or s3a:: 'gopher://a/b'"):
        files.read_bytes("gopher://a/b")


def test_a_lock_waits_until_the_other_is_gone(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "_SETTLE_SECONDS", 0.05)
    monkeypatch.setattr(locking, "_POLL_SECONDS", 0.05)
    folder, told, held, done = f"s3a://{bucket}/out", list[str](), threading.Event(), threading.Event()

    def other() -> None:
        with files.lock(folder):
            held.set()
            done.wait(PATIENCE_SECONDS)

    # It ends with the tests, should one of them fail while it holds the lock.
    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    assert held.wait(PATIENCE_SECONDS)

    def waiting(holder: str) -> None:
        told.append(holder)
        done.set()

    with files.lock(folder, waiting):
        assert [one.startswith("process ") for one in told] == [True]
        assert files.exists(f"s3a://{bucket}/.out.lock")
    thread.join()
    assert not files.exists(f"s3a://{bucket}/.out.lock")


def test_a_lock_of_yesterday_is_stale(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "_SETTLE_SECONDS", 0.05)
    files.write_bytes(f"s3a://{bucket}/.out.lock", b"process 1 on a machine that died")
    monkeypatch.setattr(locking, "STALE", dt.timedelta(seconds=-5))
    # Its own would be stale as well then: only the first look is of interest.
    assert locking._holder(f"s3a://{bucket}/.out.lock") is None


def test_local_paths_load_no_file_systems() -> None:
    program = (
        "import sys, ingest.files as f; f.expand([__import__('os').__file__]); assert 'pyarrow.fs' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
