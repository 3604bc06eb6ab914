"""The commands of docs/walk-through.md, what they print, and the files that they need."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tests.conftest import ROOT

PAGE: Final = ROOT / "docs" / "walk-through.md"
_BLOCK: Final = re.compile(r"^```(console|toml (?P<file>\S+))\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPTS: Final = ("$ ", "> ")


@dataclass(frozen=True)
class Block:
    text: str
    file: str | None
    """To be written with this text; otherwise it is a session at the shell."""

    @property
    def commands(self) -> list[str]:
        found: list[str] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append(line[2:])
            elif line.startswith("> "):
                found[-1] += "\n" + line[2:]
        return found

    def played(self, outputs: list[str]) -> str:
        """As it reads if the commands print this."""
        shown = [
            "\n".join(_PROMPTS[number > 0] + line for number, line in enumerate(command.split("\n"))) + "\n" + output
            for command, output in zip(self.commands, outputs, strict=True)
        ]
        return "".join(shown)


def blocks(page: str) -> list[Block]:
    return [Block(found["text"], found["file"]) for found in _BLOCK.finditer(page)]
