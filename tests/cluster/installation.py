"""A wheel, and interpreters that have the libraries but see nothing of this folder."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from typing import TYPE_CHECKING

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def build_wheel(folder: Path, source: Path = ROOT) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(source)], check=True, timeout=120)
    (wheel,) = folder.glob("mqtrail-*.whl")
    return wheel


def bare_python(folder: Path) -> Path:
    """With -S no .pth file is read, and that is how this folder gets on the path of an editable installation."""
    path = folder / "bare-python"
    libraries = sysconfig.get_path("purelib")
    path.write_text(
        f'#!/bin/sh\nexport PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}{libraries}"\nexec "{sys.executable}" -S "$@"\n'
    )
    path.chmod(0o755)
    return path
