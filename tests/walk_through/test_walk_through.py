"""docs/walk-through.md as a user does it: every command, what it prints, and the report in a browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.conftest import ROOT
from tests.report.browser import Browser
from tests.scripts.player import capture
from tests.walk_through.page import PAGE, Block, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.report.browser import Page

HOME = "/home/you"
LONGEST_S = 300


class Done(NamedTuple):
    folder: Path
    played: list[tuple[Block, str]]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """All of it, in a folder of its own."""
    folder = tmp_path_factory.mktemp("walk")
    (folder / "samples").symlink_to(ROOT / "samples")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "TZ": "UTC"}
    played = []
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")
            played.append((block, block.text))
            continue
        outputs = [
            subprocess.run(
                ["/bin/bash", "-c", command],
                cwd=folder,
                env=environment,
                check=True,
                text=True,
                stdout=subprocess.PIPE,
                timeout=LONGEST_S,
            ).stdout.replace(str(folder), HOME)
            for command in block.commands
        ]
        played.append((block, block.played(outputs)))
    return Done(folder, played)


def test_commands_print_what_the_page_says(done: Done, request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for block, text in done.played:
        page = page.replace(block.text, text, 1)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page


@pytest.mark.parametrize("name", ["incident/orders", "script/invoices"])
def test_the_capture_is_what_its_script_plays(name: str, tmp_path: Path) -> None:
    script, recorded = (ROOT / "samples" / f"{name}.{ending}" for ending in ("calls", "pcap"))
    played = capture(tmp_path, script.read_text(encoding="utf-8"))
    assert played.read_bytes() == recorded.read_bytes(), "run make incident"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    browser = Browser(tmp_path_factory.mktemp("browser"))
    yield browser.page()
    browser.close()


def follow(page: Page, words: str) -> str:
    """Of a link in what is shown; the text of where it leads."""
    found = f"[...document.querySelectorAll('main a')].find((link) => link.innerText.includes({json.dumps(words)}))"
    page.go(page.run(f"{found}.hash"))
    return page.text()


def test_the_report_answers_too(done: Done, page: Page) -> None:
    page.open(done.folder / "case-1-opened" / "report.html")
    assert "A queue was purged" in page.text()
    page.go("#who")
    (guilty,) = [line for line in page.text().split("\n") if "LAPTOP66$" in line]
    assert "10.20.0.66" in guilty
    assert "CORP\\jdoe" in page.text()
    queue = follow(page, "private$\\orders")
    assert {"CORP\\jdoe", "CORP\\LAPTOP66$", "CORP\\svc-orders"} <= set(queue.replace("\t", " ").split())
    page.go("#timeline")
    told = page.text()
    order = [told.index(words) for words in ("Message peeked at", "Purge of queue", "Set security", "Disconnect")]
    assert order == sorted(order)
    page.go("#findings")
    rule = follow(page, "A queue was purged")
    assert "[MS-MQQP] 3.1.4.7" in rule
    assert "frame.number in {92..93}" in rule
    ladder = follow(page, "session")
    assert ladder.index("RemoteQMOpenQueue") < ladder.index("RemoteQMPurgeQueue") < ladder.index("RemoteQMCloseQueue")
    page.go("#provenance")
    assert "orders.pcap" in page.text()
    assert page.complaints() == []


def test_without_the_secret_the_report_says_what_is_sealed(done: Done, page: Page) -> None:
    page.open(done.folder / "case-1" / "report.html")
    assert "3 calls are sealed" in page.text()
    page.go("#timeline")
    assert "Disconnect" not in page.text()


def test_the_report_of_the_script_answers_too(done: Done, page: Page) -> None:
    page.open(done.folder / "case-2" / "report.html")
    told = page.text()
    assert "CORP\\mkeller" in told
    assert "purged it once" in told
    page.go("#timeline")
    told = page.text()
    order = [told.index(words) for words in ("Message peeked at", "Purge of queue", "Create")]
    assert order == sorted(order)
    assert page.complaints() == []
