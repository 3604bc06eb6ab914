"""Every bound on what decoders take in, each with the reason for its value; stages have bounds of their own."""

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

SILENCE_NS: Final = 24 * 3600 * 1_000_000_000
"""Endpoints silent for so long begin a new connection with their next packet: what is older can then be final. Windows
probes an idle connection every two hours, and whoever idles longer without a packet is gone.
"""

MAX_CUT_RANGES: Final = 256
"""Ranges known to be cut by the snap length and not yet passed, per direction."""

MAX_GAPS_REMEMBERED: Final = 256
"""Gaps of one direction remembered to tell late bytes from repeated ones; a capture with more is lossy throughout."""

MAX_EARLY_ACKS: Final = 64
"""Of one side, remembered until the other's stream has its place."""

MAX_TALKS_OF_A_KEY: Final = 64
"""Conversations of one key put in order at the same time. By accident two share one; more are made to."""

MAX_DOUBTFUL_SYNS: Final = 8
"""Copies of a SYN at odds with its open connection kept until a packet decides: four retries seen by two taps."""

MAX_RESYNC_BYTES: Final = 262_144
"""Bytes searched for a PDU header after a gap before the direction is taken not to speak DCE/RPC."""

MAX_INTERFACES_KEPT: Final = 64
"""Interface ids remembered per connection; a bind can name 255, a hostile connection any number."""

MAX_NDR_DEPTH: Final = 32
"""Referents inside referents. MSMQ nests three (vectors of PROPVARIANT); 32 stay far from Python's recursion limit."""

MAX_NDR_VALUES: Final = 1 << 20
"""Values one stub may yield through its arrays: Windows takes 4 MB ([MS-RPCE] 3.3.3.5.4), a million integers."""

MAX_NDR_PROBLEMS: Final = 64
"""Problems kept per stub; a stub with more is noise, and the number left out is told."""

MAX_COMPILED_DECODERS: Final = 4_096
"""Decoders kept by decode(): some 200 operations, two directions, two syntaxes, two byte orders, twice over."""

MAX_PDU_BYTES: Final = 65_535
"""frag_length has 16 bits: [C706] 12.6.3.1."""

MAX_VERIFICATION_BYTES: Final = 1_024
"""End of a request's stub searched for a verification trailer: its three known commands take 80 bytes."""

MAX_NTLM_SIGNATURES: Final = 16
"""NTLMSSP signatures looked at in one token: a real one has one, or two where SPNEGO repeats it."""

MAX_AV_PAIRS: Final = 64
"""Of one list: [MS-NLMP] 2.2.2.1 has ten kinds, each at most once."""

MAX_DER_ELEMENTS: Final = 64
"""Beside each other in one structure of a security token: KRB-ERROR has the most, 13 (RFC 4120 5.9.1)."""

MAX_MECHANISMS: Final = 32
"""Offered in one negotiation: Windows offers four."""

MAX_KERBEROS_NAMES: Final = 16
"""Parts of one principal's name: a service has two or three, `HTTP/host/realm`."""

MAX_KEYTAB_ENTRIES: Final = 65_536
"""Of one keytab: a service has one for each version of its key, encryption type and name."""

MAX_TICKET_KEYS: Final = 1_024
"""Keys of its encryption type that are tried on a ticket, those of its service first."""

MAX_NTLM_NAME_BYTES: Final = 2_048
"""User, domain and computer names have at most 256 characters, user principal names 1,024."""

MAX_OPEN_CALLS: Final = 4_096
"""Calls of one connection under way at once: threads that share it are fewer, answers ahead of requests included."""

MAX_STUB_BYTES: Final = 16 * 1024 * 1024
"""Stub of one request or response kept: Windows takes 4 MB ([MS-RPCE] 3.3.3.5.4), as MSMQ does for a message."""

MAX_OPEN_STUB_BYTES: Final = 64 * 1024 * 1024
"""Stub bytes of all calls of a connection under way at once."""

MAX_FRAMES_PER_PART: Final = 16_384
"""Frames listed for one request or response: MAX_STUB_BYTES in segments of 1,460 bytes need 11,492."""

