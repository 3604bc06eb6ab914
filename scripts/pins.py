"""The exact versions that mqtrail is made, tested and run with."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parents[1]
FILES: Final = ("constraints.txt", "constraints-airflow.txt")


def pins(file: Path) -> dict[str, str]:
    """Version by name, as PyPI writes names."""
    lines = (line.split("#")[0].split(";")[0].strip() for line in file.read_text().splitlines())
    return {
        canonicalize_name(name): version for name, equals, version in (line.partition("==") for line in lines) if equals
    }
