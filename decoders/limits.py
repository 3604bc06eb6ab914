"""Every bound on input in one place, each with the reason for its value."""

from __future__ import annotations

from typing import Final

MAX_RECORD_BYTES: Final = 262_144
"""Largest captured packet: libpcap's and Wireshark's own maximum for network link types; larger means damage."""

MAX_RECORDS_AT_ONCE: Final = 262_144
"""Records read before they are dissected. Real packets need more room than a buffer gives this many; zeros do not."""

MAX_TUNNEL_DEPTH: Final = 4
"""Encapsulations unwrapped in one packet. Taps add one or two; a packet with more is built to exhaust us."""

MAX_VLAN_TAGS: Final = 4
"""802.1ad allows two tags; some taps add their own. More is not seen outside attacks."""

MAX_IPV6_EXTENSIONS: Final = 16
"""RFC 8200 4.1 lists seven kinds, each at most once but one; 16 leaves room for the strange."""

MAX_FRAGMENTS_PER_DATAGRAM: Final = 8_192
"""65,535 bytes in fragments of 8 bytes, the smallest that IP can address."""

FRAGMENT_TIMEOUT_NS: Final = 60 * 1_000_000_000
"""RFC 8200 4.5: fragments older than 60 seconds no longer belong together, and the identification may be reused."""

MAX_DATAGRAM_BYTES: Final = 65_535
"""The total length field of IPv4 has 16 bits; IPv6 jumbograms cannot be fragmented (RFC 2675)."""

MAX_HELD_BYTES: Final = 4 * 1024 * 1024
"""Bytes of one direction kept behind a hole. Above usual send windows: a hole that outlives it is a lost packet."""

MAX_HELD_SEGMENTS: Final = 8_192
"""Segments of one direction kept behind a hole: bounds the overhead when a peer sends single bytes."""

MAX_AHEAD_BYTES: Final = 1 << 30
"""RFC 7323 2.3: no window is larger than 2^30 bytes, so data further ahead is another connection's or forged."""

HISTORY_BYTES: Final = 1024 * 1024
"""Delivered bytes of one direction kept to compare retransmissions with: what common stacks keep in flight."""

REORDER_GRACE_PACKETS: Final = 32
"""Packets a hole is kept open after the peer acknowledged it: taps and multi-queue cards reorder by a few packets."""

SETTLE_SEGMENTS: Final = 16
"""Data segments looked at before a direction without SYN fixes its first byte: the first may be out of order."""

SETTLE_BYTES: Final = 262_144
"""Or this many bytes, so that a fast sender is not held back."""

STRANGE_SEGMENTS_BEFORE_RESTART: Final = 3
"""Out-of-window data segments in a row that prove a new connection whose SYN was not captured."""

MAX_CUT_RANGES: Final = 256
"""Ranges known to be cut by the snap length and not yet passed, per direction."""

MAX_GAPS_REMEMBERED: Final = 256
"""Gaps of one direction remembered to tell late bytes from repeated ones; a capture with more is lossy throughout."""

MAX_DOUBTFUL_SYNS: Final = 8
"""Copies of a SYN at odds with its open connection kept until a packet decides: four retries seen by two taps."""

MAX_RESYNC_BYTES: Final = 262_144
"""Bytes searched for a PDU header after a gap before the direction is taken not to speak DCE/RPC."""

MAX_INTERFACES_KEPT: Final = 64
"""Interface ids remembered per connection; a bind can name 255, a hostile connection any number."""
