"""Lists that tasks of a run hand to each other. They go through files: XCom gets paths, never thousands of names."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any, Final

KEPT_DAYS: Final = 30


def run_folder(work: str, dag_id: str, run_id: str) -> Path:
    """The name is made of letters and digits; the hash keeps apart what looks alike then."""
    safe = re.sub(r"[^A-Za-z0-9_.-]", "_", run_id)[:100].lstrip(".")
    return Path(work) / "runs" / dag_id / f"{safe}-{hashlib.sha256(run_id.encode()).hexdigest()[:8]}"


def fresh(folder: Path) -> Path:
    """The run's folder, empty: a repeated task finds nothing of its first try. Folders of old runs go."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.parent.is_dir():
        for old in folder.parent.iterdir():
            if old.stat().st_mtime < time.time() - KEPT_DAYS * 86_400:
                shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def write_json(path: Path, value: Any) -> None:  # noqa: ANN401 - anything that JSON has
    """In one step: whoever reads sees all of it, or what was there before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    # Names that are not UTF-8 are lone surrogates here; escaped as ASCII they survive.
    partial.write_text(json.dumps(value), encoding="ascii")
    partial.replace(path)


def read_json(path: Path) -> Any:  # noqa: ANN401
    return json.loads(path.read_text(encoding="utf-8"))


def groups(count: int, at_most: int) -> list[range]:
    """Indices in as many groups as allowed, of equal size but for the last."""
    size = max(1, -(-count // at_most))
    return [range(start, min(start + size, count)) for start in range(0, count, size)]
