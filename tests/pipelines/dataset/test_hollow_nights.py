"""Connections of which nothing but their ends was captured, over several nights: as in one run over all of them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.builders.conversations import Ends, Talk
from tests.pipelines.dataset.growing import add
from tests.pipelines.dataset.growing import read as told
from tests.pipelines.dataset.test_equals_one_run import differences
from tests.pipelines.hollow import ENDS, PAUSE_S, accused, asked, beside, is_accused, together, without_payload
from tests.pipelines.running import read
from tests.scripts.player import write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.builders.conversations import Packet
    from tests.scripts.tape import Timed

HOUR = 3600
WEB = b"GET / HTTP/1.1\r\n\r\n"


def spread(packets: list[Packet], *hours: float) -> list[Timed]:
    """Each packet so long after the first of those that accuse."""
    return [
        one for packet, hour in zip(packets, hours, strict=True) for one in beside([packet], after_s=int(hour * HOUR))
    ]


def late() -> list[Timed]:
    """Other traffic up to the end of the pause: a night does not end with what matters."""
    ends = Ends(50_900, 80, "10.0.0.70", "10.0.0.71")
    return [one for hour in range(1, 40) for one in beside(Talk(ends).open().packets, ends, after_s=hour * HOUR)]


def grown(frames: list[Timed], cuts: list[float], folder: Path, *, backwards: bool = False) -> bool:
    """Whether somebody is accused; after nights that end at these hours as in one run."""
    began = accused()[0].ts_us
    edges = [0, *(began + int(hour * HOUR * 1_000_000) for hour in cuts), 1 << 62]
    nights = []
    folder.mkdir(exist_ok=True)
    for number, (first, last) in enumerate(itertools.pairwise(edges)):
        nights.append(folder / f"night{number}.pcap")
        write(nights[-1], [one for one in frames if first <= one.ts_us < last])
    add(None, folder / "whole", nights)
    for night in reversed(nights) if backwards else nights:
        assert add(None, folder / "grown", [night])
    assert differences(told(folder / "whole"), told(folder / "grown")) == []
    return is_accused(read(folder / "grown" / "tables"))


@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "the last first"])
def test_who_serves_is_told_by_a_later_night(tmp_path: Path, *, backwards: bool) -> None:
    """Nothing of ours is in the first night; the second is accused of what the first may have held."""
    began = accused()[0].ts_us
    early = [one for one in accused() if one.ts_us < began + HOUR * 1_000_000]
    ours = [replace(one, ts_us=one.ts_us + 31 * HOUR * 1_000_000) for one in early]
    ours += [one for one in accused() if one not in early]
    packets = asked().packets
    unseen = spread([*packets[:3], *packets[-3:]], 20, 20, 20, 21, 21, 21)
    assert not grown(together(unseen, late(), ours), [30], tmp_path / "with", backwards=backwards)
    assert grown(together(late(), ours), [30], tmp_path / "without", backwards=backwards)


@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "the last first"])
def test_numbers_move_from_one_night_to_the_next(tmp_path: Path, *, backwards: bool) -> None:
    packets = asked().packets
    frames = together(accused(), spread([*packets[:3], *packets[-3:]], 5, 5, 5, 5.5, 5.5, 5.5))
    assert not grown(frames, [5.25], tmp_path, backwards=backwards)


def test_what_a_later_night_shows_takes_doubt_away(tmp_path: Path) -> None:
    """Bytes of another protocol, on the same connection."""
    talk = Talk(ENDS).open().say(bytes(300)).answer(bytes(300)).acknowledge(from_client=True).say(WEB).close()
    packets = [one for one in talk.packets if one.payload in (b"", WEB)]
    frames = together(accused(), spread(packets, 5, 5, 5, 5, 8, 8, 8, 8))
    assert grown(frames, [7], tmp_path)


def test_doubt_stays_for_all_nights_that_come(tmp_path: Path) -> None:
    packets = without_payload(asked().packets)
    frames = together(accused(), late(), beside(packets, after_s=HOUR))
    assert not grown(frames, [0.5, 2, 20, PAUSE_S / HOUR - 1], tmp_path)
