"""The program: `python -m soak`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from soak.changing import changing
from soak.driver import driver
from soak.executor import executor
from soak.full import full
from soak.giant import GIANT_BYTES, giant
from soak.many import many
from soak.report import Broken, Report, Skipped
from soak.workers import workers
from tests.cluster.standalone import NoCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CASES: dict[str, Callable[[Path, Report], None]] = {
    "workers": workers,
    "executor": executor,
    "driver": driver,
    "full": full,
    "changing": changing,
    "many": many,
    "giant": giant,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m soak", description=sys.modules["soak"].__doc__)
    parser.add_argument("--only", action="append", choices=CASES, help="may be repeated")
    parser.add_argument("--giant-bytes", type=int, default=GIANT_BYTES, help="size of the conversation (%(default)s)")
    parser.add_argument("--place", type=Path, help="where to work: a private folder there is made and removed")
    options = parser.parse_args(arguments)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    print(f"{platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB, Python {platform.python_version()}")
    broken = 0
    for name, case in CASES.items():
        if options.only and name not in options.only:
            continue
        report = Report(name)
        with tempfile.TemporaryDirectory(prefix="mqtrail-soak-", dir=options.place) as folder:
            try:
                if case is giant:
                    giant(Path(folder), report, options.giant_bytes)
                else:
                    case(Path(folder), report)
            except Skipped as reason:
                report.say(f"skipped: {reason}")
            except (Broken, NoCluster) as reason:
                report.promise(str(reason), kept=False)
        report.end()
        broken += report.broken
    print("all promises kept" if not broken else f"{broken} promises broken")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
