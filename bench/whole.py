"""A whole run over the benchmark capture, and what the quality gate adds: `python -m bench.whole`.

Spark is started before the clock is: it costs the same however large the captures are.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.captures import DATA, DEFAULT_PACKETS, RECIPES, capture
from bench.report import machine
from ingest.choice import Scope
from ingest.files import expand
from pipelines.inventory import take_stock
from pipelines.output import OutputFolder
from pipelines.quality import check_tables
from pipelines.rules.catalogue import SETTINGS
from pipelines.runs import Wanted, run_once
from pipelines.session import spark_session

if TYPE_CHECKING:
    from collections.abc import Sequence

TARGET: Final = 1 / 5


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.whole", description=__doc__)
    parser.add_argument("--packets", type=int, default=DEFAULT_PACKETS, help="size of the capture (%(default)s)")
    parser.add_argument("--data", type=Path, default=DATA, help="where the captures are kept (%(default)s)")
    options = parser.parse_args(arguments)
    path = capture("msmq", round(options.packets / RECIPES["msmq"].share), options.data)
    spark = spark_session()
    wanted = Wanted(lambda: spark, Scope.MSMQ, dict(SETTINGS), check=False)
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with OutputFolder(f"{folder}/out", force=False) as output:
            finished = run_once(wanted, take_stock(expand([str(path)])), output).finished
            output.publish()
        run = time.perf_counter() - began
        began = time.perf_counter()
        result = check_tables(spark, f"{folder}/out/tables")
        gate = time.perf_counter() - began
    rows = sum(finished.row_counts.values())
    packets = sum(row["packets"] for row in finished.captures)
    print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB, {packets:,} packets, {rows:,} rows")
    print(f"run without the gate: {run:.1f} s; gate, with the import of its library: {gate:.1f} s; {result.summary}")
    met = "met" if gate < run * TARGET and result.success else "missed"
    print(f"the gate takes {gate / run:.0%} of the run (target: below {TARGET:.0%}): {met}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
