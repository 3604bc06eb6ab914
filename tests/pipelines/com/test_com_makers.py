"""Who makes objects of MSMQ for the first time: over servers and nights, and only where there is a past."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ingest.choice import Scope
from pipelines.judging.makers import Activated, changed_makers, first_of_each
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.builders.conversations import Ends, write_pcap
from tests.pipelines.com import story as s
from tests.pipelines.dataset.growing import add, read

if TYPE_CHECKING:
    from pathlib import Path

    from tests.builders.com_talk import ComTalk

RULE, OTHER_SERVER, OTHER_CLIENT = "detect-msmq-object-activated", "10.0.0.77", "10.0.0.55"
DAY_MS = 24 * 3_600_000


def made(client: str = p.CLIENT, server: str = p.SERVER, clsid: str = c.QUEUE_INFO, port: int = 50_000) -> ComTalk:
    return s.activation(clsid, Ends(port, 135, client, server), s.where(s.PORT, server))


def nights(folder: Path, *talks: ComTalk) -> list[Path]:
    """One a day."""
    paths = []
    for day, talk in enumerate(talks):
        paths.append(folder / f"{day}.pcap")
        write_pcap(paths[-1], talk.frames, day * DAY_MS)
    return paths


def told(folder: Path, captures: list[Path]) -> list[tuple[str, int]]:
    """How often it was detected, left open, passed."""
    add(None, folder / "whole", captures, Scope.RPC)
    for capture in reversed(captures):
        add(None, folder / "grown", [capture], Scope.RPC)
    whole, grown = read(folder / "whole"), read(folder / "grown")
    assert whole["verdicts"] == grown["verdicts"]
    assert whole["findings"] == grown["findings"]
    rows = [eval(row) for row in whole["verdicts"]]
    return sorted((row["verdict"], row["count"]) for row in rows if row["rule_id"] == RULE)


def test_a_run_of_one_day_has_no_past(tmp_path: Path) -> None:
    assert told(tmp_path, nights(tmp_path, made())) == [("not_decidable", 1)]


def test_a_host_that_did_before_is_not_told(tmp_path: Path) -> None:
    assert told(tmp_path, nights(tmp_path, made(), made(port=50_001))) == [("not_decidable", 1), ("pass", 1)]


def test_a_host_that_never_did_is_told_once(tmp_path: Path) -> None:
    first = made(clsid=c.MMC), made(OTHER_CLIENT, port=50_001), made(OTHER_CLIENT, port=50_002)
    assert told(tmp_path, nights(tmp_path, *first)) == [("detection", 1), ("pass", 2)]


def test_a_host_that_did_so_elsewhere_is_no_news(tmp_path: Path) -> None:
    talks = made(server=OTHER_SERVER), made(clsid=c.MMC, port=50_001), made(port=50_002)
    assert told(tmp_path, nights(tmp_path, *talks)) == [("not_decidable", 1), ("pass", 2)]


@pytest.mark.parametrize("turned", [False, True])
def test_servers_whose_news_changed_are_judged_again(*, turned: bool) -> None:
    early, late = Activated(1, "C1", "a"), Activated(2, "C2", "b")
    known = [("x", late), ("x", early), ("y", late)]
    makers = first_of_each(reversed(known) if turned else known)
    assert makers == {"x": early, "y": late}
    assert changed_makers({"x": late, "y": late}, makers) == {"a", "b"}
    assert changed_makers(makers, makers) == frozenset()
