"""Private folders in places that everybody may write to."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.files import private
from ingest.files.private import private_folder, remove_dead

if TYPE_CHECKING:
    import pytest

PREFIX = "run-"
HOLDER = """
import sys
from pathlib import Path
from ingest.files.private import private_folder
folder = private_folder(Path(sys.argv[1]), "run-")
(folder.path / "deep").mkdir()
(folder.path / "deep" / "payload").write_text("secret")
print(folder.path, flush=True)
sys.stdin.readline()
"""


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_for_its_owner_only_and_gone_when_removed(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        folder = private_folder(tmp_path, PREFIX)
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.path.iterdir()} == {0o600}
    (folder.path / "deep").mkdir()
    (folder.path / "deep" / "file").touch()
    (folder.path / "link").symlink_to(tmp_path)
    folder.remove()
    assert names(tmp_path) == []


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays(tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=Path(__file__).parents[2]) as other:
        assert other.stdout
        path = Path(other.stdout.readline().strip())
        mine = private_folder(tmp_path, PREFIX)
        remove_dead(tmp_path, PREFIX)
        assert names(tmp_path) == sorted((path.name, mine.path.name))
        other.kill()
    remove_dead(tmp_path, PREFIX)
    assert names(tmp_path) == [mine.path.name]
    mine.remove()


def test_one_that_died_before_it_had_its_lock(tmp_path: Path) -> None:
    (tmp_path / "run-1").mkdir(0o700)
    remove_dead(tmp_path, PREFIX)
    assert names(tmp_path) == []


def test_what_is_not_ours_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    precious = tmp_path / "precious"
    precious.mkdir(0o700)
    (precious / "thesis").write_text("years of work")
    (tmp_path / "run-link").symlink_to(precious)
    (tmp_path / "run-file").touch()
    (tmp_path / "run-open").mkdir()
    (tmp_path / "run-open").chmod(0o755)
    there = names(tmp_path)
    remove_dead(tmp_path, PREFIX)
    assert names(tmp_path) == there
    assert names(precious) == ["thesis"]
    (tmp_path / "run-theirs").mkdir(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: (tmp_path / "run-theirs").stat().st_uid + 1)
    remove_dead(tmp_path, PREFIX)
    assert "run-theirs" in names(tmp_path)


def test_links_within_a_dead_folder_are_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis").touch()
    dead = tmp_path / "run-1"
    dead.mkdir(0o700)
    (dead / "out").symlink_to(tmp_path / "precious")
    remove_dead(tmp_path, PREFIX)
    assert names(tmp_path) == ["precious"]
    assert names(tmp_path / "precious") == ["thesis"]


def test_a_folder_taken_for_dead_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, taken = private._opened, list[Path]()

    def late(path: Path) -> object:
        if not taken:
            taken.append(path)
            monkeypatch.setattr(private, "_opened", opened)
            remove_dead(tmp_path, PREFIX)
        return opened(path)

    monkeypatch.setattr(private, "_opened", late)
    folder = private_folder(tmp_path, PREFIX)
    assert taken
    assert names(tmp_path) == [folder.path.name]
    assert folder.path != taken[0]
    folder.remove()
