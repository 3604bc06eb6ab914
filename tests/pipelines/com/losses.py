"""What may still be said of COM when packets are missing: less, with doubt, and nothing else."""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.local import Local
from tests.pipelines.com.story import RPC, rows

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
PCAP = b"\xd4\xc3\xb2\xa1"
_SNAPPED = 100


class Truth(NamedTuple):
    """What a whole capture says."""

    numbers: dict[str, str | None]
    """By IPID: the OID."""
    classes: dict[str, str | None]
    members: dict[str, set[str | None]]
    calls: Counter[str]

    @classmethod
    def of(cls, local: Local) -> Truth:
        calls, objects = rows(local)
        of_ipid = {one["ipid"]: row for row in objects for one in row["interfaces"]}
        members: dict[str, set[str | None]] = {}
        for call in calls:
            members.setdefault(call["ipid"], {None}).add(call["member"])
            if call["via"] == "invoke":
                members[call["ipid"]].add("Invoke")
        return cls(
            {ipid: row["oid"] for ipid, row in of_ipid.items()},
            {ipid: row["clsid"] for ipid, row in of_ipid.items()},
            members,
            Counter(call["ipid"] for call in calls),
        )


def check(truth: Truth, *paths: Path) -> tuple[list[Row], list[Row]]:
    """Nothing beyond the truth; what cannot be known is in doubt or not there."""
    local = Local(*paths, choice=RPC)
    assert local.imbalances() == []
    calls, objects = rows(local)
    uids = [row["object_uid"] for row in objects]
    assert len(set(uids)) == len(uids)
    assert len({row["call_uid"] for row in calls}) == len(calls)
    assert {row["call_uid"] for row in calls} <= {row["call_uid"] for row in local.tables["calls"]}
    by_uid = {row["object_uid"]: row for row in objects}
    assert not Counter(row["ipid"] for row in calls) - truth.calls
    for row in objects:
        ipids = [one["ipid"] for one in row["interfaces"]]
        assert row["oid"] in {None, *(truth.numbers[ipid] for ipid in ipids)}
        assert row["clsid"] in {None, *(truth.classes[ipid] for ipid in ipids)}
        if row["oid"] is not None:
            assert {truth.numbers[ipid] for ipid in ipids} == {row["oid"]}
        assert (row["doubt"] is None) == (row["given_by"] is not None)
    for call in calls:
        one = by_uid[call["object_uid"]]
        assert call["doubt"] == one["doubt"]
        assert one["doubt"] or one["oid"] == truth.numbers[call["ipid"]]
        assert call["member"] in truth.members[call["ipid"]]
    return calls, objects


def records_of(data: bytes) -> list[bytes]:
    """Of a little-endian pcap."""
    found, at = [], 24
    while at < len(data):
        size = 16 + int(struct.unpack_from("<I", data, at + 8)[0])
        found.append(data[at : at + size])
        at += size
    return found


def shortened(record: bytes) -> bytes:
    """As a snap length would have it."""
    kept = min(_SNAPPED, len(record) - 16)
    return record[:8] + struct.pack("<I", kept) + record[12 : 16 + kept]
