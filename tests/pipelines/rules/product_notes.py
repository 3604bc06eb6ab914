"""Product notes as conversations: parties of a version do what a note lets them do, and nobody of them is accused.

A file `notes/<document>.calls` has a part for each behaviour, begun by the numbers of its notes:

    == 27, 28: Windows 2000 gives a dwpQueue of its own

A line `also: rule, rule` behind the heading names what others in the conversation are guilty of.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.pipelines.rules.fixtures import judge_script

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent / "notes"


@dataclass(frozen=True)
class Behaviour:
    notes: tuple[int, ...]
    says: str
    also: frozenset[str]
    script: str

    def __str__(self) -> str:
        return self.says


def load(name: str) -> list[Behaviour]:
    found = []
    text = (FOLDER / f"{name}.calls").read_text(encoding="utf-8")
    for piece in ("\n" + text).split("\n== ")[1:]:
        heading, _, script = piece.partition("\n")
        numbers, _, says = heading.partition(": ")
        also: frozenset[str] = frozenset()
        if script.startswith("also:"):
            line, _, script = script.partition("\n")
            also = frozenset(one.strip() for one in line.removeprefix("also:").split(","))
        found.append(Behaviour(tuple(int(one) for one in numbers.split(",")), says, also, script))
    return found


def violations(behaviour: Behaviour, folder: Path) -> set[str]:
    found = judge_script(behaviour.script, folder)["findings"]
    return {row["rule_id"] for row in found if row["verdict"] == "violation"}


def unshown(behaviours: list[Behaviour], off_the_wire: Mapping[int, str], last: int) -> set[int]:
    """Notes that have neither a conversation nor a word on why there is none."""
    shown = {number for behaviour in behaviours for number in behaviour.notes}
    assert not shown & set(off_the_wire)
    return set(range(1, last + 1)) - shown - set(off_the_wire)
