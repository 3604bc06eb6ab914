"""How much of a run goes into its report: the file stays below a size, the browser never has more than it can show."""

from __future__ import annotations

from typing import Final

MAX_BYTES: Final = 20_000_000
"""Of the whole file: what mail systems and ticket systems take."""

BUDGETS: Final = {
    "calls": 3_700_000,
    "events": 3_000_000,
    "sessions": 3_000_000,
    "findings": 2_300_000,
    "questions": 300_000,
    "messages": 2_000_000,
    "objects": 500_000,
    "queues": 900_000,
    "touches": 700_000,
    "hosts": 400_000,
    "principals": 400_000,
    "acts": 900_000,
    "holes": 100_000,
    "issues": 300_000,
    "captures": 300_000,
    "gaps": 200_000,
    "rules": 300_000,
    "quality": 100_000,
    "overview": 200_000,
}
"""Bytes of each section as embedded. Their sum, with the page itself, stays below MAX_BYTES."""

MAX_ROWS: Final = {
    "findings": 20_000,
    "questions": 3_000,
    "sessions": 25_000,
    "messages": 10_000,
    "objects": 3_000,
    "queues": 5_000,
    "touches": 5_000,
    "hosts": 5_000,
    "principals": 5_000,
    "acts": 4_000,
    "holes": 2_000,
    "issues": 2_000,
    "captures": 2_000,
    "gaps": 500,
    "quality": 500,
}
"""Rows that are held while choosing; a section may have fewer, for its bytes."""

SESSIONS_WITH_FINDINGS: Final = 100_000
"""Sessions whose findings are counted."""
LADDERS: Final = 45_000
"""Calls told of all sessions together; the most telling sessions first."""
LADDER_CALLS: Final = 150
"""Calls of one session: more than anybody follows by eye."""
EVENTS: Final = {
    "finding": 9_000,
    "purge": 3_000,
    "admin": 5_000,
    "move": 3_000,
    "read": 12_000,
    "sent": 3_000,
    "query": 3_000,
}
"""Events of a kind on the timeline; where there are more, those alike and near in time become one."""
ACTS_MATCHED: Final = 300_000
"""Rows of a table of acts that findings are told with; where there are more, each finding has a line of its own."""
HOSTS_HELD: Final = 50_000
"""Addresses, or accounts, that are told apart while counting."""
TOUCHES_HELD: Final = 50_000
"""Pairs of who and which queue that are told apart while counting."""
NAMED_QUEUES: Final = 50_000
"""Queues whose names are known while sessions are looked at."""
SIGHTINGS_TOLD: Final = 12
"""Of one message."""
NAMES_TOLD: Final = 12
"""Of one queue or host."""
MEMBERS_TOLD: Final = 12
"""Of one COM object, those called most often."""
MEMBERS_HELD: Final = 200
"""Of one COM object, told apart while counting."""
FRAMES_TOLD: Final = 40
"""Of one request or response."""
VALUES_TOLD: Final = 16
"""Of one finding's evidence."""
TEXT: Final = 300
"""Characters of a text from the wire."""
VALUE: Final = 4_000
"""Characters of a value that an act set: a security descriptor has hundreds."""
CHANGES_SHOWN: Final = 40
"""Of one act, where it is shown whole."""
HOLES_OF_A_SESSION: Final = 20
"""Places of one ladder where something is missing."""
SESSIONS_IN_DOUBT: Final = 100_000
"""Sessions whose reads in doubt are counted."""
