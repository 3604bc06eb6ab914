"""From the scan to decoded connections, with the accounting of everything on the way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F

from pipelines.stages.rounds import run_rounds
from pipelines.stages.select import Selection
from schemas.internal import ASIDES, STREAM_FLOWS
from schemas.state import CARRIED_CONNECTIONS
from schemas.tables.accounting import IN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipelines.analyze import Job
    from pipelines.dataset.segments import Earlier
    from pipelines.inventory import Order
    from pipelines.stages.rounds import Rounds
    from pipelines.stages.scan import Scan

Counts = Counter[tuple[str, str, str]]
"""(capture_id, stage, counter)"""


@dataclass(frozen=True)
class Found:
    selection: Selection
    rounds: Rounds
    counts: Counts
    """What this run adds to the accounting; of captures of earlier runs, what changes."""
    replaced: frozenset[str]
    """Connections, by uid, of which everything that earlier runs said is void."""
    earlier: Earlier | None


def decode(job: Job, scan: Scan, order: Order, untidy: frozenset[int], earlier: Earlier | None = None) -> Found:
    job.say("choosing conversations")
    selection = Selection(job.spark, scan, earlier)
    job.say("putting segments in order and decoding calls")
    choice = replace(job.choice, learned=earlier.carried.learned) if earlier else job.choice
    rounds = run_rounds(
        selection,
        choice,
        order,
        untidy,
        keep_payload=job.keep_payload,
        secrets=job.secrets,
        earlier=earlier.carried if earlier else None,
    )
    counts: Counts = Counter()
    for (file, name), n in selection.set_aside.items():
        counts[order.ids[file], "packets", f"set_aside_{name}"] += n
    told = rounds.table(STREAM_FLOWS).select("counts").unionByName(rounds.table(ASIDES).select("counts"))
    for place, n in _summed(told, order).items():
        counts[place] += n
    replaced: frozenset[str] = frozenset()
    if earlier is not None and len(earlier.streamed):
        taken = F.broadcast(job.spark.createDataFrame(pa.table({"key": selection.taken})))
        void = earlier.carried.frame(CARRIED_CONNECTIONS).join(taken, "key", "left_semi").persist()
        replaced = frozenset(row.uid for row in void.select("uid").collect())
        for place, n in _summed(void.select("counts"), order).items():
            counts[place] -= n
        void.unpersist()
    return Found(selection, rounds, counts, replaced, earlier)


def _summed(counted: DataFrame, order: Order) -> Counts:
    one = counted.select(F.explode("counts").alias("count")).select("count.*")
    rows: list[Any] = one.groupBy("file", "stage", "counter").agg(F.sum("value").alias("n")).collect()
    counts: Counts = Counter()
    for row in rows:
        counts[order.ids[row.file], row.stage, row.counter] += row.n
        if row.stage == "calls":
            counts[order.ids[row.file], "decoding", IN] += row.n
    return counts
