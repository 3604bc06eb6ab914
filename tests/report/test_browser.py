"""The report in a real browser: it loads alone, finds, filters, leads on, and can be used by keyboard."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.report.conftest import reported
from tests.tools import need

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.report.browser import Page

SAMPLE = ROOT / "samples" / "msmq-loopback.pcap"
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
    "undecided",
)
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
INPUT_VIEWS = ("damage", "quality", "provenance")


@pytest.fixture(scope="module")
def of_family(family: Path) -> Path:
    return reported(family)


@pytest.fixture(scope="module")
def of_sample(sampled: Path) -> Path:
    return reported(sampled)


@pytest.fixture
def opened(page: Page, of_family: Path) -> Iterator[Page]:
    """Whatever a test does, the page complains of nothing and asks nobody for anything."""
    page.open(of_family)
    yield page
    assert page.complaints() == []


@pytest.mark.parametrize("view", [*VIEWS, *INPUT_VIEWS])
def test_every_view_shows_something(opened: Page, view: str) -> None:
    opened.go(f"#{view}")
    assert opened.run("document.querySelector('nav [aria-current]').dataset.view") == view
    assert len(opened.text()) > 60
    assert "undefined" not in opened.text()
    assert "[object" not in opened.text()
    assert "NaN" not in opened.text()


def test_summary_tells_the_story_on_the_first_screen(opened: Page) -> None:
    text = opened.text()
    assert text.startswith("Summary of case C-17\n")
    assert "17 captures with " in text
    assert "A queue was purged, twice, first by 10.0.0.10 (CORP\\SUPPORT$)" in text
    assert opened.run("document.title") == "Summary of case C-17 - mqtrail report"


def test_links_lead_from_queue_to_session_to_finding_and_back(opened: Page) -> None:
    opened.click("nav a[data-view=queues]")
    opened.click("main td a[href^='#queue/']")
    assert "Who touched it" in opened.text()
    assert "10.0.0.20 CORP\\alice" in opened.text().replace("\xa0", " ")
    opened.run(
        "[...document.querySelectorAll('main tr')].find((row) => /high/.test(row.innerText)"
        " && row.querySelector('td:first-child a[href^=\"#session/\"]')).querySelector('a').click()"
    )
    opened.settle()
    assert opened.text("h1") == "Session: DIRECT=OS:hq\\private$\\orders"
    opened.click("main td a[href^='#rule/']")
    assert opened.text("h1").endswith("A queue was purged")
    assert "[MS-MQQP] 3.1.4.7" in opened.text()
    for place in ("#session/", "#queue/", "#queues"):
        opened.run("history.back()")
        opened.settle()
        assert opened.run("location.hash").startswith(place)


def test_ladder_of_linked_sessions_has_three_lanes(opened: Page) -> None:
    opened.go("#sessions")
    uid = opened.run("[...document.querySelectorAll('main td a[href^=\"#session/\"]')][3].hash")
    opened.go(uid)
    assert opened.texts(".lane-heads > span") == [
        "10.0.0.20\nclient",
        "10.0.0.10\nclient and server",
        "10.0.0.9\nserver",
    ]
    operations = opened.run("[...document.querySelectorAll('.ladder text')].map((one) => one.textContent)")
    assert operations[:3] == ["R_QMOpenRemoteQueue", "rpc_QMOpenQueueInternal", "RemoteQMOpenQueue"]
    assert operations[-1] == "RemoteQMCloseQueue"
    assert "removed order 592 bytes" in opened.text(".ladder")


def test_timeline_filters_by_kind_host_and_text(opened: Page) -> None:
    opened.go("#timeline")
    opened.click("button.chip[value=purge]")
    assert opened.texts("main tbody td:nth-child(2)") == ["Purge\nhigh", "Purge\nhigh"], (
        "with what was found about them"
    )
    assert opened.run("location.hash") == "#timeline?kind=purge"
    opened.run("document.querySelector('input[name=host]').focus()")
    opened.type("10.0.1.20")
    assert len(opened.texts("main tbody tr")) == 1
    opened.go("#timeline?level=high")
    assert {line.split("\n")[1] for line in opened.texts("main tbody td:nth-child(2)")} == {"high"}
    opened.go("#timeline?host=10.0.0.1")
    assert len(opened.texts("main tbody tr")) > 1, "no such host: all that begin so"


def test_timeline_zooms_by_drag_and_by_keyboard(opened: Page) -> None:
    opened.go("#timeline")
    whole = opened.run("document.querySelectorAll('main tbody tr').length")
    box = opened.run(
        "(({x, y, width}) => [x, y, width])(document.querySelector('.chart .surface').getBoundingClientRect())"
    )
    opened.drag((box[0] + 5, box[1] + 20), (box[0] + box[2] * 0.4, box[1] + 40))
    assert "from=" in opened.run("location.hash")
    assert opened.run("document.querySelectorAll('main tbody tr').length") < whole
    opened.run("document.querySelector('.chart').focus()")
    opened.press("0")
    assert opened.run("location.hash") == "#timeline"
    opened.press("+")
    opened.press("ArrowRight")
    zoomed = opened.run("location.hash")
    assert "from=" in zoomed
    opened.press("-")
    assert opened.run("location.hash") != zoomed


def test_long_lists_are_paged(page: Page, sampled: Path) -> None:
    page.open(reported(sampled), "#host/127.0.0.1")
    rows = "[aria-label='list of findings'] tbody tr"
    first = page.texts(rows)
    assert len(first) == 50
    assert "Page 1 of 2" in page.text()
    page.press("n")
    assert "Page 2 of 2" in page.text()
    assert page.texts(rows)[0] != first[0]


def test_lists_are_searched_and_sorted(opened: Page) -> None:
    opened.go("#who")
    opened.click("th[data-column=Removed] button")
    removed = [int(text) for text in opened.texts("main tbody td:nth-child(6)")]
    assert removed == sorted(removed, reverse=True)
    opened.press("/")
    opened.type("alice")
    assert 0 < len(opened.texts("main tbody tr")) < len(removed)
    assert all("alice" in text for text in opened.texts("main tbody tr"))


def test_everything_works_without_a_mouse(opened: Page) -> None:
    opened.press("g")
    opened.press("f")
    assert opened.text("h1") == "Findings"
    assert opened.run("document.activeElement.tagName") == "H1"
    opened.run("document.querySelector('main article a').focus()")
    opened.press("Enter")
    assert opened.run("location.hash").startswith("#rule/")
    opened.press("b")
    assert opened.text("h1") == "Findings"
    opened.press("?")
    assert opened.run("document.querySelector('dialog').open")
    opened.press("Escape")
    assert not opened.run("document.querySelector('dialog').open")
    reachable = "[...document.querySelectorAll('main :is(a, button, input, select)')].every((one) => one.tabIndex >= 0)"
    assert opened.run(reachable)


def test_dark_and_light_follow_the_system_until_one_is_chosen(opened: Page) -> None:
    def ground() -> int:
        shown = opened.run("getComputedStyle(document.getElementById('report')).backgroundColor")
        return int(shown.removeprefix("rgb(").split(",")[0])

    opened.dark(True)
    assert ground() < 60
    opened.dark(False)
    assert ground() > 200
    opened.click("#theme")
    assert ground() < 60
    opened.dark(True)
    opened.dark(False)
    assert ground() < 60


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_words_stand_out_from_their_ground(opened: Page, dark: bool) -> None:
    """Contrast of 4.5 to 1 and more, as WCAG AA asks for text."""
    opened.dark(dark)
    for view in ("summary", "timeline", "findings", "who"):
        opened.go(f"#{view}")
        assert opened.run(CONTRAST) == []
    opened.dark(False)


def test_filters_to_copy_show_just_those_frames_in_wireshark(page: Page, of_sample: Path) -> None:
    page.open(of_sample)
    page.go("#rule/detect-purge")
    shown = page.run("document.querySelector('main td [data-copy]').dataset.copy")
    assert shown == "frame.number in {194..195}"
    assert _frames(shown) == [194, 195]
    page.go("#rule/detect-unauthenticated-served")
    every = page.run("[...document.querySelectorAll('.filter code')].pop().textContent")
    assert len(_frames(every)) > 40
    session = page.run("document.querySelector('main td a[href^=\"#session/\"]').hash")
    page.go(session)
    frames = _frames(page.text(".filter code"))
    assert {38, 39, 40, 41} <= set(frames)
    assert page.complaints() == []


def _frames(display_filter: str) -> list[int]:
    command = [need("tshark"), "-r", str(SAMPLE), "-Y", display_filter, "-T", "fields", "-e", "frame.number"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(line) for line in found.stdout.split()]


def test_copying_tells_that_it_did(opened: Page) -> None:
    opened.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    opened.go("#rule/detect-purge")
    opened.run("document.querySelector('main td [data-copy]').click()")
    opened.until("document.querySelector('main td button.copy.done, main td input[readonly]')")


def test_it_prints(opened: Page, tmp_path: Path) -> None:
    opened.run("window.print = () => {}")
    opened.click("#print")
    opened.printed(tmp_path / "all.pdf")
    assert (tmp_path / "all.pdf").read_bytes().startswith(b"%PDF")


def test_address_that_nobody_made_shows_the_summary_or_says_so(opened: Page) -> None:
    for place, title in (("#nonsense", "Summary"), ("#session/Sx", "Session not"), ("#rule/%zz", "No such rule")):
        opened.go(place)
        assert opened.text("h1").startswith(title)
    opened.go("#queue/nobody/10.9.9.9")
    assert "Nobody was seen to touch it." in opened.text()
