"""What only a local disk can do: exchange folders in one step, links, locks of the kernel."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from ingest import files
from ingest.files import folders, swap


def fill(folder: Path, *names: str) -> None:
    for name in names:
        files.write_bytes(str(folder / name), name.encode())


def test_the_exchange_is_one_step_and_leaves_the_old_in_staging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "staging", "new")
    fill(tmp_path / "final", "old")

    def no_rename(source: str, destination: str) -> NoReturn:
        pytest.fail(f"moved {source} to {destination}")

    monkeypatch.setattr(swap, "move", no_rename)
    files.swap_folders(str(tmp_path / "staging"), str(tmp_path / "final"))
    assert files.files_below(str(tmp_path)) == [("final/new", 3), ("staging/old", 3)]


def test_without_exchange_it_takes_renames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swap, "_exchanged", lambda *_: False)
    fill(tmp_path / "staging", "new")
    fill(tmp_path / "final", "old")
    files.swap_folders(str(tmp_path / "staging"), str(tmp_path / "final"))
    assert files.files_below(str(tmp_path)) == [("final/new", 3), ("staging/old", 3)]


def test_a_folder_is_placed_over_nothing_but_an_empty_one(tmp_path: Path) -> None:
    staging, final = tmp_path / "staging", tmp_path / "final"
    for occupy in (Path.touch, lambda place: fill(place, "theirs"), lambda place: place.symlink_to("elsewhere")):
        fill(staging, "new")
        occupy(final)
        before = files.files_below(str(final))
        assert not files.place_folder(str(staging), str(final))
        assert files.files_below(str(final)) == before
        shutil.rmtree(final) if final.is_dir() else final.unlink()
    for make in (Path.mkdir, lambda _: None):
        make(final)
        fill(staging, "new")
        assert files.place_folder(str(staging), str(final))
        assert files.files_below(str(tmp_path)) == [("final/new", 3)]
        shutil.rmtree(final)


@pytest.mark.parametrize("renames", [1, 2])
def test_a_swap_cut_short_is_recovered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int) -> None:
    monkeypatch.setattr(swap, "_exchanged", lambda *_: False)
    fill(tmp_path / "staging", "new")
    fill(tmp_path / "final", "old")
    done: list[str] = []

    def dies(source: str, destination: str) -> None:
        if len(done) == renames:
            raise KeyboardInterrupt
        done.append(destination)
        folders.move(source, destination)

    monkeypatch.setattr(swap, "move", dies)
    with pytest.raises(KeyboardInterrupt):
        files.swap_folders(str(tmp_path / "staging"), str(tmp_path / "final"))
    monkeypatch.setattr(swap, "move", folders.move)
    files.recover_swap(str(tmp_path / "final"))
    left = {1: [("final/old", 3), ("staging/new", 3)], 2: [("final/new", 3)]}
    assert files.files_below(str(tmp_path)) == left[renames]


def test_an_exchange_that_fails_for_good_names_the_folder(tmp_path: Path) -> None:
    fill(tmp_path / "final", "old")
    with pytest.raises(FileNotFoundError, match="final"):
        files.swap_folders(str(tmp_path / "staging"), str(tmp_path / "final"))
    assert files.files_below(str(tmp_path)) == [("final/old", 3)]


def test_a_link_is_one_file_and_a_copy_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, "a")
    files.link_or_copy(str(tmp_path / "a"), str(tmp_path / "linked"))
    assert (tmp_path / "linked").samefile(tmp_path / "a")

    def refused(*_: object) -> NoReturn:
        raise OSError(errno.EXDEV, "another disk")

    monkeypatch.setattr(os, "link", refused)
    files.link_or_copy(str(tmp_path / "a"), str(tmp_path / "copied"))
    assert not (tmp_path / "copied").samefile(tmp_path / "a")
    assert (tmp_path / "copied").read_bytes() == b"a"


HOLDER = """
import sys
from ingest.files import lock
with lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_waits_for_another_process_and_says_who(tmp_path: Path) -> None:
    folder, told = str(tmp_path / "out"), list[str]()
    command = [sys.executable, "-c", HOLDER, folder]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as other:
        assert other.stdin
        assert other.stdout
        assert other.stdout.readline() == "held\n"

        def waiting(holder: str) -> None:
            told.append(holder)
            assert other.stdin
            other.stdin.write("\n")
            other.stdin.flush()

        with files.lock(folder, waiting):
            assert told == [f"process {other.pid} on {os.uname().nodename}"]
            assert (tmp_path / ".out.lock").stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    fill(tmp_path, "precious")
    (tmp_path / ".out.lock").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic link"), files.lock(str(tmp_path / "out")):
        pass
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path / "out")
    command = [sys.executable, "-c", HOLDER, folder]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as other:
        assert other.stdout
        other.stdout.readline()
        other.kill()
        with files.lock(folder):
            pass


def test_names_that_are_not_utf_8_and_names_with_colons(tmp_path: Path) -> None:
    for name in (os.fsdecode(b"\xff.zst"), "capture: 12:00.pcap", "s3a:b"):
        path = str(tmp_path / name)
        assert files.is_local(name)
        files.write_bytes(path, b"x")
        assert files.read_bytes(path) == b"x"
        assert files.expand([path]) == [path]
