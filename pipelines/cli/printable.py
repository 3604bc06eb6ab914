"""Text for a terminal: file names and captures may hold what makes it do things."""

from __future__ import annotations

import json
import sys


def printable(text: str) -> str:
    """Control characters escaped, also those beyond ASCII that turn a terminal's writing direction; lines stay."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else json.dumps(letter, ensure_ascii=True)[1:-1]
        for letter in text.encode("utf-8", "backslashreplace").decode()
    )


def warn(sentence: str) -> None:
    """On stderr: data goes to stdout."""
    print(f"mqtrail: {printable(sentence)}", file=sys.stderr)
