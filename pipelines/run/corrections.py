"""What a run makes void of what earlier runs, and its own earlier rounds, had written."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pipelines.messages.exchange import SOURCES, Source, message_uids
from pipelines.store.files import Stored
from pipelines.store.removal import NotAmong, NotIssues, Removal
from schemas.internal import FACTS
from schemas.tables import ACCOUNTING, CAPTURES, ISSUES, JUDGED, MESSAGES, OVERALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipelines.store.base import Base
    from pipelines.store.files import Written
    from pipelines.store.removal import Keeps, Removed

_JUDGED: Final = frozenset(table.name for table in JUDGED)
_WHOLE: Final = frozenset(table.name for table in (CAPTURES, ACCOUNTING, MESSAGES, *OVERALL))
"""Tables of which rows go in another way, or none."""


@dataclass(frozen=True)
class Void:
    """What holds no longer."""

    connections: frozenset[str] = frozenset()
    """Whose rows go, by uid."""
    facts: frozenset[str] = frozenset()
    """Connections whose facts go."""
    servers: frozenset[str] = frozenset()
    """Judged anew."""
    issues: frozenset[tuple[str, int | None, str]] = frozenset()
    """(capture_id, frame, code)"""
    files: frozenset[str] = frozenset()
    """Files of the base of which nothing stays, by path."""


@dataclass(frozen=True)
class SortedFiles:
    """What became of files that might lose rows."""

    kept: list[Stored] = field(default_factory=list)
    """Of the base, as they are."""
    written: list[Written] = field(default_factory=list)


@dataclass(frozen=True)
class Corrections:
    base: Base
    void: Void
    fresh: Sequence[Written]
    """Files of tables that this run wrote and that hold."""
    reread: Sequence[Removal] = ()
    """Files of this run with rows of connections that were read again."""
    root: str = ""

    @cached_property
    def removals(self) -> list[Removal]:
        """All rows that must go, those of messages among them."""
        of_base = [Removal(file, keeps) for file, keeps in self._of_base if keeps is not None]
        return [*self.reread, *of_base]

    @cached_property
    def _of_base(self) -> list[tuple[Stored, Keeps | None]]:
        """Files of the base of which something may stay, with what does; None: all of it."""
        of_messages = NotAmong("message_uid", self.messages) if self.messages else None
        of_facts = NotAmong("uid", self.void.facts) if self.void.facts else None
        found = [*self._of_tables, *((file, of_messages) for file in self._staying(MESSAGES.name))]
        return found + [(file, of_facts) for file in self.base.state.get(FACTS.name, ())]

    @cached_property
    def _of_tables(self) -> list[tuple[Stored, Keeps | None]]:
        """Other than those in which whole messages go."""
        return [
            (file, keeps)
            for name in self.base.tables
            if name not in _WHOLE
            for keeps in (self._keeps(name),)
            for file in self._staying(name)
        ]

    def _staying(self, name: str) -> list[Stored]:
        files = self.base.tables.get(name, ())
        return [file for file in files if file.written.rows and file.written.path not in self.void.files]

    def _keeps(self, table: str) -> Keeps | None:
        void = self.void
        if table in _JUDGED:
            return NotAmong("id.resp_h", void.servers) if void.servers else None
        if table == ISSUES.name:
            return NotIssues(void.issues, void.connections) if void.issues or void.connections else None
        return NotAmong("uid", void.connections) if void.connections else None

    @cached_property
    def messages(self) -> frozenset[str]:
        """Those whose earlier rows are void: something that was said of them goes, or something new is said."""
        if not self.base.tables:
            return frozenset()
        new = {uid for one in self._fresh_sources for uid, _ in message_uids(one.stored, one.keeps, gone=False)}
        touched: set[str] = set()
        for file, keeps in self._of_tables:
            if file.written.table in SOURCES:
                touched.update(uid for uid, goes in message_uids(file, keeps, gone=True) if goes or uid in new)
        for files in self.base.tables.values():
            for file in files:
                if file.written.path in self.void.files and file.written.table in SOURCES and file.written.rows:
                    touched.update(uid for uid, _ in message_uids(file, None, gone=False))
        return frozenset(touched)

    @property
    def message_sources(self) -> list[Source]:
        earlier = [
            Source(file, keeps, self.messages)
            for file, keeps in self._of_tables
            if self.messages and file.written.table in SOURCES
        ]
        return [*self._fresh_sources, *earlier]

    @property
    def _fresh_sources(self) -> list[Source]:
        whole = [Source(Stored(self.root, one)) for one in self.fresh if one.table in SOURCES]
        return whole + [Source(one.file, one.keeps) for one in self.reread if one.file.written.table in SOURCES]

    def sort(self, removed: Iterable[Removed]) -> SortedFiles:
        found = SortedFiles([file for file, keeps in self._of_base if keeps is None])
        for one in removed:
            if one.written is not None:
                found.written.append(one.written)
            elif one.kept and one.file.root == self.root:
                found.written.append(one.file.written)
            elif one.kept:
                found.kept.append(one.file)
        return found


def counted(written: Iterable[Written]) -> dict[tuple[Any, str, Any], int]:
    """What the accounting says of rows, by what was written: rows lost on the way would show."""
    counts: dict[tuple[Any, str, Any], int] = {}
    for one in written:
        for count in one.counts:
            place = count["capture_id"], count["stage"], count["counter"]
            counts[place] = counts.get(place, 0) + count["value"]
    return counts
