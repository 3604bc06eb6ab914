"""Writes the tables of the page about the exports: `make docs`."""

from __future__ import annotations

import argparse
from pathlib import Path

from schemas.exports.pages import refreshed


def main(page: Path) -> None:
    page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    main(parser.parse_args().page)
