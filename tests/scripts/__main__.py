"""`python -m tests.scripts SCRIPT CAPTURE` plays a script into a capture."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.scripts.player import play, write


def main(script: Path, capture: Path) -> None:
    write(capture, play(script.read_text(encoding="utf-8")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("script", type=Path)
    parser.add_argument("capture", type=Path)
    main(**vars(parser.parse_args()))
