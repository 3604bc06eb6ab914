"""A run whose terminal, or whose Java process, ends before it: one sentence, and nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

_HANG_UP = """
import os, signal, sys, pipelines.captures.inventory as inventory
from pipelines.cli import main
inventory.take_stock = lambda *_: {then}
sys.exit(main(sys.argv[1:]))
"""
_KILLER = """
import os, signal, sys, threading, time
from pathlib import Path
from pipelines.cli import main
from pipelines.engine import java_process

def act():
    while (java := java_process._process) is None or java.pid is None or not ({when}):
        time.sleep(0.01)
    Path(sys.argv[1]).write_text(str(java.pid))
    os.kill({whom}, {number})

threading.Thread(target=act, name="drawing", daemon=True).start()
sys.exit(main(sys.argv[2:]))
"""
_WITH_SPARK = "'pyspark' in sys.modules and sys.modules['pyspark'].SparkContext._active_spark_context is not None"


def run(tmp_path: Path, program: str, *arguments: object, ignoring: int | None = None) -> tuple[int, str]:
    (tmp_path / "temporary").mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path / "temporary")}
    command = [sys.executable, "-c", program, *map(str, arguments), "--out", str(tmp_path / "out")]

    def ignore() -> None:
        if ignoring:
            signal.signal(ignoring, signal.SIG_IGN)

    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
        preexec_fn=ignore,
    )
    return done.returncode, done.stderr


def left_in(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in tmp_path.iterdir() if path.name not in ("temporary", "java"))


def test_the_end_of_a_terminal_ends_a_run_even_if_told_twice(sample: Path, tmp_path: Path) -> None:
    twice = "[os.kill(os.getpid(), signal.SIGHUP) for _ in range(2)]"
    assert run(tmp_path, _HANG_UP.format(then=twice), "analyze", sample) == (
        130,
        "mqtrail: interrupted; nothing was written\n",
    )
    assert left_in(tmp_path) == []


def test_a_run_goes_on_under_nohup(sample: Path, tmp_path: Path) -> None:
    then = "(os.kill(os.getpid(), signal.SIGHUP), sys.exit(99))"
    code, _ = run(tmp_path, _HANG_UP.format(then=then), "analyze", sample, ignoring=signal.SIGHUP)
    assert code == 99


def test_a_terminal_that_is_gone_is_not_written_to(sample: Path, tmp_path: Path) -> None:
    # What a closed terminal answers a write with.
    gone = "(os.dup2(os.open('/dev/full', os.O_WRONLY), 2), os.kill(os.getpid(), signal.SIGHUP))"
    assert run(tmp_path, _HANG_UP.format(then=gone), "analyze", sample) == (130, "")
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_an_interrupt_while_java_starts_leaves_no_java(sample: Path, tmp_path: Path, number: int) -> None:
    program = _KILLER.format(when="True", whom="os.getpid()", number=int(number))
    assert run(tmp_path, program, tmp_path / "java", "analyze", sample) == (
        130,
        "mqtrail: interrupted; nothing was written\n",
    )
    assert not Path("/proc", (tmp_path / "java").read_text()).exists()
    assert left_in(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_death_of_java_is_told_in_a_sentence(sample: Path, tmp_path: Path) -> None:
    program = _KILLER.format(when=_WITH_SPARK, whom="java.pid", number=int(signal.SIGKILL))
    code, said = run(tmp_path, program, tmp_path / "java", "analyze", sample)
    assert code == 1
    sentences = [line for line in said.splitlines() if line.startswith("mqtrail: ")]
    assert len(sentences) == 1, said
    assert "Spark's Java process ended (it was killed, by the system if memory ran out: see dmesg)" in sentences[0]
    assert "Traceback" not in said
    assert left_in(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []
