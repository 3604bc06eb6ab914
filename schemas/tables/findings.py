"""findings: what the rules have to say."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import LONG, STRING, TIMESTAMP, Column, Table
from schemas.shared_columns import CALL_UID, ID, SESSION_UID, UID

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

FINDINGS = Table(
    "findings",
    "One verdict of a rule worth reading. Not decidable: one row a rule, reason and session or connection.",
    (
        Column("rule_id", STRING, "Rule; `mqtrail rules show ID` explains it."),
        Column("level", STRING, "`informational`, `low`, `medium`, `high` or `critical`."),
        Column("verdict", STRING, "`violation`, `detection` or `not_decidable`."),
        Column("reason", STRING, "Why it is not decidable; null otherwise. `mqtrail rules reasons` lists them."),
        Column("count", LONG, "How often."),
        Column("party", STRING, "Who must keep the rule: `client` or `server`; `nobody` for detections."),
        Column("title", STRING, "What was found, in a sentence."),
        Column("spec", STRING, "Document and section."),
        Column("ts", TIMESTAMP, "Time of the first call concerned."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        CALL_UID,
        SESSION_UID,
        ID,
        Column("username", STRING, "Account in the connection's NTLM authentication; claimed, not proven."),
        Column("attack", pa.list_(STRING), "ATT&CK technique ids."),
        Column("evidence", EVIDENCE, "Frames of the first call concerned, and the values that prove it."),
    ),
)

VERDICTS = Table(
    "verdicts",
    "How often a rule was kept, broken, reported or not decidable in this run.",
    (
        Column("rule_id", STRING, "Rule; `mqtrail rules show ID` explains it."),
        Column("verdict", STRING, "`pass`, `violation`, `detection` or `not_decidable`."),
        Column("reason", STRING, "Why it is not decidable; null otherwise."),
        Column("count", LONG, "How often."),
    ),
)
