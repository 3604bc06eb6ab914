"""All published tables, in the order in which people read them."""

from __future__ import annotations

from schemas.tables.accounting import ACCOUNTING
from schemas.tables.calls import CALLS
from schemas.tables.captures import CAPTURES
from schemas.tables.endpoints import ENDPOINTS
from schemas.tables.flows import FLOWS
from schemas.tables.issues import ISSUES
from schemas.tables.packets import PACKETS
from schemas.tables.pdus import PDUS
from schemas.tables.typed import TYPED

WRITTEN = (CAPTURES, FLOWS, PDUS, CALLS, *TYPED.values(), ENDPOINTS, ISSUES, ACCOUNTING)
TABLES = (*WRITTEN, PACKETS)

__all__ = [
    "ACCOUNTING",
    "CALLS",
    "CAPTURES",
    "ENDPOINTS",
    "FLOWS",
    "ISSUES",
    "PACKETS",
    "PDUS",
    "TABLES",
    "TYPED",
    "WRITTEN",
]
