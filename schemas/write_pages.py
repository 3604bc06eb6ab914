"""Writes the reference pages below a folder: `make docs`."""

from __future__ import annotations

import argparse
from pathlib import Path

from schemas.interface_pages import pages
from schemas.reference import markdown


def main(folder: Path) -> None:
    (folder / "interfaces").mkdir(parents=True, exist_ok=True)
    (folder / "tables.md").write_text(markdown(), encoding="utf-8")
    for name, text in pages().items():
        (folder / "interfaces" / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
