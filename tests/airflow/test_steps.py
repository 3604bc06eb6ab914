"""What the DAGs share and Airflow is not needed for."""

from __future__ import annotations

import datetime as dt
import json
import os
from typing import TYPE_CHECKING

import pytest

from mqtrail_steps import days, landing, manifest, run_folder
from mqtrail_steps.lease import Lease

if TYPE_CHECKING:
    from pathlib import Path

SECOND = 1_000_000_000


def test_files_settle(tmp_path: Path) -> None:
    for name, at in (("old", 100), ("young", 190), ("future", 300)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (at, at))
    settled = landing.settled(str(tmp_path), ["*"], 60, 200 * SECOND)
    assert [one.path for one in settled] == [str(tmp_path / "old")]


def test_hidden_names_links_and_pipes_are_no_captures(tmp_path: Path) -> None:
    (tmp_path / "a.pcap").touch()
    (tmp_path / ".a.pcap.Xy12").touch()
    (tmp_path / ".rsync").mkdir()
    (tmp_path / ".rsync" / "b.pcap").touch()
    (tmp_path / "link.pcap").symlink_to(tmp_path / "a.pcap")
    (tmp_path / "folder-link").symlink_to(tmp_path / ".rsync")
    os.mkfifo(tmp_path / "pipe.pcap")
    (tmp_path / "a.pcap.md5").touch()
    assert [one.path for one in landing.files(str(tmp_path), ["*.pcap"])] == [str(tmp_path / "a.pcap")]


def test_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(landing.files(str(tmp_path / "none"), ["*"]))


