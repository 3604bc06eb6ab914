"""All published tables, in the order in which people read them."""

from __future__ import annotations

from schemas.tables.accounting import ACCOUNTING
from schemas.tables.captures import CAPTURES
from schemas.tables.flows import FLOWS
from schemas.tables.issues import ISSUES
from schemas.tables.packets import PACKETS

TABLES = (CAPTURES, FLOWS, ISSUES, ACCOUNTING, PACKETS)
WRITTEN = (CAPTURES, FLOWS, ISSUES, ACCOUNTING)

__all__ = ["ACCOUNTING", "CAPTURES", "FLOWS", "ISSUES", "PACKETS", "TABLES", "WRITTEN"]
