"""Sections and keywords of the documents the rules cite, where a copy lies beside the project."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.conftest import ROOT

_SEEDS = ROOT.parent / "shared" / "specs" / "seeds"
FILES = {
    "MS-MQQP": "MS-MQQP.txt",
    "MS-MQMR": "MS-MQMR.md",
    "MS-MQRR": "../reference/MS-MQRR.md",
    "MS-MQMP": "../reference/MS-MQMP.md",
    "MC-MQAC": "../reference/MC-MQAC.md",
}

PARTLY = {"MS-DCOM": "../reference/MS-DCOM.md", "MS-OAUT": "../reference/MS-OAUT.md"}
"""Those of which only what rules check is listed, but for some sections."""
COUNTED = {"MS-DCOM": ("3", "3.1", "3.1.")}
"""Of these, sections and beginnings of their numbers of which every keyword is listed."""

needed = pytest.mark.skipif(not _SEEDS.is_dir(), reason="the specifications are not there")

_MARK = re.compile(r'<a id="Section_([\d.]+)"></a>')
_HEADING = re.compile(r"(?:#+ )?(\d+(?:\.\d+)*) [A-Za-z_]")
_KEYWORD = re.compile(r"\b(?:(MUST|SHOULD)(\s+NOT)?|MAY)\b")
# Emphasis and escapes of the Markdown, its tags, the targets of its links, and numbers of product notes ("SHOULD<28>").
_MARKUP = re.compile(r"\\|\*+|</?[a-z]+[^>\n]*>|\]\(#[^)\n]*\)|<\[?\d+\]?>")


def _followers(number: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The numbers a section after this one can have: its first part, the next one beside it or beside what holds it."""
    return {(*number, 1)} | {(*number[:depth], number[depth] + 1) for depth in range(len(number))}


def text_of(document: str) -> str:
    return (_SEEDS / (FILES | PARTLY)[document]).read_text(encoding="utf-8")


def plain(text: str) -> str:
    return _MARKUP.sub(" ", text)


def sections_of(text: str) -> dict[str, str]:
    """The text of each section by its number, without that of its parts, in the document's order.

    A line that begins with a number is a heading only where that number comes next: a broken line can begin with one.
    """
    found: dict[str, list[str]] = {}
    here, follow = "", _followers((0,))
    for line in text.splitlines():
        heading = _HEADING.match(line)
        number = tuple(map(int, heading[1].split("."))) if heading else ()
        if number in follow:
            here, follow = ".".join(map(str, number)), _followers(number)
            found[here] = []
        elif here:
            found[here].append(line)
    return {section: "\n".join(lines) for section, lines in found.items()}


def marked_sections_of(text: str) -> dict[str, str]:
    """The same by the marks in front of headings: the deepest ones of some documents have no number."""
    pieces = _MARK.split(text)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def keywords_of(text: str) -> list[str]:
    """Each MUST, MUST NOT, SHOULD, SHOULD NOT and MAY in the order of the text; a NOT can be on the next line."""
    return [" ".join(match[0].split()) for match in _KEYWORD.finditer(plain(text))]


def is_counted(document: str, section: str) -> bool:
    return any(section == one or (one.endswith(".") and section.startswith(one)) for one in COUNTED[document])


def demands_of(document: str) -> dict[str, Counter[str]]:
    """How often each keyword occurs in each section that has one, within sections 2 and 3."""
    counts = {
        section: Counter(keywords_of(text))
        for section, text in sections_of(text_of(document)).items()
        if section.split(".")[0] in {"2", "3"}
    }
    return {section: counted for section, counted in counts.items() if counted}
