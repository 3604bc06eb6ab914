"""Which demand of the specifications is checked by which rule, and why the others cannot be."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEYWORDS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")

_FILES = ("mqqp.toml", "mqmr.toml")
_MARKUP = re.compile(r"[*|<]")

_INTRODUCTION = """\
# Coverage

Every MUST, MUST NOT, SHOULD, SHOULD NOT and MAY in sections 2 and 3 of the two specifications, in their order and in
our words: the rules that check it, or why a capture cannot show it. Made from `pipelines/rules/clauses`; refresh with
`make docs`.

A keyword in brackets is not one more of the document's: the row is a demand out of the list that an earlier keyword
opens, or one that stands beside it without a keyword. The counts leave such rows out. `6 x` is a demand that the
section repeats in the same words.
"""


@dataclass(frozen=True)
class Clause:
    """One demand: `rules` check it, or `unseen` says why none can."""

    document: str
    section: str
    keyword: str
    says: str
    rules: tuple[str, ...] = ()
    unseen: str = ""
    times: int = 1


@cache
def clauses() -> tuple[Clause, ...]:
    """All of them in the order of the documents."""
    return tuple(clause for name in _FILES for clause in _read(Path(__file__).parent / "clauses" / name))


def _read(path: Path) -> Iterator[Clause]:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    for entry in content["clause"]:
        yield Clause(document=content["document"], rules=tuple(entry.pop("rules", ())), **entry)


def page(titles: Mapping[str, str]) -> str:
    """The page docs/reference/coverage.md; `titles` has the title of each rule by its id."""
    lines = [_INTRODUCTION, *_summary()]
    for document, of_document in groupby(clauses(), key=lambda clause: clause.document):
        lines += ["", f"## {document}"]
        for section, of_section in groupby(of_document, key=lambda clause: clause.section):
            lines += ["", f"### {document} {section}", "", "| keyword | what is demanded | checked by, or why not |"]
            lines += ["|---|---|---|", *(_row(clause, titles) for clause in of_section)]
    return "\n".join(lines) + "\n"


def _summary() -> Iterator[str]:
    counted: Counter[tuple[str, str, bool]] = Counter()
    for clause in clauses():
        counted[clause.document, clause.keyword, bool(clause.rules)] += clause.times
    yield "| document | keyword | clauses | checked by a rule | not visible |"
    yield "|---|---|---:|---:|---:|"
    for document in dict.fromkeys(clause.document for clause in clauses()):
        rows = {keyword: (counted[document, keyword, True], counted[document, keyword, False]) for keyword in KEYWORDS}
        rows["all"] = (sum(seen for seen, _ in rows.values()), sum(unseen for _, unseen in rows.values()))
        for keyword, (seen, unseen) in rows.items():
            if seen + unseen:
                yield f"| {document} | {keyword} | {seen + unseen} | {seen} | {unseen} |"


def _row(clause: Clause, titles: Mapping[str, str]) -> str:
    keyword = {0: f"({clause.keyword})", 1: clause.keyword}.get(clause.times, f"{clause.times} x {clause.keyword}")
    check = ", ".join(_link(rule, titles[rule]) for rule in clause.rules) or _plain(clause.unseen)
    return f"| {keyword} | {_plain(clause.says)} | {check} |"


def _link(rule: str, title: str) -> str:
    return '[{0}](rules.md#{0} "{1}")'.format(rule, _plain(title).replace('"', "'"))


def _plain(text: str) -> str:
    """The text without meaning for Markdown."""
    return _MARKUP.sub(r"\\\g<0>", text)
