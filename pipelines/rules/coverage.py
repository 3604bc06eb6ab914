"""Which demand and which product note of the specifications goes with which rule, and why the others do not."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEYWORDS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")
DEMANDS = frozenset(KEYWORDS) - {"MAY"}
INFORMATIVE = "informative"
"""In place of a keyword: text that explains, of whatever section."""
BINDS = ("client", "server", "both", "nobody")

_FILES = (
    "mqqp.toml",
    "mqmr.toml",
    "mqrr.toml",
    "mqmp.toml",
    "mqac.toml",
    "mqac_queues.toml",
    "mqac_messages.toml",
    "dcom.toml",
    "oaut.toml",
)
"""A document has one file, or several that follow each other."""
_MARKUP = re.compile(r"[*|<]")

_HEADING = ("| keyword | binds | what is demanded | checked by, or why not |", "|---|---|---|---|")
_INTRODUCTION = """\
# Coverage

Every MUST, MUST NOT, SHOULD, SHOULD NOT and MAY in sections 2 and 3 of the specifications, in their order and in our
words: the rules that check it, or why none does. Made from `pipelines/rules/clauses`; refresh with
`make docs`. Of MS-DCOM all of section 3.1, the server, is listed; of its other sections and of MS-OAUT only what a
rule checks is, without notes: most of their demands say what a peer keeps in its tables, which no packet
shows. Demands of that kind that follow each other share a row.

`binds` says whom the sentence is for: the client or the server of the interface, both, or nobody. A rule calls a party
guilty only by a MUST or SHOULD, or their negations, that binds it; `informative` stands for text that demands nothing.

A keyword in brackets is not one more of the document's: the row is a demand out of the list that an earlier keyword
opens, or one that stands beside it without a keyword. The counts leave such rows out. `6 x` is a demand that the
section repeats in the same words.

At the end are the notes on product behaviour of section 7: the rules that take a note into account, or why it changes
no verdict.
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
    binds: str = ""
    """One of BINDS; of clauses that rules check."""

    def demands_of(self, party: str) -> bool:
        """It is a MUST or SHOULD, or the negation of one, for this party."""
        return self.keyword in DEMANDS and self.binds in (party, "both")


@dataclass(frozen=True)
class CoverageNote:
    """How products differ: `rules` take it into account, or `unseen` says why none has to."""

    document: str
    number: int
    section: str
    says: str
    rules: tuple[str, ...] = ()
    unseen: str = ""


@cache
def clauses() -> tuple[Clause, ...]:
    """All of them in the order of the documents."""
    return tuple(Clause(**entry) for entry in _entries("clause"))


@cache
def notes() -> tuple[CoverageNote, ...]:
    """All of them in the order of the documents."""
    return tuple(CoverageNote(**entry) for entry in _entries("note"))


def _entries(table: str) -> Iterator[dict[str, Any]]:
    for name in _FILES:
        # Also where the code lies in a zip on a worker.
        content = tomllib.loads((resources.files("pipelines.rules") / "clauses" / name).read_text(encoding="utf-8"))
        for entry in content.get(table, ()):
            yield {**entry, "document": content["document"], "rules": tuple(entry.get("rules", ()))}


def page(titles: Mapping[str, str]) -> str:
    """The page docs/reference/coverage.md; `titles` has the title of each rule by its id."""
    lines = [_INTRODUCTION, *_summary()]
    for document, of_document in groupby(clauses(), key=lambda clause: clause.document):
        lines += ["", f"## {document}"]
        for section, of_section in groupby(of_document, key=lambda clause: clause.section):
            lines += ["", f"### {document} {section}", "", *_HEADING]
            lines += [_row(clause, titles) for clause in of_section]
    for document, of_appendix in groupby(notes(), key=lambda note: note.document):
        lines += ["", f"## Product notes of {document}", ""]
        lines += ["| note | section | what differs | taken into account by, or why not |", "|---|---|---|---|"]
        lines += [_note_row(note, titles) for note in of_appendix]
    return "\n".join(lines) + "\n"


def _summary() -> Iterator[str]:
    counted: Counter[tuple[str, str, bool]] = Counter()
    for clause in clauses():
        counted[clause.document, clause.keyword, bool(clause.rules)] += clause.times
    yield "| document | keyword | clauses | checked by a rule | by none |"
    yield "|---|---|---:|---:|---:|"
    for document in dict.fromkeys(clause.document for clause in clauses()):
        rows = {keyword: (counted[document, keyword, True], counted[document, keyword, False]) for keyword in KEYWORDS}
        rows["all"] = (sum(seen for seen, _ in rows.values()), sum(unseen for _, unseen in rows.values()))
        for keyword, (seen, unseen) in rows.items():
            if seen + unseen:
                yield f"| {document} | {keyword} | {seen + unseen} | {seen} | {unseen} |"


def _row(clause: Clause, titles: Mapping[str, str]) -> str:
    if clause.keyword == INFORMATIVE:
        keyword = INFORMATIVE
    else:
        keyword = {0: f"({clause.keyword})", 1: clause.keyword}.get(clause.times, f"{clause.times} x {clause.keyword}")
    return f"| {keyword} | {clause.binds} | {_plain(clause.says)} | {_account(clause, titles)} |"


def _note_row(note: CoverageNote, titles: Mapping[str, str]) -> str:
    return f"| {_plain(f'<{note.number}>')} | {note.section} | {_plain(note.says)} | {_account(note, titles)} |"


def _account(of: Clause | CoverageNote, titles: Mapping[str, str]) -> str:
    return ", ".join(_link(rule, titles[rule]) for rule in of.rules) or _plain(of.unseen)


def _link(rule: str, title: str) -> str:
    return '[{0}](rules.md#{0} "{1}")'.format(rule, _plain(title).replace('"', "'"))


def _plain(text: str) -> str:
    """The text without meaning for Markdown."""
    return _MARKUP.sub(r"\\\g<0>", text)
