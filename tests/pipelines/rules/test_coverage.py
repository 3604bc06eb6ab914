"""Coverage is shown: each demand of the documents has an entry, and each entry is right about rules and documents."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import pytest

from pipelines.rules.coverage import BINDS, DEMANDS, INFORMATIVE, KEYWORDS, Clause, CoverageNote, clauses, notes, page
from tests.every import each
from tests.pipelines.rules import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.rules.model import Rule

# As many words in a row as could not be the same by chance.
COPIED = 8
ENTRIES: tuple[Clause | CoverageNote, ...] = (*clauses(), *notes())
NOTES = {"MS-MQQP": 31, "MS-MQMR": 17, "MS-MQRR": 38, "MS-MQMP": 78, "MC-MQAC": 156}
_PREFIXES = ("mqqp-", "mqmr-", "mqrr-", "mqmp-", "mqac-", "dcom-", "oaut-")
# In the appendix, with or without the marks of a link.
_APPENDIX = re.compile(r"^\[?<(\d+)> \[?Section ([\d.]+\d)", re.MULTILINE)
_NOTES_CITED = re.compile(r"notes? <(\d+)>(?: to <(\d+)>)?")


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """What each rule cites, by its id."""
    from pipelines.rules.catalogue import RULES

    return {rule.id: rule.section for rule in RULES}


def test_a_clause_is_checked_or_says_why_not() -> None:
    each(clauses(), lambda clause: f"{clause.document} {clause.section} {clause.says}", _is_checked_or_says_why_not)


def _is_checked_or_says_why_not(clause: Clause) -> None:
    assert bool(clause.rules) != bool(clause.unseen)
    assert clause.keyword in (*KEYWORDS, INFORMATIVE)
    assert (clause.binds in BINDS) == bool(clause.rules)
    assert clause.says.strip()
    assert len(set(clause.rules)) == len(clause.rules)
    assert clause.times >= 0


def test_a_demand_that_is_not_counted_hangs_on_a_keyword_before_it() -> None:
    opened = set()
    for clause in clauses():
        place = (clause.document, clause.section, clause.keyword)
        assert clause.times or place in opened, clause
        assert clause.times or clause.keyword != INFORMATIVE, clause
        opened.add(place)


def test_rules_named_are_rules(sections: dict[str, str]) -> None:
    assert {rule for clause in clauses() for rule in clause.rules} - set(sections) == set()


def test_every_rule_of_a_protocol_checks_a_clause(sections: dict[str, str]) -> None:
    named = {rule for clause in clauses() for rule in clause.rules}
    assert {rule for rule in sections if rule.startswith(_PREFIXES)} - named == set()


@documents.needed
@pytest.mark.parametrize("document", documents.FILES)
def test_every_keyword_of_the_document_has_its_clause(document: str) -> None:
    listed: dict[str, Counter[str]] = defaultdict(Counter)
    for clause in clauses():
        if clause.document == document and clause.keyword != INFORMATIVE:
            listed[clause.section][clause.keyword] += clause.times
    demanded = documents.demands_of(document)
    differ = [
        f"{section} {keyword}: {demanded[section][keyword]} in the document, {listed[section][keyword]} listed"
        for section in demanded
        for keyword in KEYWORDS
        if demanded[section][keyword] != listed[section][keyword]
    ]
    assert differ == []
    assert list(listed) == list(demanded), "sections in the order of the document"


@documents.needed
@pytest.mark.parametrize("document", documents.PARTLY)
def test_what_is_listed_of_a_document_is_there(document: str) -> None:
    """As often at least as it is listed."""
    texts = documents.marked_sections_of(documents.text_of(document))
    listed: dict[str, Counter[str]] = defaultdict(Counter)
    for clause in clauses():
        if clause.document == document:
            listed[clause.section][clause.keyword] += clause.times
    for section, keywords in listed.items():
        assert keywords <= Counter(documents.keywords_of(texts[section])), section
    assert list(listed) == [section for section in texts if section in listed], "sections in the order of the document"


@documents.needed
@pytest.mark.parametrize("document", documents.COUNTED)
def test_every_keyword_of_some_sections_has_its_clause(document: str) -> None:
    listed: dict[str, Counter[str]] = defaultdict(Counter)
    for clause in clauses():
        if clause.document == document and documents.is_counted(document, clause.section):
            listed[clause.section][clause.keyword] += clause.times
    texts = documents.marked_sections_of(documents.text_of(document))
    found = {one: Counter(documents.keywords_of(text)) for one, text in texts.items()}
    demanded = {one: counted for one, counted in found.items() if counted and documents.is_counted(document, one)}
    assert demanded
    assert {one: dict(counted) for one, counted in listed.items()} == {
        one: dict(counted) for one, counted in demanded.items()
    }


@documents.needed
@pytest.mark.parametrize("document", [*documents.FILES, *documents.PARTLY])
def test_a_violation_rests_on_a_keyword_that_its_sections_have(document: str) -> None:
    """Read in the document itself, not in our list of its clauses."""
    from pipelines.rules.catalogue import RULES

    read = documents.marked_sections_of if document in documents.PARTLY else documents.sections_of
    texts = read(documents.text_of(document))
    for rule in RULES:
        if rule.document == document and not rule.is_detection:
            said = [documents.keywords_of(texts[section.strip()]) for section in rule.section.split(",")]
            assert all(DEMANDS.intersection(keywords) for keywords in said), rule.id
            assert any(rule.keyword in keywords for keywords in said), rule.id


@documents.needed
def test_clauses_and_notes_are_in_our_own_words() -> None:
    def words(text: str) -> list[str]:
        return re.findall(r"\w+", documents.plain(text).lower())

    every = [*documents.FILES, *documents.PARTLY]
    whole = {document: f" {' '.join(words(documents.text_of(document)))} " for document in every}
    copied = [
        run
        for entry in ENTRIES
        for said in (words(entry.says), words(entry.unseen))
        for start in range(len(said) - COPIED + 1)
        if f" {(run := ' '.join(said[start : start + COPIED]))} " in whole[entry.document]
    ]
    assert copied == []


def test_a_note_is_taken_into_account_or_says_why_not(sections: dict[str, str]) -> None:
    def is_taken_into_account(note: CoverageNote) -> None:
        assert bool(note.rules) != bool(note.unseen)
        assert note.says.strip()
        assert len(set(note.rules)) == len(note.rules)
        assert set(note.rules) - set(sections) == set()

    each(notes(), lambda note: f"{note.document} {note.number}", is_taken_into_account)


@pytest.mark.parametrize("document", NOTES)
def test_every_note_is_listed_once_and_in_order(document: str) -> None:
    assert [note.number for note in notes() if note.document == document] == [*range(1, NOTES[document] + 1)]


@documents.needed
@pytest.mark.parametrize("document", NOTES)
def test_notes_have_the_sections_of_the_appendix(document: str) -> None:
    appendix = [(int(number), section) for number, section in _APPENDIX.findall(documents.text_of(document))]
    assert [(note.number, note.section) for note in notes() if note.document == document] == appendix


def test_notes_name_every_rule_that_excuses_by_them() -> None:
    from pipelines.rules.catalogue import RULES

    listed = {(note.document, note.number, rule) for note in notes() for rule in note.rules}
    used = {(rule.document, number, rule.id) for rule in RULES for number in _notes_of(rule)}
    assert used - listed == set()


def _notes_of(rule: Rule) -> Iterator[int]:
    """Of its exemptions, and those that its texts cite."""
    yield from (int(exemption.note.strip("<>")) for exemption in rule.exemptions)
    for first, last in _NOTES_CITED.findall(f"{rule.requirement} {rule.undecidable_when}"):
        yield from range(int(first), int(last or first) + 1)


def test_page_has_a_row_for_each_note(sections: dict[str, str]) -> None:
    text = page({rule: f"what {rule} | wants" for rule in sections})
    for document, count in NOTES.items():
        table = text.split(f"## Product notes of {document}\n")[1].split("\n## ")[0]
        rows = [re.split(r"(?<!\\)\|", line) for line in table.splitlines() if line.startswith("| \\<")]
        assert len(rows) == count
        assert {len(row) for row in rows} == {6}


def test_page_links_the_rules_and_counts_each_keyword_once() -> None:
    titles = {rule: f"what {rule} | wants" for entry in ENTRIES for rule in entry.rules}
    text = page(titles)
    assert all(f"[{rule}](rules.md#{rule} " in text for rule in titles)
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith(("| MS-", "| MC-"))]
    totals = {row[0].strip(): [int(cell) for cell in row[2:]] for row in rows if row[1].strip() == "all"}
    for document, (all_of_them, seen, unseen) in totals.items():
        own = [clause for clause in clauses() if clause.document == document and clause.keyword != INFORMATIVE]
        assert all_of_them == seen + unseen == sum(clause.times for clause in own)
        assert seen == sum(clause.times for clause in own if clause.rules)
    assert set(totals) == {clause.document for clause in clauses()}
    tables = [line for line in text.splitlines() if re.match(r"\| (?:MUST|SHOULD|MAY|informative|\(|\d+ x )", line)]
    assert len(tables) == len(clauses())
    assert {len(re.split(r"(?<!\\)\|", line)) for line in tables} == {6}


def test_headings_and_keywords_are_found_in_spite_of_broken_lines() -> None:
    text = (
        "1 Introduction\nIt MUST.\n## 2 Messages\n**MUST** and MUST\nNOT\n2.1 Transport\nSHOULD<3> NOTE MAY<18> be\n"
        "2.1.5 is no heading\n3 Details\n### 3.1 R\\_Call\nSHOULD NOT, must\n"
    )
    sections = documents.sections_of(text)
    assert list(sections) == ["1", "2", "2.1", "3", "3.1"]
    assert documents.keywords_of(sections["2"]) == ["MUST", "MUST NOT"]
    assert documents.keywords_of(sections["2.1"]) == ["SHOULD", "MAY"]
    assert documents.keywords_of(sections["3.1"]) == ["SHOULD NOT"]
