"""Fixtures of rules: three conversations a rule, as scripts (see tests.scripts).

A file `fixtures/<rule id>.calls` has three parts, each begun by a line of its own:

    == keeps
    == breaks
    == undecidable REASON

In `keeps` and `undecidable` nobody breaks or is reported by any rule; in `breaks` only the rule itself is broken. Where
another rule cannot help speaking up, a line `also: other-rule, another-rule` behind the heading says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from collections.abc import Mapping

Row = dict[str, Any]
FOLDER = Path(__file__).parent / "fixtures"
PARTS = ("keeps", "breaks", "undecidable")


@dataclass(frozen=True)
class Fixture:
    rule_id: str
    part: str
    reason: str | None
    also: frozenset[str]
    script: str

    def __str__(self) -> str:
        return f"{self.rule_id}-{self.part}"


def load(path: Path) -> list[Fixture]:
    found = []
    for piece in ("\n" + path.read_text(encoding="utf-8")).split("\n== ")[1:]:
        heading, _, rest = piece.partition("\n")
        part, _, reason = heading.strip().partition(" ")
        also: frozenset[str] = frozenset()
        if rest.startswith("also:"):
            line, _, rest = rest.partition("\n")
            also = frozenset(name.strip() for name in line.removeprefix("also:").split(","))
        assert part in PARTS, f"{path.name}: there is no part {part}"
        found.append(Fixture(path.stem, part, reason or None, also, rest))
    return found


def all_fixtures() -> list[Fixture]:
    return [fixture for path in sorted(FOLDER.glob("*.calls")) for fixture in load(path)]


def judge_script(script: str, folder: Path) -> dict[str, list[Row]]:
    return Local(capture(folder, script)).judged()


def accused(tables: Mapping[str, list[Row]]) -> set[str]:
    """Rules with a violation or a detection."""
    return {row["rule_id"] for row in tables["findings"] if row["verdict"] != "not_decidable"}
