"""What holds for every capture, whatever its bytes."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ingest.captures import UnreadableCapture, open_capture
from ingest.scan import scan_split
from ingest.splits import plan
from schemas.internal import COUNTS, SCAN_ISSUES, SPLIT_REPORTS
from schemas.tables.accounting import COUNTERS
from schemas.tables.issues import ISSUE_CODES
from schemas.tables.typed import TYPED
from tests.fuzz.findings import Broken
from tests.local import Local
from tests.pipelines.rules.removal import Accusation, accusations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


_TYPED_TABLES = frozenset(table.name for table in TYPED.values())
_ANSWERS = ("response", "fault")
_SIDES = ("request", "response")
_OF_COM = (("com_calls", "call_uid"), ("com_objects", "given_by"))

Pair: TypeAlias = tuple[int, int, int]
"""Call id, and the times of a request's and an answer's PDU that one call holds, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What the capture says before packets are lost. With less of it, less can be said, and nothing else."""

    pairs: frozenset[Pair]
    values: frozenset[tuple[str, int, int, str]]
    """Side, call id and time of its first PDU, and a digest of what it was decoded to where that was all of it."""
    accusations: frozenset[Accusation]

    @classmethod
    def of(cls, local: Local) -> Truth:
        return cls(_pairs(local), _values(local), accusations(local.judged()))

    def lists(self) -> list[list[Any]]:
        """As they go into a finding's file."""
        return [sorted(self.pairs), sorted(self.values), sorted(self.accusations)]

    def compare(self, local: Local, *, lossless: bool) -> None:
        found = Truth.of(local)
        if new := found.pairs - self.pairs:
            raise Broken("a loss pairs a request and an answer that do not belong together", sorted(new))
        if changed := found.values - self.values:
            raise Broken("a loss changes what a stub is decoded to in full", sorted(changed))
        if accused := found.accusations - self.accusations:
            raise Broken("a loss makes somebody look guilty", sorted(accused))
        # Rules decide less where packets were recorded late, so that times do not tell the order.
        if lossless and (found.pairs, found.values) != (self.pairs, self.values):
            raise Broken("something is not told although nothing is missing", (self.pairs, self.values))


def check(
    paths: Sequence[Path], truth: Truth | None = None, payload_bytes: int | None = None, *, lossless: bool = False
) -> Local:
    """`truth`: where packets were only lost, or `lossless` not even that. `payload_bytes`: by our own count."""
    local = Local(*paths)
    if imbalances := local.imbalances():
        raise Broken(f"the accounting does not add up: {imbalances[0].split(':')[0]}", imbalances)
    _known_names(local)
    _whole_calls(local)
    _frames(local)
    _judged(local)
    if truth is not None:
        truth.compare(local, lossless=lossless)
    _no_byte_forgotten(local, payload_bytes)
    return local


def check_scan(path: Path) -> None:
    """The first pass counts each packet once and names each issue."""
    try:
        (split,) = plan(open_capture(str(path)), 0, 1 << 40)
    except UnreadableCapture:
        return
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for table, batch in scan_split(split):
        tables[table.name] += batch.to_pylist()
    codes = {row["code"] for row in tables[SCAN_ISSUES.name]}
    codes |= {row["damage_code"] for row in tables[SPLIT_REPORTS.name]} - {None}
    if unknown := codes - ISSUE_CODES.keys():
        raise Broken("an issue has a code that nobody declared", unknown)
    counted = sum(row["value"] for row in tables[COUNTS.name])
    read = sum(row["packets"] for row in tables[SPLIT_REPORTS.name])
    if counted != read:
        raise Broken("the scan counts other packets than it reads", (counted, read))


def _pairs(local: Local) -> frozenset[Pair]:
    sent: dict[str, list[tuple[int, int]]] = defaultdict(list)
    answered: dict[str, list[int]] = defaultdict(list)
    for pdu in local.tables["pdus"]:
        if pdu["fate"] != "call":
            continue
        if pdu["pkt_type"] == "request":
            sent[pdu["call_uid"]].append((pdu["call_id"], pdu["ts_ns"]))
        elif pdu["pkt_type"] in _ANSWERS:
            answered[pdu["call_uid"]].append(pdu["ts_ns"])
    return frozenset(
        (call_id, asked, told) for uid, asks in sent.items() for call_id, asked in asks for told in answered[uid]
    )


def _values(local: Local) -> frozenset[tuple[str, int, int, str]]:
    begun: dict[tuple[str, str], tuple[int, int]] = {}
    for pdu in local.tables["pdus"]:
        if pdu["fate"] == "call" and pdu["pkt_type"] in _SIDES:
            begun.setdefault((pdu["call_uid"], pdu["pkt_type"]), (pdu["call_id"], pdu["ts_ns"]))
    return frozenset(
        (side, *begun[row["call_uid"], side], hashlib.sha256(f"{name} {row[side]}".encode()).hexdigest())
        for name in _TYPED_TABLES & local.tables.keys()
        for row in local.tables[name]
        if row["decode_state"] == "full"
        for side in _SIDES
        if row[side] is not None
    )


