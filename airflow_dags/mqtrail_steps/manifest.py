"""What the DAGs read of a dataset: run.json, the manifest of its last run, and runs/, those of all runs."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, Final

from mqtrail_steps.run_folder import read_json, write_json

LEVELS: Final = ("informational", "low", "medium", "high", "critical")


def last_run(dataset: str) -> dict[str, Any]:
    """Empty where nothing was published yet."""
    try:
        read: dict[str, Any] = read_json(Path(dataset) / "run.json")
    except FileNotFoundError:
        return {}
    return read


def stands_at(dataset: str) -> str:
    """Hash of the last manifest: another one after each publishing. Empty where nothing was published yet."""
    try:
        return hashlib.sha256((Path(dataset) / "run.json").read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def known(dataset: str, work: str) -> set[str]:
    """SHA-256 of the captures that the dataset holds.

    Manifests list every file of the dataset and stay as they are: after years they are too much to read every few
    minutes, so the work folder keeps what was read of them.
    """
    digest = hashlib.sha256(os.fsencode(Path(dataset).absolute())).hexdigest()
    cache = Path(work) / "known" / f"{digest}.json"
    before: dict[str, list[Any]] = read_json(cache) if cache.exists() else {}
    now: dict[str, list[Any]] = {}
    for file in sorted((Path(dataset) / "runs").glob("*.json")):
        about = file.stat()
        same = [about.st_size, about.st_mtime_ns, about.st_ino]
        kept = before.get(file.name)
        now[file.name] = kept if kept and kept[0] == same else [same, _inputs(file)]
    if now != before:
        write_json(cache, now)
    return {sha256 for _, inputs in now.values() for sha256 in inputs}


def _inputs(file: Path) -> list[str]:
    return [one["sha256"] for one in read_json(file).get("inputs", ()) if one.get("sha256")]


def at_or_above(level: str, new_findings: dict[str, int]) -> dict[str, int]:
    """The worst first; levels without findings are left out."""
    asked = LEVELS[LEVELS.index(level) :]
    return {name: new_findings[name] for name in reversed(asked) if new_findings.get(name)}
