"""The shortest script that still accuses: parts are left out that somebody could have left undone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.scripts.player import play
from tests.scripts.statements import ScriptError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.conforming.conversation import Conversation
    from tests.scripts.tape import Timed

Line = tuple[str, str]
"""And its part."""
_OF_CONNECTION = re.compile(r"(?:connect|alter|close|reset|refuse) (\S+)")


def shrunk(talk: Conversation, accuses: Callable[[Sequence[Timed]], bool]) -> str:
    lines = list(zip(talk.script.splitlines(), talk.parts, strict=True))
    for part in sorted(set(talk.parts) - {""}, key=lambda one: (one.count("/"), one)):
        lines = _without(lines, [line for line in lines if _belongs(line[1], part)], accuses)
    for name in dict.fromkeys(_OF_CONNECTION.findall("\n".join(text for text, _ in lines))):
        lines = _without(lines, [line for line in lines if _is_of(line[0], name)], accuses)
    if not any("TIMEOUT" in text for text, _ in lines):
        for line in [one for one in lines if one[0].startswith("wait")]:
            lines = _without(lines, [line], accuses)
    return "".join(f"{text}\n" for text, _ in lines)


def _without(lines: list[Line], gone: list[Line], accuses: Callable[[Sequence[Timed]], bool]) -> list[Line]:
    if not gone:
        return lines
    fewer = [line for line in lines if not any(line is one for one in gone)]
    try:
        return fewer if accuses(play("".join(f"{text}\n" for text, _ in fewer))) else lines
    except ScriptError:
        return lines


def _belongs(part: str, to: str) -> bool:
    return part == to or part.startswith(f"{to}/")


def _is_of(text: str, name: str) -> bool:
    found = _OF_CONNECTION.match(text)
    return found is not None and found[1] == name


def missing(whole: Sequence[Timed], seen: Sequence[Timed], accuses: Callable[[Sequence[Timed]], bool]) -> list[Timed]:
    """The fewest packets whose absence still accuses."""
    times = {one.ts_us for one in seen}
    gone = [one for one in whole if one.ts_us not in times]
    size = max(1, len(gone) // 2)
    while True:
        for first in range(0, len(gone), size):
            fewer = gone[:first] + gone[first + size :]
            absent = {one.ts_us for one in fewer}
            if len(fewer) < len(gone) and accuses([one for one in whole if one.ts_us not in absent]):
                gone = fewer
                break
        else:
            if size == 1:
                return gone
            size = max(1, size // 2)
