"""One line of a script, word by word."""

from __future__ import annotations

import re
from typing import Final

from tests.scripts.statements import Bare, ScriptError

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<end>\#.*|$)|(?P<arrow>->)(?=\s|\#|$)|"(?P<text>[^"]*)"|(?P<mark>[\[\],=])|(?P<bare>[^\s\[\],="#]+))"""
)


class Tokens:
    def __init__(self, line: str) -> None:
        self._found: list[tuple[str, str]] = []
        self._next = 0
        at = 0
        while (match := _TOKEN.match(line, at)) and match.lastgroup != "end":
            kind = match.lastgroup or ""
            # Both as people write it and as they would in other languages.
            text = match[kind].replace("\\\\", "\\") if kind == "text" else match[kind]
            self._found.append((kind, text))
            at = match.end()
        if match is None:
            raise ScriptError(f"what is {line[at:].strip()!r}?")

    @property
    def at_end(self) -> bool:
        return self._next == len(self._found)

    @property
    def at_arrow(self) -> bool:
        return self._is("arrow")

    def arrow(self) -> bool:
        return self._take("arrow")

    def mark(self, text: str) -> bool:
        return self._take("mark", text)

    def word(self, what: str) -> str:
        value = self.value(what)
        return value.text if isinstance(value, Bare) else value

    def words(self, what: str) -> list[str]:
        """Separated by commas."""
        found = [self.word(what)]
        while self.mark(","):
            found.append(self.word(what))
        return found

    def value(self, what: str) -> Bare | str:
        """A word, or the text between quotes."""
        if self.at_end:
            raise ScriptError(f"{what} is missing")
        kind, text = self._found[self._next]
        if kind not in ("bare", "text"):
            raise ScriptError(f"{text!r} where {what} should stand")
        self._next += 1
        return Bare(text) if kind == "bare" else text

    def end(self) -> None:
        if not self.at_end:
            raise ScriptError(f"{self._found[self._next][1]!r} is too much")

    def _is(self, kind: str, text: str | None = None) -> bool:
        if self.at_end:
            return False
        found = self._found[self._next]
        return found[0] == kind and text in (None, found[1])

    def _take(self, kind: str, text: str | None = None) -> bool:
        taken = self._is(kind, text)
        self._next += taken
        return taken
