"""Text for a terminal: file names and captures may hold what makes it do things."""

from __future__ import annotations

import json
import sys


def printable(text: str) -> str:
    """One line: control characters escaped, also those beyond ASCII that turn a terminal's writing direction."""
    return "".join(
        letter if letter.isprintable() else json.dumps(letter, ensure_ascii=True)[1:-1]
        for letter in text.encode("utf-8", "backslashreplace").decode()
    )


def warn(sentence: str, *details: str) -> None:
    """On stderr: data goes to stdout. Each detail has a line of its own."""
    print("\n".join([f"mqtrail: {printable(sentence)}", *map(printable, details)]), file=sys.stderr)


def warn_of_skipped(path: str, why: str) -> None:
    """What lies in a folder and is not read."""
    warn(f"{path}: {why}; passed over")
