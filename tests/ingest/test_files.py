"""One suite over the file systems: a local path, a file: URL, a real S3 server, and the branches for HDFS."""

from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet

from ingest import files
from ingest.inflate import InflatedFile

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["local", "file:", "s3a:", "hdfs:"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder with nothing in it."""
    if request.param == "s3a:":
        return f"s3a://{request.getfixturevalue('bucket')}/some/folder"
    if request.param == "hdfs:":
        return f"{request.getfixturevalue('name_node')}/some/folder"
    return str(tmp_path) if request.param == "local" else f"file://{tmp_path}"


def fill(folder: str, *names: str) -> None:
    for name in names:
        files.write_bytes(files.join(folder, name), name.encode())


def names_below(folder: str) -> list[str]:
    return [name for name, _ in files.files_below(folder)]


def test_reads_what_was_written(root: str) -> None:
    path = files.join(root, "a", "b.bin")
    data = bytes(range(100))
    assert not files.exists(path)
    files.write_bytes(path, b"older, and longer than a hundred bytes" * 3)
    files.write_bytes(path, data)
    assert files.read_bytes(path) == data
    assert (files.exists(path), files.is_folder(path), files.size_of(path)) == (True, False, 100)
    assert (files.exists(files.join(root, "a")), files.is_folder(files.join(root, "a"))) == (True, True)
    assert files.files_below(root) == [("a/b.bin", 100)]
    assert files.entries(root) == ["a"]
    file = files.PlainFile(path)
    assert file.size() == 100
    assert file.read(10, 5) == data[10:15]
    assert file.read(95, 50) == data[95:]
    assert file.read(100, 1) == b""
    assert file.read(200, 1) == b""
    assert file.size() == 100
    file.close()
    file.close()
    assert file.read(0, 1) == b"\0"
    file.close()
    assert files.sha256(path, 100) == (hashlib.sha256(data).hexdigest(), True)
    assert files.sha256(path, 99) == (hashlib.sha256(data[:99]).hexdigest(), False)
    assert files.sha256(path, 101) == (hashlib.sha256(data).hexdigest(), False)


def test_says_which_file_is_missing(root: str) -> None:
    path = files.join(root, "none")
    for ask in (
        files.read_bytes,
        files.size_of,
        lambda path: files.PlainFile(path).read(0, 1),
        lambda path: files.PlainFile(path).size(),
    ):
        with pytest.raises(FileNotFoundError, match="none"):
            ask(path)
    assert files.files_below(path) == []
    assert files.entries(path) == []
    files.remove_file(path)
    files.remove_folder(path)


def test_names_become_files(root: str) -> None:
    fill(root, "b.pcap", "a.pcapng", "sub/c.pcap", "sub/deeper/d.gz", ".hidden.pcap", ".git/e.pcap", "x[1].pcap")

    def found(*given: str) -> list[str]:
        below = files.normalised(root) + "/"
        paths = files.expand([files.join(root, one) if one else root for one in given])
        assert all(path.startswith(below) for path in paths)
        return [path.removeprefix(below) for path in paths]

    visible = ["a.pcapng", "b.pcap", "sub/c.pcap", "sub/deeper/d.gz", "x[1].pcap"]
    assert found("b.pcap", "a.pcapng", "b.pcap") == ["a.pcapng", "b.pcap"]
    assert found("") == visible
    assert found("sub", "sub/c.pcap") == ["sub/c.pcap", "sub/deeper/d.gz"]
    assert found("*.pcap") == ["b.pcap", "x[1].pcap"]
    assert found("**/*.pcap") == ["b.pcap", "sub/c.pcap", "x[1].pcap"]
    assert found("**/deeper/*") == ["sub/deeper/d.gz"]
    assert found("sub/**") == ["sub/c.pcap", "sub/deeper/d.gz"]
    assert found("s?b") == ["sub/c.pcap", "sub/deeper/d.gz"]
    assert found("*/[cd].pcap") == ["sub/c.pcap"]
    assert found("x[1].pcap") == ["x[1].pcap"]
    assert found(".hidden.pcap") == [".hidden.pcap"]
    assert found(".git") == [".git/e.pcap"]
    for given, why in (("none.pcap", "no such file or folder"), ("*.cap", "no file matches the pattern")):
        with pytest.raises(files.NoSuchInput) as caught:
            found(given)
        assert str(caught.value) == f"{files.join(root, given)}: {why}"
    assert names_below(root) == sorted([*visible, ".hidden.pcap", ".git/e.pcap"])


def test_parquet_goes_out_and_a_failure_leaves_nothing(root: str) -> None:
    table = pa.table({"n": list(range(1000))})
    path = files.join(root, "tables", "n", "part-0.parquet")
    with files.open_output(path) as sink, parquet.ParquetWriter(sink, table.schema) as writer:
        writer.write_table(table)
    assert parquet.read_table(pa.BufferReader(files.read_bytes(path))).equals(table)
    with parquet.ParquetFile(files.open_input(path)) as opened:
        assert opened.read().equals(table)

    def fails() -> None:
        with files.open_output(files.join(root, "half")) as sink:
            sink.write(b"some")
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert names_below(root) == ["tables/n/part-0.parquet"]


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_compressed_files_are_inflated(root: str, compression: str) -> None:
    data = b"".join(bytes([n]) * 1000 for n in range(256)) * 20
    path = files.join(root, "a")
    files.write_bytes(path, gzip.compress(data) if compression == "gzip" else zstandard.compress(data))
    source = InflatedFile(path, "gzip" if compression == "gzip" else "zstd")
    assert source.read(0, len(data) + 1) == data
    source.close()


def test_moves_links_and_removes(root: str) -> None:
    fill(root, "from/a", "from/sub/b", "other")
    files.move(files.join(root, "from"), files.join(root, "deep", "to"))
    assert names_below(root) == ["deep/to/a", "deep/to/sub/b", "other"]
    files.move(files.join(root, "other"), files.join(root, "deep/to/a"))
    assert files.read_bytes(files.join(root, "deep/to/a")) == b"other"
    for _ in range(2):
        files.link_or_copy(files.join(root, "deep/to/a"), files.join(root, "new/a"))
    assert files.read_bytes(files.join(root, "new/a")) == b"other"
    files.remove_file(files.join(root, "new/a"))
    assert names_below(root) == ["deep/to/a", "deep/to/sub/b"]
    files.remove_folder(files.join(root, "deep"))
    assert names_below(root) == []


def test_a_finished_folder_takes_the_place_of_another(root: str) -> None:
    staging, final = files.join(root, ".out.partial"), files.join(root, "out")
    fill(staging, "tables/a", "run.json")
    files.swap_folders(staging, final)
    assert names_below(final) == ["run.json", "tables/a"]
    files.remove_folder(staging)
    fill(staging, "tables/b", "run.json")
    files.swap_folders(staging, final)
    assert names_below(final) == ["run.json", "tables/b"]
    files.remove_folder(staging)
    files.recover_swap(final)
    assert names_below(root) == ["out/run.json", "out/tables/b"]


def test_a_lock_is_had_and_given_back(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.files.locking._SETTLE_SECONDS", 0.01)
    folder, told = files.join(root, "out"), list[str]()
    for _ in range(2):
        with files.lock(folder, told.append):
            fill(folder, "a")
    assert told == []


def test_copies_between_file_systems(root: str, tmp_path: Path) -> None:
    (tmp_path / "here").write_bytes(b"x" * 10)
    files.link_or_copy(str(tmp_path / "here"), files.join(root, "there"))
    files.link_or_copy(files.join(root, "there"), str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == b"x" * 10
