"""A disk that is full before the output is written: a clear error, and the dataset as before."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from typing import TYPE_CHECKING

from soak.captures import write_talk
from soak.processes import mqtrail, run
from soak.report import Skipped
from soak.tables import counted, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from soak.report import Report

DISK_BYTES = 8 * 1024 * 1024
CAPTURES = 300
"""With a message each that no other has: it cannot be compressed, and a dataset carries it over to the next run."""


@contextlib.contextmanager
def small_disk(place: Path, size: int = DISK_BYTES) -> Iterator[None]:
    place.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
        raise Skipped("a tmpfs cannot be mounted here; run it as root")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def full(place: Path, report: Report) -> None:
    first, large = place / "first.pcap", place / "large"
    write_talk(first, 1, 500_000, 20_000)
    large.mkdir()
    for number in range(CAPTURES):
        write_talk(large / f"{number:03d}.pcap", 2 + number, 1)
    size = sum(path.stat().st_size for path in large.iterdir())
    disk = place / "disk"
    with small_disk(disk):
        data = disk / "data"
        run(place / "logs", "analyze", str(first), "--dataset", str(data), "--no-check")
        before, manifest = rows(data), (data / "run.json").read_bytes()
        report.say(f"a disk of {DISK_BYTES:,} bytes with a dataset of {counted(before)}")
        with mqtrail(place / "logs", "analyze", str(large), "--dataset", str(data)) as program:
            code, said = program.wait(), program.said
            seconds = program.seconds
        report.say(f"adding {CAPTURES} captures of {size:,} bytes ends after {seconds:.0f} s with {code} and says:")
        for line in said.splitlines()[:10]:
            report.say(f"  {line}")
        report.promise("exit 1, and one sentence", kept=code == 1 and len(said.splitlines()) == 1)
        report.promise("that a disk is full", kept=said.startswith("mqtrail: a disk is full"))
        verified = run(place / "logs", "verify", str(data)).splitlines()[0]
        same = (data / "run.json").read_bytes() == manifest and rows(data) == before
        report.promise(f"the dataset is as before ({verified})", kept=same)
        left = sorted(one.name for one in disk.iterdir())
        report.promise(f"nothing else is left there ({', '.join(left)})", kept=left == ["data"])
