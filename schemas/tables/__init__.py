"""All published tables, in the order in which people read them."""

from __future__ import annotations

from schemas.tables.accounting import ACCOUNTING
from schemas.tables.calls import CALLS
from schemas.tables.captures import CAPTURES
from schemas.tables.endpoints import ENDPOINTS
from schemas.tables.findings import FINDINGS, VERDICTS
from schemas.tables.flows import FLOWS
from schemas.tables.issues import ISSUES
from schemas.tables.packets import PACKETS
from schemas.tables.pdus import PDUS
from schemas.tables.reads import READS
from schemas.tables.sessions import SESSIONS
from schemas.tables.typed import TYPED

JUDGED = (SESSIONS, READS, FINDINGS)
"""Made from the others, server by server."""
WRITTEN = (CAPTURES, FLOWS, PDUS, CALLS, *TYPED.values(), ENDPOINTS, *JUDGED, VERDICTS, ISSUES, ACCOUNTING)
TABLES = (*WRITTEN, PACKETS)

__all__ = [
    "ACCOUNTING",
    "CALLS",
    "CAPTURES",
    "ENDPOINTS",
    "FINDINGS",
    "FLOWS",
    "ISSUES",
    "JUDGED",
    "PACKETS",
    "PDUS",
    "READS",
    "SESSIONS",
    "TABLES",
    "TYPED",
    "VERDICTS",
    "WRITTEN",
]
