"""Open Cybersecurity Schema Framework: calls and connections as Network Activity, findings as Detection Finding.

Sessions, reads and acts are in `ocsf_acts`.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from schemas.exports.converters import (
    both,
    call_outcome,
    decided,
    endpoint_name,
    iso,
    millis,
    operation_name,
    result,
    some,
    span_milliseconds,
    summed,
)
from schemas.exports.model import Condition, Field, Mapping
from schemas.exports.ocsf_acts import ACTION, READ, SESSION
from schemas.exports.ocsf_parts import STATUS, base, person_behind, queue_touched, user
from schemas.exports.sentences import (
    CALL_COLUMNS,
    FINDING_COLUMNS,
    call_sentence,
    connection_sentence,
    finding_sentence,
)
from schemas.tables import CALLS, FINDINGS, FLOWS
from schemas.vocabulary import LEVELS

NETWORK_ACTIVITY, DETECTION_FINDING = 4001, 2004
_OPEN, _CLOSE, _RESET, _FAIL, _REFUSE, _TRAFFIC = range(1, 7)
_ACTIVITIES: Final = {
    **dict.fromkeys(("SF", "S2", "S3"), _CLOSE),
    **dict.fromkeys(("RSTO", "RSTR", "RSTOS0", "RSTRH"), _RESET),
    **dict.fromkeys(("S0", "SH", "SHR"), _FAIL),
    "S1": _OPEN,
    "REJ": _REFUSE,
    "OTH": _TRAFFIC,
}


def activity(conn_state: str) -> int:
    """1 open, 2 closed, 3 reset, 4 failed, 5 refused, 6 traffic: as the state of the connection says."""
    return _ACTIVITIES.get(conn_state, _TRAFFIC)


def activity_type(conn_state: str) -> int:
    """Class and activity in one number."""
    return NETWORK_ACTIVITY * 100 + activity(conn_state)


def call_status(*values: Any) -> int:  # noqa: ANN401 - as call_outcome takes them
    """1 success, 2 failure, 0 unknown."""
    return STATUS[call_outcome(*values)]


def ip_version(address: str) -> int:
    """4 or 6."""
    return 6 if ":" in address else 4


def severity(level: str) -> int:
    """1 `informational` to 5 `critical`."""
    return LEVELS.index(level) + 1


def text(number: int) -> str:
    """As text."""
    return str(number)


def digest(*values: Any) -> str:  # noqa: ANN401 - columns of any type
    """SHA-256 of them as JSON: a finding has no id of its own."""
    return hashlib.sha256(json.dumps(values, ensure_ascii=True).encode()).hexdigest()


def attacks(ids: list[str]) -> list[dict[str, Any]] | None:
    """An object a technique."""
    return some([_attack(one) for one in ids])


def _attack(identifier: str) -> dict[str, Any]:
    technique, dot, _ = identifier.partition(".")
    return {"technique": {"uid": technique}} | ({"sub_technique": {"uid": identifier}} if dot else {})


def evidences(*values: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - columns of any type
    """One object: both ends, connection, account and the evidence of the finding."""
    client, client_port, server, server_port, uid, username, domain, evidence = values
    found = {
        "src_endpoint": {"ip": client, "port": client_port},
        "dst_endpoint": {"ip": server, "port": server_port},
        "connection_info": {"uid": uid, "protocol_num": 6, "direction_id": 0},
        "data": evidence,
    }
    return [found | ({"actor": {"user": user(username, domain)}} if username else {})]


_ENDS: Final = (
    Field("src_endpoint.ip", "id.orig_h"),
    Field("src_endpoint.port", "id.orig_p"),
    Field("dst_endpoint.ip", "id.resp_h"),
    Field("dst_endpoint.port", "id.resp_p"),
    Field("connection_info.uid", "uid"),
    Field("connection_info.community_uid", "community_id"),
    Field("connection_info.protocol_num", always=6),
    Field("connection_info.protocol_name", always="tcp"),
    Field("connection_info.protocol_ver_id", "id.orig_h", ip_version),
    Field("connection_info.direction_id", always=0),
)
_OUTCOME: Final = ("outcome", "status", "fault", "endpoint", "decode_state")

CALL: Final = Mapping(
    "call",
    CALLS.name,
    "A call: Network Activity 4001. OCSF 1.x has an object `dce_rpc`, and a place for it in SMB Activity only: here it "
    "stands in `unmapped`.",
    (
        *base(NETWORK_ACTIVITY, "ts"),
        Field("activity_id", always=_TRAFFIC),
        Field("type_uid", always=NETWORK_ACTIVITY * 100 + _TRAFFIC),
        Field("severity_id", always=1),
        Field("metadata.uid", "call_uid"),
        Field("message", CALL_COLUMNS, call_sentence),
        Field("status_id", _OUTCOME, call_status),
        Field("status_code", ("status_name", "status", "fault_name", "fault"), result),
        *_ENDS,
        Field("dst_endpoint.svc_name", ("endpoint", "interface_uuid"), endpoint_name),
        Field("app_name", always="dce_rpc"),
        Field("unmapped.dce_rpc.command", ("operation", "opnum", "interface_uuid"), operation_name),
        Field("unmapped.dce_rpc.opnum", "opnum"),
        Field("unmapped.dce_rpc.rpc_interface.uuid", "interface_uuid"),
        Field("unmapped.dce_rpc.rpc_interface.version", "interface_version"),
        Field("unmapped.ts", "ts", iso),
        *(
            Field(f"unmapped.{column}", column)
            for column in (
                *("rtt_us", "username", "domain", "auth_type", "auth_level", "encrypted", "outcome", "decode_state"),
                *("request_frames", "response_frames", "capture_id"),
            )
        ),
    ),
    timed_by="ts",
)

FLOW: Final = Mapping(
    "connection",
    FLOWS.name,
    "A TCP connection: Network Activity 4001.",
    (
        *base(NETWORK_ACTIVITY, "first_ts"),
        Field("activity_id", "conn_state", activity),
        Field("type_uid", "conn_state", activity_type),
        Field("severity_id", always=1),
        Field("metadata.uid", "uid"),
        Field("message", ("id.orig_h", "id.resp_h", "id.resp_p", "conn_state"), connection_sentence),
        Field("start_time", "first_ts", millis),
        Field("end_time", "last_ts", millis),
        Field("duration", ("first_ts", "last_ts"), span_milliseconds),
        *_ENDS,
        Field("connection_info.flag_history", "history"),
        Field("traffic.bytes", ("orig_bytes", "resp_bytes"), summed),
        Field("traffic.bytes_out", "orig_bytes"),
        Field("traffic.bytes_in", "resp_bytes"),
        Field("traffic.bytes_missed", "missed_bytes"),
        Field("traffic.packets", ("orig_pkts", "resp_pkts"), summed),
        Field("traffic.packets_out", "orig_pkts"),
        Field("traffic.packets_in", "resp_pkts"),
        *(
            Field(f"unmapped.{column}", column)
            for column in ("conn_state", "starts_midstream", "tcp_stream", "interfaces", "capture_id")
        ),
    ),
    timed_by="first_ts",
)

FINDING: Final = Mapping(
    "finding",
    FINDINGS.name,
    "A finding: Detection Finding 2004.",
    (
        *base(DETECTION_FINDING, "ts"),
        Field("activity_id", always=1),
        Field("type_uid", always=DETECTION_FINDING * 100 + 1),
        Field("severity_id", "level", severity),
        Field("severity", "level"),
        Field("status_id", always=1),
        Field("count", "count"),
        Field("message", FINDING_COLUMNS, finding_sentence),
        Field("resources", "queue_name", queue_touched),
        Field("observables", "opened_for_username", person_behind),
        Field(
            "finding_info.uid",
            ("rule_id", "verdict", "ts_ns", "uid", "call_uid", "session_uid", "count", "evidence"),
            digest,
        ),
        Field("finding_info.title", "title"),
        Field("finding_info.desc", "spec"),
        Field("finding_info.types", ("verdict", "party"), both),
        Field("finding_info.first_seen_time", "ts", millis),
        Field("finding_info.analytic.uid", "rule_id"),
        Field("finding_info.analytic.type_id", always=1),
        Field("finding_info.attacks", "attack", attacks),
        Field(
            "evidences",
            ("id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p", "uid", "username", "domain", "evidence"),
            evidences,
        ),
        Field("unmapped.ts", "ts", iso),
        Field("unmapped.call_uid", "call_uid"),
        Field("unmapped.session_uid", "session_uid"),
        *(
            Field(f"unmapped.{column}", column)
            for column in ("named_by", "naming_doubt", "opened_for", "opened_for_username", "opened_for_domain")
        ),
    ),
    Condition("verdict", decided),
    timed_by="ts",
)

EVENTS: Final = (CALL, FLOW, SESSION, READ, ACTION, FINDING)
