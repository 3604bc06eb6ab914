from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ingest.files import sha256
from pipelines.captures.inventory import FileHashes, duplicates, take_stock
from pipelines.captures.rows import capture_rows, file_issues
from tests.builders.containers import Packet, pcap


def test_files_are_numbered_by_their_first_packet_not_by_their_names(tmp_path: Path) -> None:
    for name, second in (("b", 1), ("a", 3), ("c", 2)):
        (tmp_path / name).write_bytes(pcap([Packet(bytes(60), ts=second * 1_000_000)]))
    stock = take_stock([str(tmp_path / name) for name in "abc"])
    assert [one.path[-1] for one in stock] == ["b", "c", "a"]
    assert [one.file for one in stock] == [0, 1, 2]


def test_files_that_cannot_be_read_are_in_stock_with_their_problem(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    (one,) = take_stock([str(tmp_path / "text")])
    assert one.capture is None
    assert one.problem is not None
    assert (one.problem.code, one.size) == ("not-a-capture", 5)


def test_hash_is_of_the_bytes_that_were_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcdef")
    assert sha256(str(tmp_path / "file"), 6) == (hashlib.sha256(b"abcdef").hexdigest(), True)
    assert sha256(str(tmp_path / "file"), 4) == (hashlib.sha256(b"abcd").hexdigest(), False)
    assert sha256(str(tmp_path / "file"), 9)[1] is False


def test_file_that_changed_during_the_run_is_not_complete(tmp_path: Path) -> None:
    (tmp_path / "growing").write_bytes(pcap([]))
    stock = take_stock([str(tmp_path / "growing")])
    hashed = FileHashes({0: "hash"}, {0})
    assert capture_rows(stock, [], hashed, {})[0]["state"] == "truncated"
    assert "changed-while-read" in [issue["code"] for issue in file_issues(stock, [], hashed, {})]


def test_same_bytes_under_two_names_are_one_capture_with_two_rows(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(pcap([Packet(bytes(60), ts=1)]))
        (tmp_path / f"empty-{name}").write_bytes(b"")
    stock = take_stock([str(tmp_path / name) for name in ("a", "b", "empty-a", "empty-b")])
    digests = {one.file: str(one.size) for one in stock}
    same = duplicates(stock, digests)
    rows = capture_rows(stock, [], FileHashes(digests, set()), same)
    assert {row["path"][-1]: row["duplicate_of"] for row in rows.values() if row["format"]} == {
        "a": None,
        "b": str(tmp_path / "a"),
    }
    assert len(rows) == 4
    assert len(same) == 1, "an empty file is unreadable, not a duplicate"


def test_name_that_is_not_utf8_is_shown_escaped(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/bad\xff.pcap"
    Path(os.fsdecode(path)).write_bytes(pcap([]))
    (one,) = take_stock([os.fsdecode(path)])
    assert one.capture is not None
    assert one.shown_path.endswith("bad\\xff.pcap")
