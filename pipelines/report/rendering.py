"""The report as one HTML file: a fixed page, its style and script inline and named by their hashes, data as JSON."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import TYPE_CHECKING, Final

from pipelines.report.limits import MAX_BYTES
from pipelines.report.packing import embedded

if TYPE_CHECKING:
    from pipelines.report.building import Report

STYLES: Final = ("page.css", "parts.css", "views.css", "print.css")
SCRIPTS: Final = (
    *("data.js", "text.js", "dom.js", "filters.js", "table.js", "shared.js", "chart.js", "timeline.js", "ladder.js"),
    *(
        "summary.js",
        "acts.js",
        "findings.js",
        "sessions.js",
        "queues.js",
        "people.js",
        "messages.js",
        "objects.js",
        "input.js",
        "main.js",
    ),
)
"""In the order in which they need each other; together they are one module."""
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>mqtrail report</title>
<style>{style}</style>
</head>
<body>
<noscript>This report needs the script that is part of this file. Nothing is loaded from elsewhere.</noscript>
<div id="report"></div>
{data}
<script type="module">{script}</script>
</body>
</html>
"""


class ReportTooLarge(Exception):
    """The budgets of the sections do not hold: a mistake of ours."""


def rendered(report: Report) -> bytes:
    """The same bytes for the same report."""
    style, script = (_asset(names) for names in (STYLES, SCRIPTS))
    blocks = {"overview": embedded(report.overview), "rules": embedded(report.rules)}
    blocks |= {one.name: one.embedded for one in report.sections}
    data = "\n".join(
        f'<script type="application/json" id="data-{name}">{value.decode()}</script>' for name, value in blocks.items()
    )
    page = _PAGE.format(policy=_policy(style, script), style=style, script=script, data=data).encode()
    if len(page) > MAX_BYTES:
        raise ReportTooLarge(f"{len(page):,} bytes")
    return page


def _policy(style: str, script: str) -> str:
    """Nothing is loaded, nothing is sent, and only this style and this script count."""
    allowed = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _asset(names: tuple[str, ...]) -> str:
    folder = resources.files("pipelines.report").joinpath("assets")
    return "\n" + "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
