"""Calling mqtrail. Always with a list of arguments: names of captures come from outside, and no shell sees them."""

from __future__ import annotations

import logging
import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from airflow.sdk.exceptions import AirflowException, AirflowFailException

if TYPE_CHECKING:
    from collections.abc import Collection

log = logging.getLogger(__name__)

USAGE: Final = 2
NO_INPUT: Final = 10
NO_CAPTURE_READABLE: Final = 11
INPUT_DAMAGED: Final = 13
DATA_QUALITY: Final = 15
NEVER_HEALS: Final = frozenset((USAGE, NO_CAPTURE_READABLE, DATA_QUALITY))
"""The same command will say the same again, so it is not retried."""


@dataclass(frozen=True, slots=True)
class Said:
    code: int
    out: str


def mqtrail(bin_folder: str, *arguments: str, fine: Collection[int] = (0,)) -> Said:
    """What it says on stderr goes to the log of the task; stdout is data."""
    command = [f"{bin_folder}/mqtrail", *arguments]
    # The worker's own Python settings would lead mqtrail's Python astray.
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    log.info("running %s %s, %d arguments", command[0], arguments[0], len(arguments))
    try:
        done = subprocess.run(  # noqa: S603 - no shell
            command, env=environment, capture_output=True, text=True, errors="backslashreplace", check=False
        )
    except FileNotFoundError:
        raise AirflowFailException(f"there is no {command[0]}; set the variable mqtrail_bin") from None
    for line in done.stderr.splitlines():
        log.info("%s", line)
    if done.returncode in fine:
        return Said(done.returncode, done.stdout)
    kind = AirflowFailException if done.returncode in NEVER_HEALS else AirflowException
    last = (done.stderr.strip() or done.stdout.strip() or "it said nothing")[-2000:]
    raise kind(f"mqtrail {arguments[0]} ended with {done.returncode}: {last}")
