"""Pictures of the report, to look at: make screenshots."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Final

from pipelines.report.writing import write_report
from tests.conftest import ROOT
from tests.report.browser import Browser
from tests.report.runs import run_of_captures, run_of_scripts

MOST_HIGH: Final = 2_400
VIEWS: Final = (
    *("summary", "who", "timeline", "findings", "sessions", "queues", "hosts", "users", "messages", "objects"),
    *("undecided", "damage", "quality", "provenance"),
)
_FIRST: Final = {"act": "timeline?kind=admin", "queue": "queues", "user": "users"}
"""Pages of details, and the view whose first link leads to one."""
_TELLING: Final = (
    "[...document.querySelectorAll('main tr')].find((row) => /high/.test(row.innerText)).querySelector('a').hash"
)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    scripts = sorted((ROOT / "tests" / "data" / "scripts").glob("*.calls"))
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        runs = {
            "incident": run_of_captures(work / "incident", ROOT / "samples" / "incident" / "orders.pcap"),
            "sample": run_of_captures(work / "sample", ROOT / "samples" / "msmq-loopback.pcap"),
            "examples": run_of_scripts(work / "examples", *(path.read_text(encoding="utf-8") for path in scripts)),
        }
        browser = Browser(work)
        try:
            for name, run in runs.items():
                write_report(str(run), json.loads((run / "run.json").read_text()))
                _pictures(browser, run / "report.html", folder, name)
        finally:
            browser.close()


def _pictures(browser: Browser, report: Path, folder: Path, name: str) -> None:
    page = browser.page()
    page.sized(1_380, 900)
    page.open(report, "#sessions")
    places = {view: f"#{view}" for view in VIEWS} | {"session": page.run(_TELLING), "rule": "#rule/detect-purge"}
    for kind, view in _FIRST.items():
        page.go(f"#{view}")
        if found := page.run(f"document.querySelector('main td a[href^=\"#{kind}/\"]')?.hash"):
            places[kind] = found
    for mode in ("light", "dark"):
        page.dark(mode == "dark")
        for view, place in places.items():
            page.go(place)
            page.sized(1_380, min(MOST_HIGH, int(page.run("document.documentElement.scrollHeight"))))
            page.picture(folder / f"{name}-{view}-{mode}.png")
            page.sized(1_380, 900)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