MAX_UNSEALING_GAP_BYTES: Final = 16 * 1024 * 1024
"""Of a direction, missing in front of a sealed PDU: so much of the cipher's stream is kept to find its place."""

MAX_UNSEALING_PLACES: Final = 4_096
"""Places in the cipher's stream tried for a PDU behind missing bytes: from all of them sealed to 16 KB less."""

MAX_UNSEALING_BYTES_TRIED: Final = 16 * 1024 * 1024
"""Or so many bytes checked for one PDU, a tenth of a second."""

MAX_UNSEALING_SEARCHES: Final = 8
"""PDUs one after the other for which that was in vain, until the direction is given up."""

MAX_PRESENTATION_CONTEXTS: Final = 4_096
"""Presentation contexts remembered per connection: [MS-RPCE] 3.3.1.5.6 lets a server refuse more than 4,000."""

MAX_AUTH_CONTEXTS: Final = 2_000
"""[MS-RPCE] 3.3.1.5.4: a client must not build more security contexts on a connection."""

MAX_HANDSHAKE_FRAMES: Final = 256
"""Frames listed for one security context: six legs with the largest tickets, 65,535 bytes, in 1,460 a segment."""

MAX_UNANSWERED_BINDS: Final = 64
"""Proposals waiting for their answer. A client waits for one before it sends the next; more are not captured."""

MAX_REFERENCES_OF_A_CALL: Final = 256
"""Object references that are followed. An activation asks for ten at most: [MS-DCOM] 2.2.22.1."""

MAX_READABLE_CHARACTERS: Final = 512
"""Text made of a PROPVARIANT for people to read; the value itself is kept beside it in full."""

MAX_READABLE_DEPTH: Final = 4
"""PROPVARIANTs inside PROPVARIANTs shown in such text: [MS-MQMQ] 2.3.12.25 nests three."""

MAX_VARIANT_NESTING: Final = 32
"""VARIANTs inside VARIANTs that a value is made of, as MAX_NDR_DEPTH has them; decoded ones cannot have more."""

MAX_WALKED_VALUES: Final = 10_000
"""Structures and lists of one stub searched for object references: no call hands over a hundredth of as many."""

MAX_PROPERTY_ROWS: Final = 16_384
"""Rows made of a property that is a table in itself: one a connection attempt, or one a sending queue manager."""

MAX_TOWER_FLOORS: Final = 16
"""[MS-RPCE] 3.1.3.5.3: servers refuse more than six floors; what hides behind more than 16 is no endpoint."""

MAX_EARLY_ANSWERS: Final = 2_048
"""Calls kept for what may come out late, on either side: behind a hole a search holds back 64 KB of small PDUs."""

MAX_QUEUE_NAME_BYTES: Final = 8_192
"""Text read of a name in a message: [MS-MQMP] section 6 lets format names have 1,024 characters, a quarter of this."""

MAX_MULTI_QUEUE_NAMES: Final = 1_024
"""Names read of one list in a MultiQueueFormatHeader; a sender makes a packet for each."""

MAX_MULTI_QUEUE_BYTES: Final = 65_536
"""Bytes read of such a list: lone surrogates, which only forgers send by the thousand, take long to write out."""

MAX_DESCRIPTOR_PROBLEMS: Final = 64
"""Problems kept per security descriptor, as per stub; a list of 64 KB may hold 4,000 entries."""

MAX_DUAL_STRING_BINDINGS: Final = 256
"""String or security bindings read of one DUALSTRINGARRAY: a server has one for each name and address, some ten."""

MAX_ORPC_EXTENTS: Final = 64
"""Extensions of one COM call that are read: [MS-DCOM] 2.2.21 knows two."""

MAX_ERROR_TEXT_BYTES: Final = 65_536
"""Of a text of error information: forged ones of lone surrogates take long to write out."""

MAX_ACTIVATION_PROPERTIES: Final = 64
"""Properties of one activation that are read: [MS-DCOM] 2.2.28.1 allows ten."""
