"""How Python workers find our code and nobody else's of the same name. docs/adr/0023 says why."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from mqtrail import HOME
from pipelines.engine.shipping import DISTRIBUTION

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SAFE: Final = {"spark.executorEnv.PYTHONSAFEPATH": "1"}
"""Spark starts workers with `python -m`, which would look first in whatever folder is the current one."""
_PATH: Final = "spark.executorEnv.PYTHONPATH"


def beside_the_driver(given: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Settings for workers on this machine: they run what the driver runs. `folder` is the run's own."""
    path = os.pathsep.join(filter(None, (str(_only_us(folder)), given.get(_PATH))))
    return {**SAFE, _PATH: path, "spark.python.daemon.module": f"{DISTRIBUTION}.daemon"}


def _only_us(folder: Path) -> Path:
    """A place for PYTHONPATH, which goes before Python's own modules, with nothing in it but our package."""
    if not HOME.is_dir():  # a wheel, which holds nothing else
        return HOME
    place = folder / "path"
    place.mkdir(exist_ok=True)
    link = place / DISTRIBUTION
    if not link.is_symlink():
        link.symlink_to(HOME / DISTRIBUTION, target_is_directory=True)
    return place
