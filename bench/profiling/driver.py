"""The driver of a run that is profiled: `mqtrail` with a sampler beside it, which also notes when steps begin.

python -m bench.profiling.driver FOLDER ARGUMENTS OF mqtrail ...
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from unittest.mock import patch

from bench.profiling.sampler import Sampler
from mqtrail import main as mqtrail
from pipelines.cli import analyze
from pipelines.cli.progress import Progress

STEPS = "steps.txt"


def main() -> int:
    folder = Path(sys.argv[1])
    steps = (folder / STEPS).open("w", buffering=1)

    class Noted(Progress):
        def __call__(self, what: str) -> None:
            steps.write(f"{time.time():.3f} {what}\n")
            super().__call__(what)

    steps.write(f"{time.time():.3f} reading what was asked for\n")
    sampler = Sampler(str(folder), "driver", "wall")
    sampler.start()
    try:
        with patch.object(analyze, "Progress", Noted):
            return mqtrail(sys.argv[2:])
    finally:
        sampler.stop()
        steps.write(f"{time.time():.3f} \n")
        steps.close()


if __name__ == "__main__":
    sys.exit(main())
