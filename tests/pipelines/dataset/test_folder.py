"""How a run becomes visible, and who may."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from pipelines.store import manifest
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.output_folder import OutputRefused
from pipelines.store.places import Places
from pipelines.store.verifying import verify
from pipelines.store.writing import write_rows
from schemas.tables import VERDICTS

if TYPE_CHECKING:
    from pipelines.store.files import WrittenFile


def written(folder: DatasetFolder, rule: str) -> list[WrittenFile]:
    rows = pa.Table.from_pylist([{"rule_id": rule}], schema=VERDICTS.arrow)
    return write_rows(Places(folder.staging, prefix=folder.base.prefix).table(VERDICTS), rows)


def grow(path: Path, rule: str, *, publish: bool = True) -> None:
    """A run that keeps what is there and adds a file."""
    with DatasetFolder(str(path)) as folder:
        kept = [file for files in folder.base.tables.values() for file in files]
        new = written(folder, rule)
        folder.assemble(new, kept)
        folder.seal({"inputs": []}, new, kept)
        folder.publish() if publish else folder.stage()


def files(path: Path) -> list[str]:
    return sorted(file.name for file in (path / "tables").rglob("*.parquet"))


def test_each_run_adds_to_the_one_before_and_names_its_hash(tmp_path: Path) -> None:
    grow(tmp_path / "data", "one")
    grow(tmp_path / "data", "two")
    assert files(tmp_path / "data") == ["r000001-part-00000.parquet", "r000002-part-00000.parquet"]
    manifests = [json.loads((tmp_path / "data" / "runs" / f"{n:06d}.json").read_text()) for n in (1, 2)]
    assert [one["run"] for one in manifests] == [1, 2]
    assert manifests[0]["previous_run_sha256"] is None
    found = verify(str(tmp_path / "data"))
    assert found is not None
    assert (found.problems, found.runs, found.outputs) == ([], 2, 3)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["data"]


def test_what_appears_in_a_dataset_during_a_run_stays_and_the_run_is_staged(tmp_path: Path) -> None:
    grow(tmp_path / "data", "one")
    with DatasetFolder(str(tmp_path / "data")) as folder:
        kept = [file for files in folder.base.tables.values() for file in files]
        new = written(folder, "two")
        folder.assemble(new, kept)
        folder.seal({"inputs": []}, new, kept)
        notes = tmp_path / "data" / "tables" / "notes.txt"
        notes.write_text("years of work")
        with pytest.raises(OutputRefused, match=r"tables/notes\.txt appeared there.*then `mqtrail publish`"):
            folder.publish()
    assert files(tmp_path / "data") == ["r000001-part-00000.parquet"]
    notes.unlink()
    with DatasetFolder(str(tmp_path / "data")) as folder:
        assert folder.take_staged()
        folder.publish()
    assert len(files(tmp_path / "data")) == 2


def test_staged_is_invisible_until_it_is_published(tmp_path: Path) -> None:
    grow(tmp_path / "data", "one")
    grow(tmp_path / "data", "two", publish=False)
    assert files(tmp_path / "data") == ["r000001-part-00000.parquet"]
    with DatasetFolder(str(tmp_path / "data")) as folder:
        assert folder.take_staged()
        folder.publish()
    assert len(files(tmp_path / "data")) == 2
    with DatasetFolder(str(tmp_path / "data")) as folder:
        assert not folder.take_staged()


def test_staged_for_another_state_is_refused(tmp_path: Path) -> None:
    grow(tmp_path / "data", "one")
    grow(tmp_path / "data", "two", publish=False)
    (staged := tmp_path / ".data.staged").rename(tmp_path / "aside")
    grow(tmp_path / "data", "three")
    (tmp_path / "aside").rename(staged)
    with DatasetFolder(str(tmp_path / "data")) as folder, pytest.raises(OutputRefused, match="published since"):
        folder.take_staged()


def test_files_of_failed_attempts_do_not_belong(tmp_path: Path) -> None:
    with DatasetFolder(str(tmp_path / "data")) as folder:
        new = written(folder, "one")
        (Path(folder.staging) / "tables" / "verdicts" / "r000001-part-00000-7.parquet").write_bytes(b"half")
        folder.assemble(new, [])
        folder.seal({"inputs": []}, new, [])
        folder.publish()
    assert files(tmp_path / "data") == ["r000001-part-00000.parquet"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [("thesis.txt", "x", "thesis.txt"), ("tables", None, "no run.json"), ("run.json", '{"outputs": []}', "own")],
)
def test_other_folders_are_refused(tmp_path: Path, name: str, content: str | None, words: str) -> None:
    path = tmp_path / "data" / name
    path.parent.mkdir()
    path.mkdir() if content is None else path.write_text(content)
    with pytest.raises(OutputRefused, match=words), DatasetFolder(str(tmp_path / "data")):
        pass


def test_readers_of_the_old_state_keep_it(tmp_path: Path) -> None:
    grow(tmp_path / "data", "one")
    (file,) = (tmp_path / "data" / "tables").rglob("*.parquet")
    with file.open("rb") as reader:
        grow(tmp_path / "data", "two")
        assert reader.read(4) == b"PAR1"


def test_what_stays_is_linked_not_copied(tmp_path: Path) -> None:
    grow(tmp_path / "data", "one")
    name = "tables/verdicts/r000001-part-00000.parquet"
    before = (tmp_path / "data" / name).stat().st_ino
    grow(tmp_path / "data", "two")
    assert (tmp_path / "data" / name).stat().st_ino == before


def test_manifests_of_earlier_runs_are_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every run there is one more. Their hashes stay those of the run that named them first."""
    for rule in ("one", "two", "three"):
        grow(tmp_path / "data", rule)
    hashed: list[str] = []

    def seen(path: str) -> bytes:
        hashed.append(Path(path).name)
        return Path(path).read_bytes()

    monkeypatch.setattr(manifest, "read_bytes", seen)
    grow(tmp_path / "data", "four")
    assert [name for name in hashed if name != "run.json"] == ["000003.json"]
    found = verify(str(tmp_path / "data"))
    assert found is not None
    assert (found.problems, found.runs) == ([], 4)
