"""A reader that has enough, as `mqtrail export | head`: no complaint."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT

MAIN = "import sys; from pipelines.cli import main; sys.exit(main(sys.argv[1:]))"


def test_no_complaint() -> None:
    command = [sys.executable, "-c", MAIN, "schema"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, cwd=ROOT) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait(60) == 141
