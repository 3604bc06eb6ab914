"""From facts to sessions, reads and findings: every call of these conversations is a start-receive by one server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench.calls import conversations
from bench.measure import Work
from ingest.choice import Choice
from pipelines.judging import ORDER, judged
from pipelines.rules.catalogue import SETTINGS
from pipelines.stages.streams import decoded
from pipelines.streams import Assembler
from schemas.internal import FACTS
from schemas.parcels import PARCELS, opened

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bench.measure import Inputs

_SHARE: Final = 20
"""One packet in so many of those asked for, as for the decoding of calls."""


def judging(inputs: Inputs) -> Callable[[], Work]:
    facts = _facts(max(1, inputs.packets // _SHARE))
    octets = sum(len(row["data"]) for row in facts)

    def run() -> Work:
        for _ in judged(facts, {}, SETTINGS):
            pass
        return Work(len(facts), octets)

    return run


def _facts(packets: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for batch in decoded(Assembler(Choice(), ["capture"], ["path"]), conversations(packets), keep_payload=False):
        parcels = batch.column(PARCELS.name)
        for name, data in zip(parcels.field("table").to_pylist(), parcels.field("data").to_pylist(), strict=True):
            if name == FACTS.name:
                rows += (row for inner in opened([data], FACTS.arrow) for row in inner.to_pylist())
    return sorted(rows, key=lambda row: tuple(row[name] for name in ORDER))
