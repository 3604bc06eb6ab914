"""What the user names, as files; and ranged reads of them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from ingest.files import NoSuchInput, PlainFile, expand, sha256

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.pcap", "a.pcapng", "sub/c.pcap", "sub/deeper/d.gz", ".hidden.pcap", ".git/e.pcap", "x[1].pcap"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


VISIBLE = ["a.pcapng", "b.pcap", "sub/c.pcap", "sub/deeper/d.gz", "x[1].pcap"]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["b.pcap"], ["b.pcap"]),
        (["b.pcap", "a.pcapng", "b.pcap", "./b.pcap"], ["a.pcapng", "b.pcap"]),
        (["."], VISIBLE),
        (["sub", "sub/c.pcap"], ["sub/c.pcap", "sub/deeper/d.gz"]),
        (["*.pcap"], ["b.pcap", "x[1].pcap"]),
        (["**/*.pcap"], ["b.pcap", "sub/c.pcap", "x[1].pcap"]),
        (["s?b"], ["sub/c.pcap", "sub/deeper/d.gz"]),
        (["x[1].pcap"], ["x[1].pcap"]),
        ([".hidden.pcap"], [".hidden.pcap"]),
        ([".git"], [".git/e.pcap"]),
    ],
)
def test_names_become_files(tree: Path, given: list[str], found: list[str]) -> None:
    assert expand(given) == [str(tree / name) for name in found]


@pytest.mark.parametrize("scheme", ["file:", "file://"])
def test_file_urls_are_paths(tree: Path, scheme: str) -> None:
    assert expand([f"{scheme}{tree}/b.pcap", f"{scheme}{tree}/sub/*.pcap"]) == [
        str(tree / "b.pcap"),
        str(tree / "sub/c.pcap"),
    ]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("none.pcap", "none.pcap: no such file or folder"),
        ("empty", "empty: the folder holds no files"),
        ("*.cap", "*.cap: no file matches the pattern"),
        ("file:/none/at/all", "file:/none/at/all: no such file or folder"),
    ],
)
def test_says_which_name_leads_nowhere(tree: Path, given: str, says: str) -> None:
    with pytest.raises(NoSuchInput) as caught:
        expand(["b.pcap", given])
    assert str(caught.value) == says


def test_reads_ranges_and_less_only_at_the_end(tree: Path) -> None:
    path = tree / "b.pcap"
    path.write_bytes(bytes(range(100)))
    file = PlainFile(str(path))
    assert file.size() == 100
    assert file.read(10, 5) == bytes(range(10, 15))
    assert file.read(95, 50) == bytes(range(95, 100))
    assert file.read(100, 1) == b""
    assert file.size() == 100
    file.close()
    file.close()
    assert file.read(0, 1) == b"\0"
    file.close()


def test_hashes_files_larger_than_a_chunk(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.files.reading.HASH_CHUNK", 7)
    path = tree / "b.pcap"
    path.write_bytes(bytes(100))
    assert sha256(str(path), 100) == (hashlib.sha256(bytes(100)).hexdigest(), True)
