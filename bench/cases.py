"""Everything that is measured, in the order of the table."""

from __future__ import annotations

from typing import Final

from bench import calls, com_calls, judging, reading, reassembly, rivals
from bench.measure import Case

SCAN: Final = "scan"
DPKT: Final = "dpkt-loop"
COMPARABLE: Final = frozenset({"headers", "headers-ng"})
"""Captures with the packets that the dpkt loop reads; only cases over these are compared with it."""

CASES: Final = (
    Case("sum-of-bytes", "the floor: read and sum", "headers", rivals.sum_of_bytes),
    Case(DPKT, f"first {rivals.DPKT_SAMPLE:,} packets", "headers", rivals.dpkt_loop),
    Case("walk", "record boundaries", "headers", reading.record_boundaries),
    Case("dissect-many", "headers only", "headers", reading.headers),
    Case(SCAN, "the first pass", "headers", reading.scan),
    Case("walk-pcapng", "record boundaries", "headers-ng", reading.record_boundaries),
    Case("scan-pcapng", "the first pass", "headers-ng", reading.scan),
    Case("scan-vxlan", "the first pass", "vxlan", reading.scan),
    Case("scan-msmq", "the first pass", "msmq", reading.scan),
    Case("segments-msmq", "the second pass", "msmq", reading.segments),
    Case("tcp-in-order", "reassembly", None, reassembly.in_order),
    Case("tcp-reordered", "reassembly, 1% late", None, reassembly.reordered),
    Case("calls", "segments to tables", None, calls.receives),
    Case("calls-careful", "the same, one by one", None, calls.careful_receives),
    Case("com-calls", "the same of COM objects", None, com_calls.invokes),
    Case("judging", "facts to findings", None, judging.judging),
    Case("com-judging", "facts to objects", None, com_calls.objects),
)
