"""What is unfinished, or holds payload, is for its owner only."""

from __future__ import annotations

import stat
import tempfile
from pathlib import Path

import pytest

from pipelines.cli import main
from pipelines.engine.run_folder import RunFolder
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.output_folder import OutputFolder, OutputRefused


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_working_folder_lock_and_state_are_private(tmp_path: Path) -> None:
    with DatasetFolder(str(tmp_path / "data")) as folder:
        assert mode(Path(folder.staging)) == 0o700
        assert mode(tmp_path / ".data.lock") == 0o600
        (Path(folder.staging) / "state").mkdir()
        folder.publish()
    assert mode(tmp_path / "data" / "state") == 0o700
    assert mode(tmp_path / "data") != 0o700


def test_working_folder_of_a_single_run_is_private(tmp_path: Path) -> None:
    with OutputFolder(str(tmp_path / "out"), force=False) as output:
        assert mode(Path(output.staging)) == 0o700


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder of its own below one that everybody may write, so that it can be exchanged for another."""
    (tmp_path / "shared" / "mine").mkdir(parents=True)
    (tmp_path / "shared").chmod(0o777)
    return tmp_path / "shared"


def test_an_output_folder_that_others_may_exchange_is_refused(shared: Path) -> None:
    with (
        pytest.raises(OutputRefused, match=f"others may write {shared}, which has no sticky bit: chmod o-w or"),
        OutputFolder(str(shared / "mine" / "out"), force=False),
    ):
        pass
    assert [path.name for path in (shared / "mine").iterdir() if ".partial" in path.name] == []
    shared.chmod(0o1777)
    with OutputFolder(str(shared / "mine" / "out"), force=False):
        pass


def test_a_temporary_folder_that_others_may_exchange_is_refused(shared: Path) -> None:
    with pytest.raises(OSError, match="has no sticky bit"):
        RunFolder((shared / "mine",))
    assert list((shared / "mine").iterdir()) == []
    shared.chmod(0o1777)
    RunFolder((shared / "mine",)).remove()


def test_where_modes_mean_nothing_they_refuse_nothing(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tempfile.mkdtemp

    def of_such_a_file_system(**where: str) -> str:
        path = made(**where)
        Path(path).chmod(0o777)
        return path

    monkeypatch.setattr(tempfile, "mkdtemp", of_such_a_file_system)
    RunFolder((shared / "mine",)).remove()


def test_a_first_look_says_where_it_may_not_write(
    sample: Path, shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(shared / "mine"))
    assert main(["show", str(sample)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"mqtrail: {shared}: no private folder can be made there (others may write {shared}")
    assert said.endswith("; choose another with TMPDIR=DIR\n")
