"""What is unfinished, or holds payload, is for its owner only."""

from __future__ import annotations

import stat
from pathlib import Path

from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.output_folder import OutputFolder


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
