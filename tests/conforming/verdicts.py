"""What the product says of packets."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.local import Local
from tests.scripts.player import write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.local import Row
    from tests.scripts.tape import Timed


class Accusation(NamedTuple):
    rule_id: str
    party: str
    client: str
    server: str
    title: str
    at: str


def judged(frames: Iterable[Timed]) -> tuple[Local, dict[str, list[Row]]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "talk.pcap")
        write(path, frames)
        local = Local(path)
    return local, local.judged()


def accusations(frames: Iterable[Timed]) -> list[Accusation]:
    _, tables = judged(frames)
    return [
        Accusation(
            row["rule_id"],
            row["party"],
            row["id"]["orig_h"],
            row["id"]["resp_h"],
            row["title"],
            f"{row['ts']:%H:%M:%S.%f}",
        )
        for row in tables["findings"]
        if row["verdict"] == "violation"
    ]
