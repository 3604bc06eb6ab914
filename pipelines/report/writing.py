"""report.html into the folder of a run or dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ingest.files import join, write_bytes
from pipelines.report.building import report_of
from pipelines.report.rendering import rendered

if TYPE_CHECKING:
    from collections.abc import Mapping

REPORT: Final = "report.html"


def page_of(folder: str, manifest: Mapping[str, Any]) -> bytes:
    """From the tables below the folder; `manifest`: run.json, or what will be in it."""
    return rendered(report_of(folder, manifest))


def write_report(folder: str, manifest: Mapping[str, Any]) -> None:
    write_bytes(join(folder, REPORT), page_of(folder, manifest))
