"""Community ID against the reference implementation."""

from __future__ import annotations

import communityid
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoders.net.community_id import community_id

PORTS = st.integers(0, 65_535)
ADDRESSES = st.sampled_from([4, 16]).flatmap(
    lambda size: st.tuples(*[st.binary(min_size=size, max_size=size) | st.just(bytes(size))] * 2)
)


def test_vector_of_the_specification() -> None:
    client, server = bytes([10, 0, 0, 1]), bytes([127, 0, 0, 1])
    assert community_id(client, server, 1234, 80) == "1:F/BCgQTUT/FXrTnSBgdsKwJ26iE="
    assert community_id(server, client, 80, 1234) == "1:F/BCgQTUT/FXrTnSBgdsKwJ26iE="


@pytest.mark.parametrize(("protocol", "make"), [(6, "make_tcp"), (17, "make_udp"), (132, "make_sctp")])
def test_protocols(protocol: int, make: str) -> None:
    client, server = bytes([10, 0, 0, 1]), bytes([9, 0, 0, 1])
    reference = getattr(communityid.FlowTuple, make)(client, server, 7, 9)
    assert community_id(client, server, 7, 9, protocol) == communityid.CommunityID().calc(reference)


@settings(deadline=None)
@given(addresses=ADDRESSES, sport=PORTS, dport=PORTS)
def test_equals_the_reference_in_both_directions(addresses: tuple[bytes, bytes], sport: int, dport: int) -> None:
    src, dst = addresses
    reference = communityid.CommunityID().calc(communityid.FlowTuple.make_tcp(src, dst, sport, dport))
    assert community_id(src, dst, sport, dport) == community_id(dst, src, dport, sport) == reference
