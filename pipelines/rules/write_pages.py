"""Writes the pages of the rules below a folder: `make docs`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pipelines.rules.catalogue import RULES
from pipelines.rules.coverage import page
from pipelines.rules.pages import rules_page


def pages() -> dict[str, str]:
    return {"rules.md": rules_page(), "coverage.md": page({rule.id: rule.title for rule in RULES})}


def main(folder: Path) -> None:
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
