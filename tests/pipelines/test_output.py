from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from threading import Thread

import pytest

from ingest.files import swap_folders
from pipelines.store.files import WrittenFile
from pipelines.store.manifest import write_manifest
from pipelines.store.output_folder import OutputFolder, OutputRefused


def write(output: OutputFolder, text: str) -> None:
    tables = Path(output.staging) / "tables"
    tables.mkdir()
    (tables / "part.parquet").write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    write_manifest(output.staging, {}, [WrittenFile("flows", "tables/part.parquet", 1, len(text), digest)])


def die(folder: OutputFolder) -> None:
    with folder as output:
        write(output, "half")
        raise KeyError


def test_folder_appears_only_when_published(tmp_path: Path) -> None:
    with OutputFolder(str(tmp_path / "out"), force=False) as output:
        write(output, "x")
        assert not (tmp_path / "out").exists()
        output.publish()
    assert (tmp_path / "out" / "tables" / "part.parquet").read_text() == "x"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_run_that_dies_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        die(OutputFolder(str(tmp_path / "out"), force=False))
    assert list(tmp_path.iterdir()) == []


def test_run_that_dies_leaves_the_earlier_run_as_it_was(tmp_path: Path) -> None:
    with OutputFolder(str(tmp_path / "out"), force=False) as output:
        write(output, "first")
        output.publish()
    with pytest.raises(KeyError):
        die(OutputFolder(str(tmp_path / "out"), force=True))
    assert (tmp_path / "out" / "tables" / "part.parquet").read_text() == "first"


def test_what_a_killed_run_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    (tmp_path / ".out.partial-0123456789abcdef" / "tables").mkdir(parents=True)
    (tmp_path / ".out.partial-notes").mkdir()
    with OutputFolder(str(tmp_path / "out"), force=False) as output:
        write(output, "x")
        output.publish()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".out.partial-notes", "out"]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("appears", ["notes.txt", "tables/notes.txt", "tables/calls/mine.parquet"])
def test_what_appears_in_the_folder_during_a_run_stays_and_the_result_lies_beside_it(
    tmp_path: Path, appears: str, force: bool
) -> None:
    """Also where a run was there before, to be replaced."""
    if force:
        with OutputFolder(str(tmp_path / "out"), force=True) as output:
            write(output, "first")
            output.publish()
    (tmp_path / "out.1").mkdir()
    with OutputFolder(str(tmp_path / "out"), force=force) as output:
        write(output, "second")
        place = tmp_path / "out" / appears
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("years of work")
        with pytest.raises(OutputRefused, match=rf"the result lies in {tmp_path}/out\.2$"):
            output.publish()
    assert place.read_text() == "years of work"
    assert (tmp_path / "out.2" / "tables" / "part.parquet").read_text() == "second"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["out", "out.1", "out.2"]


def test_what_comes_with_the_very_exchange_is_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def swap(staging: str, final: str) -> None:
        (tmp_path / "out" / "notes.txt").write_text("years of work")
        swap_folders(staging, final)

    for text in ("first", "second"):
        with OutputFolder(str(tmp_path / "out"), force=True) as output:
            write(output, text)
            if text == "second":
                monkeypatch.setattr("pipelines.store.output_folder.swap_folders", swap)
                with pytest.raises(OutputRefused, match=r"is done; it held notes\.txt, which now lies in .*out\.1$"):
                    output.publish()
            else:
                output.publish()
    assert (tmp_path / "out" / "tables" / "part.parquet").read_text() == "second"
    assert (tmp_path / "out.1" / "notes.txt").read_text() == "years of work"


def test_one_run_at_a_time(tmp_path: Path) -> None:
    """Another is refused at once: it could not be published after the first. With --force it waits to replace it."""
    out, told = str(tmp_path / "out"), list[str]()
    with OutputFolder(out, force=False) as first:
        with pytest.raises(OutputRefused, match=f"process {os.getpid()} on .* is writing it"):
            OutputFolder(out, force=False).__enter__()

        def second() -> None:
            with OutputFolder(out, force=True, waiting=told.append) as output:
                write(output, "second")
                output.publish()

        other = Thread(target=second)
        other.start()
        write(first, "first")
        while not told:
            time.sleep(0.01)
        first.publish()
        assert (tmp_path / "out" / "tables" / "part.parquet").read_text() == "first"
    other.join(60)
    assert (tmp_path / "out" / "tables" / "part.parquet").read_text() == "second"
    assert told[0].startswith(f"process {os.getpid()} on ")
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_force_replaces_what_is_left_of_a_run_without_its_manifest(tmp_path: Path) -> None:
    """On S3 an interrupted run leaves that."""
    with OutputFolder(str(tmp_path / "out"), force=True) as output:
        write(output, "first")
        output.publish()
    (tmp_path / "out" / "run.json").unlink()
    with OutputFolder(str(tmp_path / "out"), force=True):
        pass
    (tmp_path / "out" / "tables" / "notes.txt").touch()
    with (
        pytest.raises(OutputRefused, match=r"holds tables/notes\.txt"),
        OutputFolder(str(tmp_path / "out"), force=True),
    ):
        pass


def test_force_replaces_a_run(tmp_path: Path) -> None:
    for text in ("first", "second"):
        with OutputFolder(str(tmp_path / "out"), force=True) as output:
            write(output, text)
            output.publish()
    assert (tmp_path / "out" / "tables" / "part.parquet").read_text() == "second"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_existing_folder_needs_force(tmp_path: Path) -> None:
    (tmp_path / "out" / "tables").mkdir(parents=True)
    with pytest.raises(OutputRefused, match="--force"), OutputFolder(str(tmp_path / "out"), force=False):
        pass


def test_empty_folder_may_be_used(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with OutputFolder(str(tmp_path / "out"), force=False) as output:
        write(output, "x")
        output.publish()
    assert (tmp_path / "out" / "run.json").exists()


def test_force_never_removes_what_is_not_a_run(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputRefused, match=r"thesis\.txt"), OutputFolder(str(tmp_path), force=True):
        pass
    assert (tmp_path / "thesis.txt").exists()


def test_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputRefused, match="is a file"), OutputFolder(str(tmp_path / "out"), force=True):
        pass


def test_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputRefused, match="--out"), OutputFolder(str(tmp_path / "file" / "out"), force=False):
        pass


def test_manifest_lists_every_output_with_its_hash(tmp_path: Path) -> None:
    with OutputFolder(str(tmp_path / "out"), force=False) as output:
        write(output, "x")
        output.publish()
    manifest = json.loads((tmp_path / "out" / "run.json").read_text())
    digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    (entry,) = manifest["outputs"]
    assert entry == {"path": "tables/part.parquet", "table": "flows", "rows": 1, "bytes": 1, "sha256": digest}


def test_root_is_refused() -> None:
    with pytest.raises(OutputRefused, match="below it"), OutputFolder(str(Path("/")), force=True):
        pass


def test_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with OutputFolder(str(tmp_path / "link"), force=False) as output:
        write(output, "x")
        output.publish()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "run.json").exists()
