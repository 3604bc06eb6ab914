"""report.html into the folder of a run or dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ingest.files import join, write_bytes
from mqtrail.garbage import collecting
from pipelines.report.building import report_of
from pipelines.report.rendering import rendered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

REPORT: Final = "report.html"


def page_of(folder: str, manifest: Mapping[str, Any], gate_over: Callable[[], object] = lambda: None) -> bytes:
    """From the tables below the folder; `manifest`: run.json, or what will be in it."""
    with collecting(on=False):
        return rendered(report_of(folder, manifest, gate_over))


def write_report(folder: str, manifest: Mapping[str, Any], gate_over: Callable[[], object] = lambda: None) -> None:
    """`gate_over`: waits for quality.json, if that is still to come."""
    write_bytes(join(folder, REPORT), page_of(folder, manifest, gate_over))
