"""The program: `python -m bench`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench.captures import DATA, DEFAULT_PACKETS, RECIPES, capture
from bench.cases import CASES
from bench.measure import Inputs, measure
from bench.report import LEGEND, com_verdict, machine, table, verdict, write_json
from bench.stubs import BATCH, stub_table, stub_verdict, time_stubs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.measure import Result

STUBS = "stubs"
"""Decoding alone: not a case over packets."""
_READ_BYTES = 16 * 1024 * 1024


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=sys.modules["bench"].__doc__)
    parser.add_argument("--packets", type=int, default=DEFAULT_PACKETS, help="size of the captures (%(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each case (%(default)s)")
    names = [*(case.name for case in CASES), STUBS]
    parser.add_argument("--only", action="append", choices=names, help="may be repeated")
    parser.add_argument("--data", type=Path, default=DATA, help="where the captures are kept (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there as well")
    options = parser.parse_args(arguments)
    if options.packets < 1 or options.repeat < 1:
        parser.error("--packets and --repeat must be at least 1")

    print(machine())
    results: list[Result] = []
    for case in CASES:
        if options.only and case.name not in options.only:
            continue
        path = ""
        if case.capture:
            path = str(capture(case.capture, options.packets, options.data))
            _read_once(Path(path))
        results.append(measure(case, Inputs(path, _packets(case.capture, options.packets)), options.repeat))
    if results:
        print(LEGEND, table(results), sep="\n\n")
    for sentence in (verdict(results), com_verdict(results)):
        if sentence:
            print("", sentence, sep="\n")
    if not options.only or STUBS in options.only:
        timed = time_stubs(options.repeat, max(1, min(options.packets // 10, BATCH)))
        print("", "CPU time a stub, best of the runs:", "", stub_table(timed), "", stub_verdict(timed), sep="\n")
    if options.json:
        write_json(options.json, results)
    return 0


def _packets(name: str | None, asked: int) -> int:
    return RECIPES[name].packets(asked) if name in RECIPES else asked


def _read_once(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(_READ_BYTES):
            pass


if __name__ == "__main__":
    sys.exit(main())
