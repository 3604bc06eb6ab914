"""Captures that began between the handshake and the bind, or filters that dropped SYNs: nothing is lost by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders.tcp.model import SYN
from tests.local import Local
from tests.pipelines.rules.fixtures import FOLDER, load
from tests.pipelines.rules.removal import accusations, records, write
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pipelines.rules.fixtures import Fixture

_RECORD_HEADER, _ETHERNET, _IPV4, _FLAGS = 16, 14, 20, 13
FLAGS_AT = _RECORD_HEADER + _ETHERNET + _IPV4 + _FLAGS
NAMES = ("mqqp-buffer-null", "mqqp-receive-completed", "mqrr-client-constant", "mqmr-administrator")
TALKS = [one for name in NAMES for one in load(FOLDER / f"{name}.calls") if one.part != "undecidable"]
READS = 20
LONG = "\n".join(
    (
        "connect",
        "RemoteQmGetVersion",
        "RemoteQMOpenQueue",
        *(
            f"RemoteQMStartReceive2 -> pphContext=R{n} message=3000\nRemoteQMEndReceive pphContext=R{n}"
            for n in range(READS)
        ),
        "RemoteQMCloseQueue",
        "close",
    )
)
"""The server sends many segments before the client has sent as many."""


def without_syns(whole: Path, folder: Path) -> Path:
    header, packets = records(whole)
    left = [packet for packet in packets if not packet[FLAGS_AT] & SYN]
    assert len(left) < len(packets)
    return write(folder / "no-syn.pcap", header, left)


@pytest.mark.parametrize("fixture", TALKS, ids=str)
def test_verdicts_are_those_of_the_whole(fixture: Fixture, tmp_path: Path) -> None:
    whole = capture(tmp_path, fixture.script)
    assert accusations(Local(without_syns(whole, tmp_path)).judged()) == accusations(Local(whole).judged())


def test_bind_of_a_connection_without_syn_is_answered(tmp_path: Path) -> None:
    found = Local(without_syns(capture(tmp_path, LONG), tmp_path))
    assert {row["interface_source"] for row in found.tables["calls"]} == {"bind"}
    assert [(row["outcome"], row["doubt"]) for row in found.judged()["reads"]] == [("acked", None)] * READS
