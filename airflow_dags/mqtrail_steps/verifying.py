"""Looking at captures before they are analysed."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from airflow.sdk.exceptions import AirflowException

from mqtrail_steps.command import INPUT_DAMAGED, NO_CAPTURE_READABLE, mqtrail
from mqtrail_steps.landing import Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mqtrail_steps.landing import Found, Ledger

log = logging.getLogger(__name__)

AT_ONCE: Final = 100
"""Paths on one command line, which has room for 2 MB: names have up to 4096 bytes."""


@dataclass(slots=True)
class Outcome:
    verified: list[dict[str, str]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Sentences."""


def verify(batch: Sequence[Found], bin_folder: str, ledger: Ledger, accepted: Collection[str]) -> Outcome:
    outcome = Outcome()
    here = sorted((one for one in batch if one.is_still_so()), key=lambda one: one.path)
    if gone := len(batch) - len(here):
        log.warning("%d files changed or vanished since they were listed; a later run sees to them", gone)
    for start in range(0, len(here), AT_ONCE):
        part = here[start : start + AT_ONCE]
        for one, verdict in zip(part, _inspect(part, bin_folder), strict=True):
            if verdict.state in accepted and verdict.sha256:
                outcome.verified.append({"path": one.path, "sha256": verdict.sha256})
                log.info("%r: %s, sha256 %s", one.path, verdict.state, verdict.sha256)
            else:
                outcome.refused.append(f"{one.path!r}: {verdict.state}: {verdict.reason}")
            ledger.note(one, verdict)
    return outcome


def _inspect(part: Sequence[Found], bin_folder: str) -> list[Verdict]:
    """In the order of the paths, which are sorted: mqtrail sorts them too, and a line is known by its place."""
    fine = (0, NO_CAPTURE_READABLE, INPUT_DAMAGED)
    said = mqtrail(bin_folder, "inspect", "--json", *(one.path for one in part), fine=fine)
    rows = [json.loads(line) for line in said.out.splitlines()]
    if len(rows) != len(part):
        raise AirflowException(f"mqtrail inspect told of {len(rows)} files where {len(part)} were asked for")
    return [Verdict(row["state"], row["sha256"], row["reason"]) for row in rows]
