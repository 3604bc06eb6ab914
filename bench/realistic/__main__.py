"""The program: `python -m bench.realistic RECIPE SIZE`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from bench.realistic.recipes import DATA, RECIPES, capture, size_of


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.realistic", description=sys.modules["bench.realistic"].__doc__
    )
    parser.add_argument("recipe", choices=RECIPES)
    parser.add_argument("size", help="100MB, 10GB ...")
    parser.add_argument("--data", type=Path, default=DATA, help="where the captures are kept (%(default)s)")
    options = parser.parse_args()
    try:
        size_of(options.size)
    except ValueError as error:
        parser.error(str(error))
    began = time.perf_counter()
    path = capture(options.recipe, options.size, options.data)
    print(f"{path}: {path.stat().st_size / 1e6:,.1f} MB, {time.perf_counter() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
