"""Writes the tables of the page about the exports: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

from schemas.exports.pages import refreshed


def main(page: Path) -> None:
    page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
