"""What the product says of packets."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.local import Local
from tests.scripts.player import write

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    """A file for each tap."""
    by_tap: dict[str, list[Timed]] = {}
    for one in frames:
        by_tap.setdefault(one.tap, []).append(one)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"talk{tap}.pcap") for tap in sorted(by_tap) or [""]]
        for path, tap in zip(paths, sorted(by_tap) or [""], strict=True):
            write(path, by_tap.get(tap, ()))
        local = Local(*paths)
    return local, local.judged()


def accused(tables: Mapping[str, list[Row]]) -> list[Accusation]:
    return [
        Accusation(
            rule_id=row["rule_id"],
            party=row["party"],
            client=row["id"]["orig_h"],
            server=row["id"]["resp_h"],
            title=row["title"],
            at=f"{row['ts']:%H:%M:%S.%f}",
        )
        for row in tables["findings"]
        if row["verdict"] == "violation"
    ]


def accusations(frames: Iterable[Timed]) -> list[Accusation]:
    return accused(judged(frames)[1])
