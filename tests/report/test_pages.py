"""Pages of acts, queues, accounts and sessions of the incident, as a browser shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.report.conftest import reported
from tests.report.runs import run_of_rows
from tests.report.test_incident import table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.report.browser import Page

SDDL = "D:(A;;0xf003f;;;S-1-5-21-1004336348-1177238915-682003330-1104)(A;;0x20024;;;WD)"
JDOE = "#user/CORP%5Cjdoe"


@pytest.fixture
def opened(page: Page, incident: Path) -> Iterator[Page]:
    page.open(reported(incident))
    yield page
    assert page.complaints() == []


def lead(page: Page, view: str, text: str) -> None:
    """To where the link in that view leads whose text holds the words."""
    page.go(f"#{view}")
    place = page.run(
        f"[...document.querySelectorAll('main a')].find((one) => one.innerText.includes({text!r}))?.hash ?? ''"
    )
    assert place, (view, text)
    page.go(place)


def test_accounts_say_what_was_changed_and_until_when(opened: Page) -> None:
    opened.go("#users")
    line = next(text for text in opened.texts("main tbody tr") if "jdoe" in text)
    assert "08:00:40\N{EN DASH}08:01:28" in line
    assert "1\n3 sealed" in line
    assert {"Purged", "Changed", "Asked"} <= set(opened.texts("main th"))


def test_page_of_an_account_lists_its_acts(opened: Page) -> None:
    opened.go(JDOE)
    text = opened.text()
    acts = text[text.index("\nActs\n") : text.index("\nSessions\n")]
    assert "Set security of queue: Everyone: full control" in acts
    assert "Purge of queue" in acts
    assert "for 10.20.0.66 CORP\\jdoe" in acts
    assert "An action, sealed" in acts


def test_timeline_of_an_account_has_what_was_done_for_it(opened: Page) -> None:
    opened.go("#timeline?user=CORP%5Cjdoe")
    lines = opened.texts("main tbody tr")
    assert any("Purge of queue" in line for line in lines)
    assert any("Message removed" in line and "for 10.20.0.66 CORP\\jdoe" in line for line in lines)
    assert not any("svc-orders" in line for line in lines)


def test_timeline_says_sealed_once(opened: Page) -> None:
    opened.go("#timeline?kind=admin")
    (line,) = (line for line in opened.texts("main tbody tr") if "An action" in line)
    assert "answer not seen" not in line
    assert "in doubt" not in line


def test_act_is_shown_whole(opened: Page) -> None:
    lead(opened, "timeline", "Set security")
    text = opened.text()
    assert opened.text("h1") == "Set security of queue"
    for part in (
        "done MQ_OK",
        "every packet signed",
        "R_QMSetObjectSecurityInternal of qmcomm",
        "Everyone: full control",
    ):
        assert part in text
    assert SDDL in text
    assert "D:(A;;0xf003f;;;WD)" in text
    assert opened.run("document.querySelector('.filter code').textContent").startswith("frame.number in {")
    opened.click("main td a[href^='#act/']")
    assert opened.text("h1") == "Inquiry about queue"
    assert "What was answered" in opened.text()


def test_old_and_new_values_of_properties(page: Page, family: Path) -> None:
    page.open(reported(family))
    lead(page, "timeline", "Set properties")
    (line,) = (line for line in page.texts("main tbody tr") if line.startswith("label"))
    assert [value.strip() for value in line.split("\t")[1:]] == ["returns\nshown by this inquiry", "returned goods"]
    lead(page, "timeline", "Create of queue: pathname")
    assert "Refused: nothing of it came about." in page.text()


def test_page_of_a_queue_has_the_rights_in_full(opened: Page) -> None:
    lead(opened, "queues", "orders")
    text = opened.text()
    rights = text[text.index("\nRights\n") :]
    assert "set by\n10.20.0.66 CORP\\jdoe" in rights
    assert "Everyone: send, get properties and see rights" in rights
    assert rights.count(SDDL) == 2, "told, and before"


def test_session_counts_doubt_apart_and_shows_holes(opened: Page) -> None:
    lead(opened, "findings", "purged")
    assert "for 10.20.0.66 CORP\\jdoe" in opened.text("main tbody")
    assert opened.run("document.querySelector('main tbody a[href^=\"#queue/\"]').innerText").endswith("orders")
    opened.click("main td a[href^='#session/']")
    text = opened.text()
    assert "3 receives, 1 peek: 2 removed, 1 peeked at, 1 in doubt" in text
    assert "468 bytes in doubt)" in text
    assert "put back" not in text.split("Calls")[0]
    rows = opened.texts(".ladder tbody tr")
    holes = [number for number, row in enumerate(rows) if "not captured" in row]
    assert [rows[number].split("\t")[0] for number in holes] == [
        "72 bytes of the client were not captured",
        "The server answered a call that was not captured",
    ]
    assert "in doubt" in rows[holes[0] - 1]
    assert "high" in rows[holes[1] + 1], "the purge"


def test_list_of_findings_says_which_queue_and_for_whom(opened: Page) -> None:
    opened.go("#findings")
    assert "DIRECT=OS:hq\\private$\\orders for CORP\\jdoe" in opened.text("main article")


def test_what_is_not_decided_is_a_list_of_its_own(opened: Page) -> None:
    """Questions, with neither level nor the words of a breach."""
    opened.go(JDOE)
    found, questions = opened.text().split("\nFindings\n")[-1].split("\nNot decided\n")
    assert "A queue was purged" in found
    assert "?" not in found
    assert "The payload is encrypted." in questions
    asked = opened.run(
        "[...document.querySelectorAll('[aria-label=\"list of questions\"] tbody tr')].map((row) => row.innerText)"
    )
    assert asked
    assert all("Was it kept?" in row or "Did it happen?" in row for row in asked)
    assert opened.run("document.querySelectorAll('[aria-label=\"list of questions\"] .badge').length") == 0


def test_rule_without_findings_accuses_nobody(opened: Page) -> None:
    opened.go("#undecided")
    place = opened.run("document.querySelector('main td a[href^=\"#rule/\"]').hash")
    opened.go(place)
    assert opened.text("h1").startswith(("Was it kept?", "Did it happen?"))
    assert opened.run("document.querySelectorAll('main .badge').length") == 0


def test_secret_that_fits_is_said_wherever_names_are(page: Page, incident: Path, tmp_path: Path) -> None:
    kept = [place.name for place in sorted((incident / "tables").iterdir()) if place.name != "principals"]
    principals = [row | {"secret": "right"} for row in table(incident, "principals")]
    tables = {name: table(incident, name) for name in kept} | {"principals": principals}
    page.open(reported(run_of_rows(tmp_path / "run", tables)))
    page.go("#users")
    assert page.text("main tbody").count("secret right") == 3
    page.go(JDOE)
    assert "This name is claimed, and signatures prove that the client knew its secret." in page.text()
    lead(page, "sessions", "08:01:05")
    assert "CORP\\LAPTOP66$ claimed, and signatures prove that the client knew its secret" in page.text()
    assert "not proven" not in page.text()
    assert page.complaints() == []


def test_act_that_is_not_here_says_so(opened: Page) -> None:
    opened.go("#act/Rx")
    assert opened.text("h1") == "Act not in the report"


def test_message_says_who_read_it_from_which_queue_and_for_whom(opened: Page) -> None:
    opened.go("#messages")
    lines = opened.texts("main tbody tr")
    assert any("received" in line and "peeked" in line for line in lines)
    rows = "[...document.querySelectorAll('main tbody tr')]"
    opened.run(f"{rows}.find((row) => /peeked/.test(row.innerText)).querySelector('a').click()")
    seen = opened.texts("main tbody tr")
    assert len(seen) == 2
    for line in seen:
        assert "CORP\\LAPTOP66$" in line
        assert "for jdoe" in line
        assert "DIRECT=OS:hq\\private$\\orders" in line
