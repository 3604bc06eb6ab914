"""Tables of a run with as many sessions, reads, calls and findings as one likes; made in columns, for they are many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from tests.report.runs import SCHEMAS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

START_US: Final = 1_767_600_000_000_000
CAPTURE: Final = "c" * 64
RULES: Final = (("detect-purge", "high"), ("rpce-unauthenticated-call", "medium"), ("mqqp-start-by-version", "low"))
HOSTS: Final = 3_000
QUEUES: Final = 700


Numbers: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


def big_tables(sessions: int, reads_each: int = 3, findings_each: int = 3) -> dict[str, pa.Table]:
    uids = [f"S{number:024x}" for number in range(sessions)]
    clients = [f"10.{number % HOSTS // 250}.1.{number % HOSTS % 250}" for number in range(sessions)]
    starts = START_US + np.arange(sessions, dtype=np.int64) * 700_000
    purged = np.arange(sessions) % 50 == 0
    of_session = {
        "session_uid": uids,
        "uid": [f"C{number:018x}" for number in range(sessions)],
        "id": _ends(clients),
        "endpoint": ["RemoteRead"] * sessions,
        "ts": starts,
        "ts_ns": starts * 1_000,
        "opened_ts": starts,
        "closed_ts": starts + 600_000,
        "state": ["closed"] * sessions,
        "handle": [f"00000000-0000-0000-0000-{number:012x}" for number in range(sessions)],
        "queue_name": [f"DIRECT=OS:hq\\private$\\queue-{number % QUEUES}" for number in range(sessions)],
        "username": [f"user{number % 400}" for number in range(sessions)],
        "domain": ["CORP"] * sessions,
        "peeks": [0] * sessions,
        "receives": [reads_each] * sessions,
        "acked": [reads_each] * sessions,
        **{name: [0] * sessions for name in ("nacked", "cancelled", "timed_out", "failed", "rundown", "unfinished")},
        "purges": purged.astype(np.int64),
        **{name: [0] * sessions for name in ("moves", "sends", "sent_bytes", "peeked_bytes", "nacked_bytes")},
        "message_bytes": [reads_each * 400] * sessions,
        "acked_bytes": [reads_each * 400] * sessions,
        "rundown_bytes": [0] * sessions,
        "capture_id": [CAPTURE] * sessions,
    }
    tables = {"sessions": _table("sessions", of_session)}
    tables |= _reads(uids, clients, starts, reads_each)
    tables |= _findings(uids, clients, starts, findings_each)
    return tables | _others(sessions, purged, clients, uids, starts)


def _reads(uids: Sequence[str], clients: Sequence[str], starts: Numbers, each: int) -> dict[str, pa.Table]:
    sessions = len(uids)
    ts = np.repeat(starts, each) + np.tile(np.arange(each, dtype=np.int64) * 100_000, sessions)
    count = sessions * each
    calls = [f"R{number:024x}" for number in range(count)]
    own = np.repeat(np.array(clients), each).tolist()
    reads = {
        "read_uid": [f"D{number:024x}" for number in range(count)],
        "session_uid": np.repeat(np.array(uids), each).tolist(),
        "ts": ts,
        "ts_ns": ts * 1_000,
        "uid": ["C0"] * count,
        "id": _ends(own),
        "endpoint": ["RemoteRead"] * count,
        "start_call_uid": calls,
        "outcome": ["acked"] * count,
        "message_bytes": [400] * count,
        "message_label": [f"order {number}" for number in range(count)],
        "capture_id": [CAPTURE] * count,
    }
    frames = pa.array([[number * 2 + 1] for number in range(count)], pa.list_(pa.int64()))
    rows = {
        "call_uid": calls,
        "ts": ts,
        "ts_ns": ts * 1_000,
        "uid": ["C0"] * count,
        "id": _ends(own),
        "rtt_us": [900] * count,
        "endpoint": ["RemoteRead"] * count,
        "interface_source": ["bind"] * count,
        "opnum": [7] * count,
        "operation": ["R_StartReceive"] * count,
        "outcome": ["answered"] * count,
        "encrypted": [False] * count,
        "auth_level": [5] * count,
        "status": [0] * count,
        "status_name": ["MQ_OK"] * count,
        "request_frames": frames,
        "response_frames": frames,
        "capture_id": [CAPTURE] * count,
    }
    return {"reads": _table("reads", reads), "calls": _table("calls", rows)}


def _findings(uids: Sequence[str], clients: Sequence[str], starts: Numbers, each: int) -> dict[str, pa.Table]:
    count = len(uids) * each
    ts = np.repeat(starts, each)
    kinds = [RULES[number % len(RULES)] for number in range(count)]
    evidence = {"capture_id": CAPTURE, "request_frames": [1], "response_frames": [2], "values": []}
    rows = {
        "rule_id": [rule for rule, _ in kinds],
        "level": [level for _, level in kinds],
        "verdict": ["detection"] * count,
        "count": [1] * count,
        "party": ["nobody"] * count,
        "title": ["t"] * count,
        "spec": ["MS-MQQP 5"] * count,
        "ts": ts,
        "ts_ns": ts * 1_000,
        "uid": ["C0"] * count,
        "call_uid": [f"R{number:024x}" for number in range(count)],
        "session_uid": np.repeat(np.array(uids), each).tolist(),
        "id": _ends(np.repeat(np.array(clients), each).tolist()),
        "evidence": pa.array([evidence] * count, SCHEMAS["findings"].field("evidence").type),
    }
    verdicts = [
        {"rule_id": rule, "verdict": "detection", "reason": None, "count": sum(1 for one, _ in kinds if one == rule)}
        for rule, _ in RULES
    ]
    return {"findings": _table("findings", rows), "verdicts": pa.Table.from_pylist(verdicts, SCHEMAS["verdicts"])}


def _others(
    sessions: int,
    purged: Numbers,
    clients: Sequence[str],
    uids: Sequence[str],
    starts: Numbers,
) -> dict[str, pa.Table]:
    capture = {"capture_id": CAPTURE, "path": "/captures/big.pcap", "bytes": 10**10, "packets": 10**7}
    capture |= {"first_ts": START_US, "last_ts": int(starts[-1]), "state": "complete", "format": "pcap"}
    hosts = [{"address": host, "roles": ["remote_reader"], "serves": [], "called": []} for host in sorted(set(clients))]
    places = np.flatnonzero(purged).tolist()
    acts = {
        "call_uid": [f"RP{number:023x}" for number in places],
        "ts": starts[purged],
        "ts_ns": starts[purged] * 1_000,
        "id": _ends([clients[number] for number in places]),
        "action": ["purge"] * len(places),
        "is_query": [False] * len(places),
        "outcome": ["success"] * len(places),
        "session_uid": [uids[number] for number in places],
    }
    messages = {
        "message_uid": [f"M{number:024x}" for number in range(sessions)],
        "message_id": [f"{{0}}\\{number}" for number in range(sessions)],
        "label": [f"order {number}" for number in range(sessions)],
        "first_ts": starts,
        "last_ts": starts,
        "sightings": [1] * sessions,
        "bodies": [1] * sessions,
    }
    return {
        "captures": pa.Table.from_pylist([capture], SCHEMAS["captures"]),
        "hosts": pa.Table.from_pylist(hosts, SCHEMAS["hosts"]),
        "admin_actions": _table("admin_actions", acts),
        "messages": _table("messages", messages),
    }


def _ends(clients: Sequence[str]) -> pa.StructArray:
    count = len(clients)
    columns = [clients, [50_001] * count, ["10.9.9.9"] * count, [2_103] * count]
    types = (pa.string(), pa.int32(), pa.string(), pa.int32())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pa.StructArray.from_arrays(arrays, ["orig_h", "orig_p", "resp_h", "resp_p"])


def _table(name: str, columns: Mapping[str, Any]) -> pa.Table:
    rows = len(next(iter(columns.values())))
    arrays = []
    for field in SCHEMAS[name]:
        column = columns.get(field.name)
        if column is None:
            arrays.append(pa.nulls(rows, field.type))
        elif pa.types.is_timestamp(field.type):
            arrays.append(pa.array(column, pa.int64()).cast(field.type))
        else:
            arrays.append(column if isinstance(column, pa.Array) else pa.array(column, field.type))
    return pa.Table.from_arrays(arrays, schema=SCHEMAS[name])
