"""Scripts that mark what the capture lacks: `lost` behind a request, answer or goodbye, `lose ...` behind a connect."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

LOSSES: Final = re.compile(r"\s(?:lost\b|lose \S+)")
_ANSWERS: Final = ("response", "fault", "ack")
_GOODBYES: Final = ("fin", "rst", "ack")


def pieces(name: str) -> list[tuple[str, str]]:
    """(name, script) of each part of a file beside this one."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    found = []
    for piece in text.split("\n== ")[1:]:
        heading, _, script = piece.partition("\n")
        found.append((heading, script.strip("\n")))
    return found


def lost(script: str) -> set[tuple[int, str]]:
    """(line of the script, kind of packet)."""
    lacking: set[tuple[int, str]] = set()
    for number, line in enumerate(script.splitlines(), 1):
        left, _, right = line.partition("->")
        if found := re.search(r"\slose (\S+)", line):
            lacking |= {(number, what) for what in found[1].split(",")}
        if re.search(r"\slost\b", left):
            kinds = _GOODBYES if line.startswith(("close", "reset")) else ("request",)
            lacking |= {(number, what) for what in kinds}
        if re.search(r"\slost\b", right):
            lacking |= {(number, what) for what in _ANSWERS}
    return lacking
