"""accounting: nothing disappears."""

from __future__ import annotations

from typing import TypedDict

from decoders.dcerpc.call_model import OUTCOMES, PDU_FATES
from schemas.model import LONG, STRING, Column, Table
from schemas.relations import Balance, RowCount
from schemas.shared_columns import CAPTURE_ID, OF_CAPTURE

IN = "in"

# stage -> counter -> meaning
COUNTERS: dict[str, dict[str, str]] = {
    "packets": {
        IN: "Packets read from the capture.",
        "kept": "Packets of the connections in `flows`.",
        "set_aside_not_ip": "ARP, LLC, and whatever else is not IP.",
        "set_aside_not_tcp": "UDP, ICMP, and whatever else is not TCP.",
        "set_aside_unsupported_link": "Link type not read, or interface not described.",
        "set_aside_header_cut": "The captured bytes end inside a header; see `issues`.",
        "set_aside_malformed": "A header contradicts itself; see `issues`.",
        "set_aside_too_deep": "Too many encapsulations; see `issues`.",
        "set_aside_fragment_merged": "IP fragments whose bytes went into the packet that completed the datagram.",
        "set_aside_fragment_duplicate": "IP fragments seen before.",
        "set_aside_fragment_unusable": "IP fragments of incomplete or malformed datagrams; see `issues`.",
        "set_aside_no_rpc_seen": "TCP conversations in which no segment can begin a DCE/RPC PDU.",
        "set_aside_not_rpc": "TCP connections that looked like DCE/RPC and, put in order, are not.",
        "set_aside_other_interface": "DCE/RPC connections to interfaces outside the scope.",
        "set_aside_changed": "Packets not found again by a second look: the file changed meanwhile; see `issues`.",
    },
    "payload_bytes": {
        IN: "TCP payload bytes captured of the connections in `flows`.",
        "delivered": "Delivered in order.",
        "duplicate": "Seen before.",
        "before_start": "Older than the first byte of a connection joined in the middle.",
        "late": "For a gap already given up.",
        "out_of_window": "Further away than any window allows, or after a reset.",
    },
    "stream_bytes": {
        IN: "Bytes delivered in order, of the connections in `flows`.",
        "pdus": "Bytes of whole PDUs.",
        "pdus_cut": "Captured bytes of PDUs of which others are missing; see `issues`.",
        "skipped_searching": "Passed over until the next PDU was found; see `issues`.",
        "skipped_header_cut": "The beginning of a header whose rest is missing; see `issues`.",
        "skipped_not_rpc": "Of a direction that does not speak DCE/RPC.",
    },
    "pdus": {IN: "PDUs found in the streams.", **{str(fate): meaning for fate, meaning in PDU_FATES.items()}},
    "calls": {IN: "Calls put together.", **{str(outcome): meaning for outcome, meaning in OUTCOMES.items()}},
    "decoding": {
        IN: "Calls put together.",
        "full": "All that was captured of the call was decoded.",
        "partial": "Some of it; see `issues`.",
        "opaque": "Nothing: sealed, or interface or operation not known.",
    },
}
_NAMES = tuple(dict.fromkeys(name for names in COUNTERS.values() for name in names))


class AccountRow(TypedDict):
    capture_id: str
    stage: str
    counter: str
    value: int


ACCOUNTING = Table(
    "accounting",
    "One counter of one stage of one capture. In each stage `in` is the sum of all the other counters.",
    (
        CAPTURE_ID,
        Column(
            "stage",
            STRING,
            "`packets`, `payload_bytes`, `stream_bytes`, `pdus`, `calls` or `decoding`.",
            required=True,
            values=tuple(COUNTERS),
        ),
        Column("counter", STRING, "`in`, or what became of a part of it.", required=True, values=_NAMES),
        Column("value", LONG, "Packets, bytes, PDUs or calls.", required=True, low=0),
    ),
    key=("capture_id", "stage", "counter"),
    relations=(
        Balance("value", ("capture_id", "stage"), "counter", IN),
        RowCount("pdus", "pdus", "fate"),
        RowCount("calls", "calls", "outcome"),
        RowCount("decoding", "calls", "decode_state"),
        OF_CAPTURE,
    ),
)
