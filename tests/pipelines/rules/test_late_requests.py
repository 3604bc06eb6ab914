"""A request of which only the copy was captured that was sent again: it was received before, nobody knows when."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import dpkt
import pytest

from tests.builders.conversations import Frame
from tests.local import Local
from tests.scripts.player import play, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scripts.tape import Timed

RULE: Final = "mqac-timeout-kept"
SCRIPT: Final = r"""
connect r interface IRemoteSCMActivator
RemoteCreateInstance class=MSMQQueueInfo iids=[IMSMQQueueInfo4]
connect interface IMSMQQueueInfo4
alter interface IMSMQQueue4
IMSMQQueueInfo4.put_PathName bstrPathName=".\private$\orders"
IMSMQQueueInfo4.Open Access=1 ShareMode=0 -> gives=[Q]
IMSMQQueue4.Receive object=Q Transaction=0 ReceiveTimeout=40000 -> status=0xc00e001b after {waited}s
close
close r
"""
SOON_US: Final = 200_000
LATER_US: Final = 20_000_000


def captured(folder: Path, waited: int, *, late: bool) -> Path:
    """With the acknowledgement that a server sends while it waits for a message."""
    frames = play(SCRIPT.format(waited=waited))
    place = next(place for place, one in enumerate(frames) if one.about == "request" and one.line == 8)
    asked, answer = frames[place], frames[place + 1]
    frames.append(replace(answer, frame=_acknowledgement(answer), ts_us=asked.ts_us + SOON_US))
    frames[place] = replace(asked, ts_us=asked.ts_us + (LATER_US if late else 0))
    write(folder / "talk.pcap", sorted(frames, key=lambda one: one.ts_us))
    return folder / "talk.pcap"


def _acknowledgement(answer: Timed) -> Frame:
    ethernet = dpkt.ethernet.Ethernet(answer.frame.captured)
    ip, tcp = ethernet.data, ethernet.data.data
    tcp.data, tcp.flags, tcp.sum = b"", dpkt.tcp.TH_ACK, 0
    ip.sum, ip.len = 0, len(ip)
    octets = bytes(ethernet)
    return Frame(octets, len(octets))


@pytest.mark.parametrize(
    ("waited", "late", "verdict"),
    [(40, False, None), (1, False, "violation"), (40, True, "not_decidable")],
)
def test_a_server_is_not_early_because_the_request_was_captured_late(
    waited: int, late: bool, verdict: str | None, tmp_path: Path
) -> None:
    found = Local(captured(tmp_path, waited, late=late)).findings()
    assert [row["verdict"] for row in found if row["rule_id"] == RULE] == ([verdict] if verdict else [])
    assert all(row["reason"] == "times_cross" for row in found if late and row["rule_id"].startswith("mqac-"))
