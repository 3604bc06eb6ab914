"""Scripts that mark what the capture lacks: `lost` behind a request, answer or goodbye, `lose ...` behind a connect."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tests.scripts.calls import interface_of
from tests.scripts.language import parse
from tests.scripts.statements import Call, Connect

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


def elsewhere(script: str) -> list[tuple[range, str]]:
    """The script with one of its calls over a connection of its own, for each call; and the lines of that."""
    lines = script.strip("\n").splitlines()
    statements = {one.line: one for one in parse("\n".join(lines))}
    setups: dict[str, Connect] = {}
    found = []
    for number, line in enumerate(lines, 1):
        one = statements.get(number)
        if isinstance(one, Connect):
            setups[one.name] = last = one
        if not isinstance(one, Call) or (interface := interface_of(one.ask.operation)) is None or "repeat" in line:
            continue
        ends = setups.get(one.ask.connection or "", last)
        connect = f"connect elsewhere port 49664 interface {interface} from {ends.client} to {ends.server}"
        call = f"elsewhere: {line.partition(': ')[2] if one.ask.connection else line}"
        moved = [*lines[: number - 1], connect, call, "close elsewhere", *lines[number:]]
        found.append((range(number, number + 3), "\n".join(moved)))
    return found