def test_ledger_knows_a_file_until_it_changes(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9")
    file.write_text("x")
    ledger, verdict = landing.Ledger(str(tmp_path / "work")), landing.Verdict("complete", "hash", None)
    one = landing.found(str(file))
    assert one is not None
    assert ledger.verdict(one) is None
    ledger.note(one, verdict)
    assert landing.Ledger(str(tmp_path / "work")).verdict(one) == verdict
    file.chmod(0o600 if file.stat().st_mode & 0o077 else 0o644)
    changed = landing.found(str(file))
    assert changed is not None
    assert ledger.verdict(changed) is None, "permissions may be what was wrong"
    assert not one.is_still_so()
    assert changed.is_still_so()


@pytest.mark.parametrize(
    ("state", "digest", "accepted", "is_to_do"),
    [
        ("complete", "new", {"complete"}, True),
        ("complete", "known", {"complete"}, False),
        ("truncated", "new", {"complete"}, False),
        ("truncated", "new", {"complete", "truncated"}, True),
        ("truncated", "known", {"complete", "truncated"}, False),
        ("unreadable", None, {"complete", "truncated"}, False),
    ],
)
def test_what_is_still_to_do(
    state: str, digest: str | None, accepted: set[str], is_to_do: bool, tmp_path: Path
) -> None:
    one = landing.Found("/a", 1, 2, 3)
    ledger = landing.Ledger(str(tmp_path))
    assert landing.to_do([one], ledger, {"known"}, accepted) == [one], "never looked at"
    ledger.note(one, landing.Verdict(state, digest, None))
    assert landing.to_do([one], ledger, {"known"}, accepted) == ([one] if is_to_do else [])


def test_lease_is_held_by_one_dag(tmp_path: Path) -> None:
    def lease(dag: str, run: str, dataset: str = "/data") -> Lease:
        return Lease(str(tmp_path), dataset, dag, run)

    assert lease("nightly", "1").take()
    assert lease("nightly", "1").take(), "a second try of the same task"
    assert not lease("backfill", "7").take()
    assert lease("backfill", "7").holder() == "nightly 1"
    assert lease("backfill", "7", "/other").take()
    lease("backfill", "7").give_back()
    assert lease("backfill", "7").holder() == "nightly 1", "only who has it gives it back"
    assert lease("nightly", "2").take(), "one active run at a time: run 1 is dead"
    lease("nightly", "1").give_back()
    assert lease("nightly", "2").holder() == "nightly 2"
    lease("nightly", "2").give_back()
    assert lease("backfill", "7").take()
    assert [file.name for file in (tmp_path / "leases").iterdir() if file.name.startswith(".")] == []


def test_folders_of_runs_stay_below_the_work_folder(tmp_path: Path) -> None:
    one, other = (run_folder.run_folder(str(tmp_path), "dag", name) for name in ("../../x/1", "..-..-x-1"))
    assert one.parent == other.parent == tmp_path / "runs" / "dag"
    assert one != other


def test_folders_of_old_runs_go(tmp_path: Path) -> None:
    old, young = tmp_path / "old", tmp_path / "young"
    for folder in (old, young):
        (run_folder.fresh(folder) / "list").touch()
    os.utime(old, (1, 1))
    run_folder.fresh(tmp_path / "new")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["new", "young"]
    assert list(run_folder.fresh(young).iterdir()) == []


@pytest.mark.parametrize(
    ("count", "at_most", "sizes"), [(0, 3, []), (2, 3, [1, 1]), (7, 3, [3, 3, 1]), (5000, 200, [25] * 200)]
)
def test_groups_are_not_more_than_allowed(count: int, at_most: int, sizes: list[int]) -> None:
    groups = run_folder.groups(count, at_most)
    assert [len(group) for group in groups] == sizes
    assert [index for group in groups for index in group] == list(range(count))


def test_range_of_days_includes_both_ends() -> None:
    assert days.between("2026-02-27", "2026-03-01") == [dt.date(2026, 2, 27), dt.date(2026, 2, 28), dt.date(2026, 3, 1)]
    assert len(days.between("2026-01-01", "2026-01-01")) == 1


def test_day_of_a_capture() -> None:
    wanted = days.between("2026-01-31", "2026-02-01")
    midnight = int(dt.datetime(2026, 2, 1, tzinfo=dt.UTC).timestamp())
    before = landing.Found("/in/2026-02-01/x", 1, midnight * SECOND - 1, 0)
    after = landing.Found("/in/2026-01-31/y", 1, midnight * SECOND, 0)
    by_time = days.by_day([before, after], "/in", wanted, "")
    assert by_time == {dt.date(2026, 1, 31): [before], dt.date(2026, 2, 1): [after]}
    by_path = days.by_day([before, after], "/in", wanted, "%Y-%m-%d/*")
    assert by_path == {dt.date(2026, 1, 31): [after], dt.date(2026, 2, 1): [before]}
    assert days.by_day([before, after], "/in", wanted, "%d") == {}
    with pytest.raises(days.WrongRange, match="names no day"):
        days.by_day([], "/in", wanted, "%Y/%m/*")


def test_levels_at_or_above() -> None:
    found = {"informational": 1, "low": 2, "medium": 0, "high": 4}
    assert manifest.at_or_above("low", found) == {"high": 4, "low": 2}
    assert list(manifest.at_or_above("informational", found)) == ["high", "low", "informational"], "the worst first"
    assert manifest.at_or_above("critical", found) == {}


def test_captures_of_all_runs_are_known(tmp_path: Path) -> None:
    dataset, work = str(tmp_path / "dataset"), str(tmp_path / "work")
    assert manifest.known(dataset, work) == set(), "nothing was published yet"
    assert manifest.stands_at(dataset) == ""
    runs = tmp_path / "dataset" / "runs"
    runs.mkdir(parents=True)
    (runs / "000001.json").write_text(json.dumps({"inputs": [{"sha256": "a"}, {"sha256": None}]}))
    assert manifest.known(dataset, work) == {"a"}
    (runs / "000002.json").write_text(json.dumps({"inputs": [{"sha256": "b"}]}))
    assert manifest.known(dataset, work) == {"a", "b"}
    about = (runs / "000001.json").stat()
    (runs / "000001.json").write_text("x" * about.st_size)
    os.utime(runs / "000001.json", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert manifest.known(dataset, work) == {"a", "b"}, "what was read is not read again"
    (runs / "000001.json").unlink()
    (runs / "000002.json").write_text(json.dumps({"inputs": [{"sha256": "c"}, {"sha256": "d"}]}))
    assert manifest.known(dataset, work) == {"c", "d"}, "another dataset in its place"
