"""From facts to sessions, reads and findings: every call of these conversations is a start-receive by one server."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from bench.calls import conversations, share_of
from bench.measure import Work
from ingest.choice import Choice
from pipelines.connections.assembler import Assembler
from pipelines.connections.decoding import Decoding
from pipelines.judging.servers import ORDER, judged
from pipelines.judging.summaries import Summaries
from pipelines.rules.catalogue import SETTINGS
from schemas.internal import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measure import Inputs
    from pipelines.connections.segment_runs import SegmentRow
    from schemas.internal_rows import FactRow


def judging(inputs: Inputs) -> Callable[[], Work]:
    return judging_of(conversations(share_of(inputs)))


def judging_of(rows: list[SegmentRow]) -> Callable[[], Work]:
    facts = _facts(rows)
    octets = sum(len(row["data"]) for row in facts)

    def run() -> Work:
        for _ in judged(facts, {}, SETTINGS, Summaries()):
            pass
        return Work(len(facts), octets)

    return run


def _facts(segments: list[SegmentRow]) -> list[FactRow]:
    rows: list[FactRow] = []
    decoding = Decoding(Assembler(Choice(), ["capture"], ["path"]), keep_payload=False)
    for name, batch in decoding.run(segments):
        if name == FACTS.name:
            rows += batch.to_pylist()
    return sorted(rows, key=itemgetter(*ORDER))
