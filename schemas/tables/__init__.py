"""All published tables, in the order in which people read them."""

from __future__ import annotations

from schemas.tables.accounting import ACCOUNTING
from schemas.tables.admin_actions import ADMIN_ACTIONS
from schemas.tables.calls import CALLS
from schemas.tables.captures import CAPTURES
from schemas.tables.com_calls import COM_CALLS
from schemas.tables.com_objects import COM_OBJECTS
from schemas.tables.endpoints import ENDPOINTS
from schemas.tables.findings import FINDINGS, VERDICTS
from schemas.tables.flows import FLOWS
from schemas.tables.hosts import HOSTS
from schemas.tables.issues import ISSUES
from schemas.tables.messages import MESSAGES, SIGHTINGS
from schemas.tables.moves import MOVES
from schemas.tables.packets import PACKETS
from schemas.tables.pdus import PDUS
from schemas.tables.principals import PRINCIPALS
from schemas.tables.queues import QUEUES
from schemas.tables.reads import READS
from schemas.tables.rejections import REJECTIONS
from schemas.tables.sends import SENDS
from schemas.tables.sessions import SESSIONS
from schemas.tables.transactions import TRANSACTIONS
from schemas.tables.typed import TYPED

JUDGED = (SESSIONS, READS, SENDS, MOVES, REJECTIONS, TRANSACTIONS, ADMIN_ACTIONS, COM_OBJECTS, COM_CALLS, FINDINGS)
"""Made from the others, server by server."""
OVERALL = (HOSTS, QUEUES, VERDICTS)
"""Made of what is known of all servers; small, and written anew by every run."""
WRITTEN = (
    CAPTURES,
    FLOWS,
    PDUS,
    PRINCIPALS,
    CALLS,
    *TYPED.values(),
    ENDPOINTS,
    *JUDGED,
    SIGHTINGS,
    MESSAGES,
    *OVERALL,
    ISSUES,
    ACCOUNTING,
)
TABLES = (*WRITTEN, PACKETS)

__all__ = [
    "ACCOUNTING",
    "ADMIN_ACTIONS",
    "CALLS",
    "CAPTURES",
    "COM_CALLS",
    "COM_OBJECTS",
    "ENDPOINTS",
    "FINDINGS",
    "FLOWS",
    "HOSTS",
    "ISSUES",
    "JUDGED",
    "MESSAGES",
    "MOVES",
    "OVERALL",
    "PACKETS",
    "PDUS",
    "PRINCIPALS",
    "QUEUES",
    "READS",
    "REJECTIONS",
    "SENDS",
    "SESSIONS",
    "SIGHTINGS",
    "TABLES",
    "TRANSACTIONS",
    "TYPED",
    "VERDICTS",
    "WRITTEN",
]
