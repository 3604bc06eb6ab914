"""Elastic Common Schema. What it has no field for stands below `msmq`. Sessions, reads and acts are in `ecs_acts`."""

from __future__ import annotations

from typing import Final

from schemas.exports.converters import (
    both,
    call_outcome,
    decided,
    endpoint_name,
    in_nanoseconds,
    iso,
    operation_name,
    some,
    span_nanoseconds,
    subtechniques,
    summed,
    techniques,
)
from schemas.exports.ecs_acts import ACTION, READ, SESSION
from schemas.exports.ecs_parts import NETWORK, UID, WHO_AND_WHERE, base
from schemas.exports.model import Condition, Field, Mapping
from schemas.exports.sentences import (
    CALL_COLUMNS,
    FINDING_COLUMNS,
    call_sentence,
    connection_sentence,
    finding_sentence,
)
from schemas.tables import CALLS, FINDINGS, FLOWS
from schemas.vocabulary import LEVELS

_TYPES: Final = {
    **dict.fromkeys(("S0", "S1"), ("connection", "start")),
    "SF": ("connection", "start", "end"),
    "REJ": ("connection", "start", "denied"),
}
"""As Elastic's own module for Zeek has them."""


def flow_types(conn_state: str) -> list[str]:
    """`connection`, with `start`, `end`, `denied` or `info` as the state of the connection says."""
    return list(_TYPES.get(conn_state, ("connection", "info")))


def severity(level: str) -> int:
    """1 `informational` to 5 `critical`."""
    return LEVELS.index(level) + 1


def framework(attack: list[str]) -> str | None:
    """`MITRE ATT&CK` where there are techniques."""
    return "MITRE ATT&CK" if attack else None


CALL: Final = Mapping(
    "call",
    CALLS.name,
    "A call.",
    (
        Field("@timestamp", "ts", iso),
        *base("rpc", "event", ["network"]),
        Field("event.type", always=["connection", "protocol", "info"]),
        Field("event.id", "call_uid"),
        Field("event.action", ("operation", "opnum", "interface_uuid"), operation_name),
        Field("event.outcome", ("outcome", "status", "fault", "endpoint", "decode_state"), call_outcome),
        Field("event.duration", "rtt_us", in_nanoseconds),
        Field("message", CALL_COLUMNS, call_sentence),
        *NETWORK,
        Field("network.community_id", "community_id"),
        Field("user.name", "username"),
        Field("user.domain", "domain"),
        Field("related.user", "username", both),
        UID,
        Field("msmq.rpc.endpoint", ("endpoint", "interface_uuid"), endpoint_name),
        *(
            Field(f"msmq.rpc.{column}", column)
            for column in (
                *("interface_uuid", "interface_version", "opnum", "call_id", "transfer_syntax", "auth_type"),
                *("auth_level", "encrypted", "outcome", "status", "status_name", "fault", "fault_name"),
                *("decode_state", "request_bytes", "response_bytes", "request_frames", "response_frames"),
            )
        ),
        Field("msmq.capture_id", "capture_id"),
    ),
    timed_by="ts",
)

FLOW: Final = Mapping(
    "connection",
    FLOWS.name,
    "A TCP connection.",
    (
        Field("@timestamp", "first_ts", iso),
        *base("connection", "event", ["network"]),
        Field("event.type", "conn_state", flow_types),
        Field("event.id", "uid"),
        Field("message", ("id.orig_h", "id.resp_h", "id.resp_p", "conn_state"), connection_sentence),
        Field("event.start", "first_ts", iso),
        Field("event.end", "last_ts", iso),
        Field("event.duration", ("first_ts", "last_ts"), span_nanoseconds),
        *NETWORK,
        Field("network.community_id", "community_id"),
        Field("network.bytes", ("orig_bytes", "resp_bytes"), summed),
        Field("network.packets", ("orig_pkts", "resp_pkts"), summed),
        *(
            Field(f"{name}.{count}", f"{side}_{short}")
            for name, side in (("source", "orig"), ("destination", "resp"), ("client", "orig"), ("server", "resp"))
            for count, short in (("bytes", "bytes"), ("packets", "pkts"))
        ),
        UID,
        *(
            Field(f"msmq.connection.{column}", column)
            for column in ("conn_state", "history", "missed_bytes", "starts_midstream", "tcp_stream", "interfaces")
        ),
        Field("msmq.capture_id", "capture_id"),
    ),
    timed_by="first_ts",
)

FINDING: Final = Mapping(
    "finding",
    FINDINGS.name,
    "A finding.",
    (
        Field("@timestamp", "ts", iso),
        *base("finding", "alert", ["network", "intrusion_detection"]),
        Field("event.type", always=["info"]),
        Field("event.severity", "level", severity),
        Field("message", FINDING_COLUMNS, finding_sentence),
        Field("rule.id", "rule_id"),
        Field("rule.name", "title"),
        Field("rule.category", "verdict"),
        Field("rule.ruleset", always="mqtrail"),
        Field("threat.framework", "attack", framework),
        Field("threat.technique.id", "attack", techniques),
        Field("threat.technique.subtechnique.id", "attack", subtechniques),
        *WHO_AND_WHERE,
        UID,
        *(
            Field(f"msmq.finding.{column}", column)
            for column in ("level", "spec", "party", "count", "call_uid", "session_uid")
        ),
        Field("msmq.finding.request_frames", "evidence.request_frames", some),
        Field("msmq.finding.response_frames", "evidence.response_frames", some),
        Field("msmq.finding.values", "evidence.values", some),
        Field("msmq.capture_id", "evidence.capture_id"),
    ),
    Condition("verdict", decided),
    timed_by="ts",
)

DOCUMENTS: Final = (CALL, FLOW, SESSION, READ, ACTION, FINDING)
