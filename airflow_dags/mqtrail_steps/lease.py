"""Who may stage into a dataset. Between analysing and publishing, no other DAG may replace what is staged."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from mqtrail_steps.run_folder import read_json, write_json


class Lease:
    def __init__(self, work: str, dataset: str, dag_id: str, run_id: str) -> None:
        digest = hashlib.sha256(os.fsencode(Path(dataset).absolute())).hexdigest()
        self._file = Path(work) / "leases" / f"{digest}.json"
        self._me = {"dag_id": dag_id, "run_id": run_id, "dataset": dataset}

    def holder(self) -> str | None:
        try:
            held = read_json(self._file)
        except FileNotFoundError:
            return None
        return f"{held['dag_id']} {held['run_id']}"

    def take(self) -> bool:
        """A run of the same DAG that still has it is dead: these DAGs have one active run at a time."""
        mine = self._file.with_name(f".{self._file.name}.{os.getpid()}.mine")
        write_json(mine, self._me)
        try:
            self._file.hardlink_to(mine)
        except FileExistsError:
            if read_json(self._file)["dag_id"] != self._me["dag_id"]:
                return False
            write_json(self._file, self._me)
        finally:
            mine.unlink()
        return True

    def give_back(self) -> None:
        if self._file.exists() and read_json(self._file) == self._me:
            self._file.unlink()
