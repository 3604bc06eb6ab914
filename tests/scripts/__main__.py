"""`python -m tests.scripts SCRIPT CAPTURE` plays a script into a capture."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.scripts.player import play, write


def main(script: Path, capture: Path) -> None:
    write(capture, play(script.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
