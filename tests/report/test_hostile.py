"""Names from the wire with markup, control characters and turned writing: shown, spelled out, and never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

from tests.report.conftest import reported
from tests.report.runs import run_of_rows, run_of_scripts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.report.browser import Page

Row = dict[str, Any]
MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>&amp;\"'`${1}"
UNSEEN = "a\x1b[2J\u202eb\u200bc\x00d\n"
UNSEEN_LETTERS = r"/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/"
NAMES = (MARKUP, UNSEEN, "javascript:alert(1)", "../../etc/passwd", "</script>", "\u2028", "%s{0}{{}}", "x" * 5_000)
TEXTS = (
    "username",
    "domain",
    "queue_name",
    "message_label",
    "label",
    "detail",
    "path",
    "opened_for_username",
    "target",
)


def poisoned(folder: Path) -> Path:
    """A purge, a read and an act whose every text is hostile."""
    clean = run_of_scripts(
        folder / "clean",
        """
        connect user mallory
        RemoteQMOpenQueue hQueue=7
        RemoteQMStartReceive
        RemoteQMEndReceive
        RemoteQMPurgeQueue
        RemoteQMCloseQueue
        close
        """,
    )
    tables: dict[str, list[Row]] = {}
    for place in sorted((clean / "tables").iterdir()):
        tables[place.name] = parquet.read_table(place).to_pylist()
        for number, row in enumerate(tables[place.name]):
            for name in TEXTS:
                if name in row:
                    row[name] = NAMES[number % len(NAMES)]
            if "changes" in row:
                row["changes"] = [
                    {"name": kind, "old": name, "new": name, "old_call_uid": name}
                    for name in (*NAMES, f"D:(A;;0x1;;;{MARKUP})")
                    for kind in (name, "security")
                ]
            if "evidence" in row:
                row["evidence"]["values"] = [{"name": name, "value": name} for name in NAMES]
    tables["queues"] = [{**tables["queues"][0], "names": list(NAMES)}] if tables["queues"] else []
    tables["issues"] = [{"code": "record-cut", "detail": name, "path": name} for name in NAMES]
    tables["sessions"] += [
        {**tables["sessions"][0], "session_uid": f"S{number}", "queue_name": name, "username": name}
        for number, name in enumerate(NAMES)
    ]
    return run_of_rows(folder / "run", tables, case=MARKUP)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reported(poisoned(tmp_path_factory.mktemp("hostile")))


VIEWS = (
    "summary",
    "who",
    "timeline",
    "findings",
    "sessions",
    "queues",
    "hosts",
    "users",
    "messages",
    "objects",
    "damage",
    "provenance",
)


@pytest.mark.parametrize("view", VIEWS)
def test_hostile_names_are_text(page: Page, hostile: Path, view: str) -> None:
    page.open(hostile)
    page.go(f"#{view}")
    assert page.run("document.querySelectorAll('img, iframe, object, embed, main script').length") == 0
    assert page.run("document.title") != "owned"
    assert not page.run(f"{UNSEEN_LETTERS}.test(document.body.innerText)")
    assert page.complaints() == []


def test_they_are_shown_as_they_are_and_what_cannot_be_seen_is_spelled_out(page: Page, hostile: Path) -> None:
    page.open(hostile, "#sessions")
    text = page.text()
    assert MARKUP in text
    assert r"a\u{1b}[2J\u{202e}b\u{200b}c\u{0}d\u{a}" in text
    assert "(5,000 characters)" in text
    page.go("#rule/detect-purge")
    assert MARKUP in page.text()


def test_links_to_them_lead_to_them_and_nowhere_else(page: Page, hostile: Path) -> None:
    page.open(hostile, "#sessions")
    assert page.run("[...document.querySelectorAll('a')].every((one) => one.getAttribute('href').startsWith('#'))")
    place = page.run(
        "[...document.querySelectorAll('main a')].find((one) => one.hash.startsWith('#queue/%3Cimg')).hash"
    )
    page.go(place)
    assert page.text("h1") == f"Queue: {MARKUP}"
    assert page.run("document.title") == f"Queue: {MARKUP} - mqtrail report"
    assert page.complaints() == []


@pytest.mark.parametrize("kind", ["act", "user", "queue", "session", "rule", "host"])
def test_pages_of_hostile_things_show_them_as_text(page: Page, hostile: Path, kind: str) -> None:
    view = {"act": "timeline", "rule": "findings"}.get(kind, f"{kind}s")
    page.open(hostile, f"#{view}")
    for place in page.run(
        f"[...document.querySelectorAll('main a[href^=\"#{kind}/\"]')].slice(0, 8).map((a) => a.hash)"
    ):
        page.go(place)
        assert page.run("document.querySelectorAll('img, iframe, object, embed, main script').length") == 0
        assert page.run("document.title") != "owned"
        assert not page.run(f"{UNSEEN_LETTERS}.test(document.body.innerText)")
    assert page.complaints() == []


def test_values_that_were_set_are_text(page: Page, hostile: Path) -> None:
    page.open(hostile, "#timeline?kind=purge")
    page.click("main td a[href^='#act/']")
    assert MARKUP in page.text()
    assert f"{MARKUP}: receive" in page.text() or "(A;;0x1;;;" in page.text()


def test_a_script_that_got_in_would_not_run(page: Page, hostile: Path) -> None:
    """The policy of the page is the second wall."""
    page.open(hostile)
    page.run(
        "const one = document.createElement('script'); one.textContent = 'window.owned = 1'; document.body.append(one);"
        "document.body.setAttribute('onclick', 'window.owned = 2'); document.body.click();"
        "const link = document.createElement('a'); link.href = 'javascript:window.owned = 3';"
        "document.body.append(link); link.click()"
    )
    page.settle()
    assert page.run("window.owned") is None
    assert len(page.complaints()) >= 2