def _known_names(local: Local) -> None:
    told = {refused.code for refused in local.refused} | {row["code"] for row in local.tables["issues"]}
    if unknown := told - ISSUE_CODES.keys():
        raise Broken("an issue has a code that nobody declared", unknown)
    for stage, counters in COUNTERS.items():
        used = {counter for of, counter in local.counts if of == stage}
        if unknown := used - counters.keys():
            raise Broken(f"a counter of {stage} has a name that nobody declared", unknown)


def _whole_calls(local: Local) -> None:
    calls = {row["call_uid"]: row for row in local.tables["calls"]}
    if len(calls) != len(local.tables["calls"]):
        raise Broken("two calls have one call_uid", _repeated(row["call_uid"] for row in local.tables["calls"]))
    for pdu in local.tables["pdus"]:
        if (pdu["fate"] == "call") != (pdu["call_uid"] is not None and pdu["fate"] == "call"):
            raise Broken("a PDU of a call does not say of which", pdu)
        if pdu["fate"] == "call" and pdu["call_uid"] not in calls:
            raise Broken("a PDU belongs to a call that is not in calls", pdu)
    for row in local.tables["issues"]:
        if row["call_uid"] is not None and row["call_uid"] not in calls:
            raise Broken("an issue names a call that is not in calls", row)
    typed = [row for name in _TYPED_TABLES & local.tables.keys() for row in local.tables[name]]
    found = Counter(row["call_uid"] for row in typed)
    expected = Counter(uid for uid, row in calls.items() if row["decode_state"] != "opaque")
    if found != expected:
        raise Broken("typed rows and decoded calls are not the same", (found - expected, expected - found))
    for row in typed:
        if row["decode_state"] != calls[row["call_uid"]]["decode_state"]:
            raise Broken("a typed row and its call disagree on decode_state", row)
    if strangers := {row["call_uid"] for row in local.tables.get("endpoints", ())} - calls.keys():
        raise Broken("an endpoint was announced by a call that is not in calls", strangers)
    uids = {row["uid"] for row in local.tables["flows"]}
    for name in ("pdus", "calls", "issues"):
        if {row["uid"] for row in local.tables[name]} - uids:
            raise Broken(f"a row of {name} belongs to no flow")


def _judged(local: Local) -> None:
    """Rules look at whatever was decoded: none of them may stumble, and what they name must be there."""
    tables = local.judged()
    calls = {row["call_uid"] for row in local.tables["calls"]}
    sessions = {row["session_uid"] for row in tables["sessions"]}
    for name, column in (("reads", "start_call_uid"), ("reads", "end_call_uid"), ("findings", "call_uid"), *_OF_COM):
        if strangers := {row[column] for row in tables[name]} - calls - {None}:
            raise Broken(f"{name}.{column} names a call that is not in calls", strangers)
    for name in ("reads", "findings"):
        if strangers := {row["session_uid"] for row in tables[name]} - sessions - {None}:
            raise Broken(f"{name} names a session that is not in sessions", strangers)
    objects = {row["object_uid"] for row in tables["com_objects"]}
    if strangers := {row["object_uid"] for row in tables["com_calls"]} - objects:
        raise Broken("com_calls names an object that is not in com_objects", strangers)
    ids = (("com_objects", "object_uid"), ("com_calls", "call_uid"))
    for name, column in (("sessions", "session_uid"), ("reads", "read_uid"), *ids):
        if twice := _repeated(row[column] for row in tables[name]):
            raise Broken(f"two rows of {name} have one id", twice)


def _frames(local: Local) -> None:
    of_call: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for pdu in local.tables["pdus"]:
        if not pdu["frames"]:
            raise Broken("a PDU has no frame", pdu)
        if pdu["call_uid"]:
            of_call[pdu["call_uid"]].update(_named(pdu, "frames"))
    for call in local.tables["calls"]:
        named = _named(call, "request_frames", "response_frames")
        if not named or not named <= of_call[call["call_uid"]]:
            raise Broken("a call has frames that none of its PDUs has, or none", (call, of_call[call["call_uid"]]))


def _named(row: dict[str, Any], *columns: str) -> set[tuple[str, int]]:
    here = {(row["capture_id"], frame) for column in columns for frame in row[column] or ()}
    others = row.get("elsewhere") or row.get("other_frames") or ()
    return here | {(other["capture_id"], other["frame"]) for other in others}


def _no_byte_forgotten(local: Local, payload_bytes: int | None) -> None:
    """Only where every connection was kept can all bytes be expected in the tables."""
    if payload_bytes is None or local.tables["asides"] or local.refused or not local.tables["flows"]:
        return
    counted = local.counts["payload_bytes", "in"] + local.passed_over_bytes
    if counted != payload_bytes:
        raise Broken("payload bytes are missing", (counted, payload_bytes))


def _repeated(uids: Iterable[str]) -> list[str]:
    return [uid for uid, number in Counter(uids).items() if number > 1]
