"""make hostile: every idea at three sizes, as a table; ends with 1 where one costs more than it may."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tests.hostile.ideas import IDEAS
from tests.hostile.judging import SIZES, Yardstick, a_megabyte, costs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.hostile.measure import Cost


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("ideas", nargs="*", metavar="NAME", help="of these only; without: of all")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="in bytes, the smallest first (%(default)s)")
    options = parser.parse_args(arguments)
    sizes = [int(one) for one in options.sizes.split(",")]
    if unknown := set(options.ideas) - IDEAS.keys():
        parser.error(f"no such idea: {', '.join(sorted(unknown))}; there are {', '.join(IDEAS)}")
    yardstick = Yardstick.of(sizes)
    _say("seconds of the processor a megabyte, and most memory in MB, by size", "")
    _say("", "".join(f"{size / 1e6:>16,.2f} MB" for size in sizes))
    _say("ordinary traffic", "".join(f"{rate:>12.2f}{'':7}" for rate in yardstick.ordinary))
    failed = 0
    for name in options.ideas or IDEAS:
        found, wrong = costs(name, sizes, yardstick)
        failed += bool(wrong)
        _say(name, "".join(_cell(one, yardstick) for one in found) + "".join(f"  {one};" for one in wrong))
    _say(f"{failed} of {len(options.ideas or IDEAS)} cost more than they may", "")
    return 1 if failed else 0


def _cell(cost: Cost, yardstick: Yardstick) -> str:
    return f"{a_megabyte(cost, yardstick.nothing):>12.2f}{cost.peak / 1e6:>7.0f}" if cost.problem is None else ""


def _say(name: str, rest: str) -> None:
    sys.stdout.write(f"{name:36}{rest}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
