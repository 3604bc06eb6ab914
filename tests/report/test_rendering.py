"""The file itself: nothing from outside, nothing that runs but our script, the same bytes again."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zipfile
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from pipelines.engine.shipping import bundle
from pipelines.report import rendering
from pipelines.report.building import Report
from pipelines.report.limits import BUDGETS, MAX_BYTES
from pipelines.report.packing import Section
from pipelines.report.rendering import SCRIPTS, STYLES, ReportTooLarge, rendered
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

ASSETS = ROOT / "pipelines" / "report" / "assets"
HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>"
EMPTY = Report({"text": HOSTILE}, [], (Section("hosts", ("name",), ({"name": HOSTILE},), 1),))


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attributes = self.found[-1] if self.found else ("", {})
        self.texts[attributes.get("id") or tag] = self.texts.get(attributes.get("id") or tag, "") + data


def test_hostile_text_adds_no_element_to_the_page() -> None:
    elements = Elements(rendered(EMPTY).decode())
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == 4
    assert "img" not in tags
    assert json.loads(elements.texts["data-overview"]) == {"text": HOSTILE}


def test_policy_allows_this_style_and_this_script_and_nothing_else() -> None:
    page = rendered(EMPTY).decode()
    elements = Elements(page)
    (policy,) = (
        attributes["content"] or ""
        for tag, attributes in elements.found
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert style
    assert script
    hashes = [base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode() for found in (style, script)]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; base-uri 'none'; "
        "form-action 'none'"
    )
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_every_asset_is_used_and_none_refers_to_the_outside() -> None:
    assert {path.name for path in ASSETS.iterdir()} == {*STYLES, *SCRIPTS}
    for path in ASSETS.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//[a-z]|url\(|@import|\bimport\b", text), path
        assert "</script" not in text.lower(), path


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_make_elements_in_one_place_and_never_from_markup(name: str) -> None:
    text = (ASSETS / name).read_text(encoding="utf-8")
    unsafe = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|setHTML"
    assert not re.search(unsafe, text)
    assert not re.search(
        r"\beval\(|new Function|setTimeout\([\"'`]|javascript:|\bfetch\(|XMLHttpRequest|WebSocket", text
    )
    if name != "dom.js":
        assert "createElement" not in text


def test_budgets_of_the_sections_keep_the_file_within_its_size() -> None:
    page = sum(path.stat().st_size for path in ASSETS.iterdir()) + 10_000
    assert sum(BUDGETS.values()) + page < MAX_BYTES


def test_file_that_would_be_too_large_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "MAX_BYTES", 10_000)
    with pytest.raises(ReportTooLarge):
        rendered(EMPTY)


def test_assets_are_part_of_the_package(tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle(tmp_path)) as found:
        assert {f"pipelines/report/assets/{name}" for name in (*STYLES, *SCRIPTS)} <= set(found.namelist())
