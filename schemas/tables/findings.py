"""findings: what the rules have to say."""

from __future__ import annotations

from typing import TypedDict

import pyarrow as pa

from schemas.model import LONG, STRING, TIMESTAMP, Column, Table
from schemas.relations import Reference
from schemas.shared_columns import (
    CALL_UID,
    DOMAIN,
    FOR_WHOM,
    ID,
    NAMING,
    OF_CALL,
    OF_FLOW,
    OF_SESSION,
    SESSION_UID,
    UID,
    USERNAME,
    ConnectionId,
)
from schemas.vocabulary import LEVELS, PARTIES, REASONS

EVIDENCE = pa.struct(
    [
        pa.field("capture_id", STRING),
        pa.field("request_frames", pa.list_(LONG)),
        pa.field("response_frames", pa.list_(LONG)),
        pa.field("values", pa.list_(pa.struct([pa.field("name", STRING), pa.field("value", STRING)]))),
    ]
)

VERDICTS_MEAN = {
    "pass": "The rule was kept; only counted.",
    "violation": "The rule was broken, and the capture proves it.",
    "detection": "Something an investigator asks for; nobody is accused.",
    "not_decidable": "The capture does not show enough; `reason` says why.",
}

_REPORTED = tuple(verdict for verdict in VERDICTS_MEAN if verdict != "pass")


class EvidenceValue(TypedDict):
    name: str
    value: str


class Evidence(TypedDict):
    """The column `evidence`."""

    capture_id: str | None
    request_frames: list[int]
    response_frames: list[int]
    values: list[EvidenceValue]


class FindingRow(TypedDict):
    rule_id: str
    level: str | None
    verdict: str
    reason: str | None
    count: int
    party: str
    title: str
    spec: str
    ts: int | None
    ts_ns: int | None
    uid: str
    call_uid: str | None
    session_uid: str | None
    id: ConnectionId
    username: str | None
    domain: str | None
    opened_for: str | None
    opened_for_username: str | None
    opened_for_domain: str | None
    queue_name: str | None
    named_by: str | None
    naming_doubt: str | None
    attack: list[str]
    evidence: Evidence


FINDINGS = Table(
    "findings",
    "One verdict of a rule worth reading. Not decidable: one row a rule, reason and session or connection.",
    (
        Column("rule_id", STRING, "Rule; `mqtrail rules show ID` explains it.", required=True),
        Column(
            "level",
            STRING,
            "`informational`, `low`, `medium`, `high` or `critical`; null of what is not decidable: nothing was found.",
            values=LEVELS,
        ),
        Column("verdict", STRING, "`violation`, `detection` or `not_decidable`.", required=True, values=_REPORTED),
        Column(
            "reason",
            STRING,
            "Why it is not decidable; null otherwise. `mqtrail rules reasons` lists them.",
            values=REASONS,
        ),
        Column("count", LONG, "How often.", required=True, low=1),
        Column(
            "party",
            STRING,
            "Who must keep the rule: `client` or `server`; `nobody` for detections.",
            required=True,
            values=PARTIES,
        ),
        Column(
            "title",
            STRING,
            "What was found, in a sentence; of what is not decidable the question that stays open.",
            required=True,
        ),
        Column("spec", STRING, "Document and section.", required=True),
        Column("ts", TIMESTAMP, "Time of the first call concerned."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        CALL_UID.optional(),
        SESSION_UID.optional(),
        ID,
        USERNAME,
        DOMAIN,
        *FOR_WHOM,
        *NAMING,
        Column("attack", pa.list_(STRING), "ATT&CK technique ids.", required=True),
        Column(
            "evidence", EVIDENCE, "Frames of the first call concerned, and the values that prove it.", required=True
        ),
    ),
    no_key="A rule may have more than one thing to say about a call.",
    relations=(Reference("rule_id", "verdicts", "rule_id"), OF_FLOW, OF_CALL, OF_SESSION),
)


class VerdictRow(TypedDict):
    rule_id: str
    verdict: str
    reason: str | None
    count: int


VERDICTS = Table(
    "verdicts",
    "How often a rule was kept, broken, reported or not decidable in this run.",
    (
        Column("rule_id", STRING, "Rule; `mqtrail rules show ID` explains it.", required=True),
        Column(
            "verdict",
            STRING,
            "`pass`, `violation`, `detection` or `not_decidable`.",
            required=True,
            values=tuple(VERDICTS_MEAN),
        ),
        Column("reason", STRING, "Why it is not decidable; null otherwise.", values=REASONS),
        Column("count", LONG, "How often.", required=True, low=1),
    ),
    key=("rule_id", "verdict", "reason"),
)
