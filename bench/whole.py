"""Whole runs as a user has them, from the command to the finished folder, each a process of its own, beside rivals.

Rivals take turns, and the ratios of the medians count: a machine is a third faster or slower from minute to minute.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.processes import run
from bench.races import Figures
from bench.realistic.recipes import DATA, capture
from bench.report import machine
from bench.runners import OUT, SAMPLE
from bench.targets import RACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.processes import Ran
    from bench.races import Race, Runner

_READ_BYTES: Final = 16 * 1024 * 1024


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.whole", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each (%(default)s)")
    parser.add_argument("--data", type=Path, default=DATA, help="where the captures are kept (%(default)s)")
    parser.add_argument("--only", action="append", choices=[race.name for race in RACES], help="may be repeated")
    parser.add_argument("--large", action="store_true", help="also those with captures of 1 and 10 GB that take long")
    options = parser.parse_args(arguments)
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    print(machine())
    for race in RACES:
        if race.name in options.only if options.only else options.large or not race.large:
            for line in report_lines(race, _figures(race, options.repeat, options.data)):
                print(line, flush=True)
    return 0


def report_lines(race: Race, figures: dict[str, Figures]) -> list[str]:
    sizes = {f"{runner.recipe} {runner.size}": None for runner in race.runners if runner.recipe}
    lines = [f"{race.name}: {', '.join(sizes) or 'the sample'}"]
    lines += [f"  {name}: {one}" for name, one in figures.items()]
    return lines + [f"  = {target.verdict(figures)}" for target in race.targets]


def _figures(race: Race, repeat: int, data: Path) -> dict[str, Figures]:
    """Of the runners that are installed."""
    ran: dict[str, list[Ran]] = {}
    calls: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="mqtrail-bench-") as scratch:
        for _ in range(repeat):
            for runner in race.runners:
                folder = Path(scratch) / "run"
                folder.mkdir()
                path = _captured(runner, data)
                command = runner.command(path, folder)
                if command is not None:
                    ran.setdefault(runner.name, []).append(run(command))
                    calls[runner.name] = _calls(folder)
                shutil.rmtree(folder)
    return {name: Figures.of(runs, calls[name]) for name, runs in ran.items()}


def _captured(runner: Runner, data: Path) -> Path:
    """In the page cache, as far as it has room."""
    if not runner.recipe:
        return SAMPLE
    path = capture(runner.recipe, runner.size, data)
    with path.open("rb", buffering=0) as file:
        while file.read(_READ_BYTES):
            pass
    return path


def _calls(folder: Path) -> int:
    manifest = folder / OUT / "run.json"
    return int(json.loads(manifest.read_text())["rows"]["calls"]) if manifest.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
