"""Our own code on its way to a cluster: workers need Python and the libraries, nothing of ours installed."""

from __future__ import annotations

import importlib.metadata
import zipfile
from importlib import resources
from typing import TYPE_CHECKING, Final

from mqtrail import PACKAGES
from pipelines.engine.run_folder import run_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from pyspark.sql import SparkSession

DISTRIBUTION: Final = "mqtrail"
"""Also the name of the package that guards the others."""


def ship(session: SparkSession) -> None:
    """What this process runs, whether it came from a folder, an installation or a wheel on the path."""
    if any(one.endswith(f"/{DISTRIBUTION}.zip") for one in session.sparkContext.listFiles):
        return
    # Kept to the end: workers that come late fetch it from here.
    session.sparkContext.addPyFile(str(bundle(run_folder().path)))


def bundle(folder: Path) -> Path:
    """A zip that can stand on sys.path. Not called .whl: Spark puts only zip, egg and jar on the path of workers."""
    path = folder / f"{DISTRIBUTION}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for package in (DISTRIBUTION, *PACKAGES):
            for name, file in _files(resources.files(package), package):
                target.writestr(name, file.read_bytes())
        ours = importlib.metadata.distribution(DISTRIBUTION)
        # Modules ask for the version.
        target.writestr(f"{DISTRIBUTION}-{ours.version}.dist-info/METADATA", ours.read_text("METADATA") or "")
    return path


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        inner = f"{name}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry, inner)
        elif not entry.name.endswith(".pyc"):
            yield inner, entry
