"""Services that listen where only an announcement says so, as conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.builders import msmq, rpc
from tests.builders.conversations import Ends, Talk, frames

if TYPE_CHECKING:
    from tests.builders.conversations import Frame, Packet


def moved(port: int, server_port: int) -> list[Packet]:
    """A conversation with no bind, joined in the middle of a PDU: nothing in its first bytes looks like DCE/RPC."""
    talk = Talk(Ends(port, server_port=server_port)).join()
    talk.say(rpc.request(bytes(range(1, 200)), 0, 1))
    for call in range(2, 8):
        msmq.receive(talk, b"message %d" % call, call)
    # Each segment ends in the middle of a PDU.
    sides = {True: b"", False: b""}
    for packet in talk.packets:
        sides[packet.from_client] += packet.payload
    shifted = Talk(talk.ends).join()
    for from_client, octets in ((True, sides[True][40:]), (False, sides[False][40:])):
        for start in range(0, len(octets), 333):
            shifted.send(octets[start : start + 333], 0x18, from_client=from_client)
    return shifted.packets


def frames_of(packets: list[Packet], ends: Ends) -> list[Frame]:
    return [one for packet in packets for one in frames(ends, packet)]


def chained(port: int) -> list[Frame]:
    """Joined in the middle, as `moved`: it answers where the next one is."""
    talk = Talk(Ends(port - 1_000, server_port=port)).join()
    for call in range(1, 30):
        msmq.server_port(msmq.receive(talk, b"message %d" % call, call * 2), port + 1, call * 2 + 1)
    head, *rest = talk.packets
    whole = head.__class__(head.from_client, head.seq + 30, head.ack, head.flags, head.payload[30:])
    return frames_of([whole, *rest], talk.ends)
