"""What a run makes void of what earlier runs, and its own earlier rounds, had written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pipelines.messages.exchange import SOURCES, Source
from pipelines.messages.touched import Touched, touched_messages
from pipelines.store.files import StoredFile
from pipelines.store.removal import NotAmong, NotIssues, NotSighted, Without
from schemas.tables import ACCOUNTING, CAPTURES, COM_OBJECTS, ISSUES, JUDGED, MESSAGES, OVERALL, SIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipelines.engine.model import Engine
    from pipelines.store.base import Base
    from pipelines.store.files import WrittenFile
    from pipelines.store.places import Places
    from pipelines.store.removal import Held, Keeps, Removal

_JUDGED: Final = frozenset(table.name for table in JUDGED)
_SERVER: Final = {COM_OBJECTS.name: "exporter.host"}
"""Which column says at which server a row was judged, where it is not that of a connection."""
_WHOLE: Final = frozenset(table.name for table in (CAPTURES, ACCOUNTING, MESSAGES, *OVERALL))
"""Tables of which rows go in another way, or none."""


@dataclass(frozen=True)
class Void:
    """What holds no longer."""

    connections: frozenset[str] = frozenset()
    """Whose rows go, by uid."""
    servers: frozenset[str] = frozenset()
    """Judged anew."""
    issues: frozenset[tuple[str, int | None, str]] = frozenset()
    """(capture_id, frame, code)"""
    files: frozenset[str] = frozenset()
    """Files of the base of which nothing stays, by path."""


@dataclass(frozen=True)
class Corrections:
    base: Base
    void: Void
    facts: Sequence[Held]
    """Of the base, with what holds of them."""
    fresh: Sequence[WrittenFile]
    """Files of tables that this run wrote and that hold."""
    reread: Sequence[Removal] = ()
    """Files of this run with rows of connections that were read again."""
    root: str = ""

    def touched(self, engine: Engine, places: Places) -> Touched:
        """Messages whose earlier rows are void: something that was said of them goes, or something new is said."""
        if not self.base.tables:
            return Touched()
        void = [
            file
            for name in SOURCES
            for file in self.base.tables.get(name, ())
            if file.written.path in self.void.files and file.written.rows
        ]
        new = [(one.stored, one.keeps) for one in self._fresh_sources]
        earlier = [(file, keeps) for file, keeps in self._of_tables if file.written.table in SOURCES]
        return touched_messages(engine, new, earlier, void, self._staying(MESSAGES.name), places)

    def message_sources(self, touched: Touched) -> list[Source]:
        earlier = [
            Source(file, keeps, Without(others))
            for file, keeps in self._of_tables
            if file.written.table in SOURCES and (others := touched.others(file)) is not None
        ]
        return [*self._fresh_sources, *earlier]

    def files(self, touched: Touched) -> list[Held]:
        """Of this run and of the base, with what holds of each. Those of which nothing does are not among them."""
        return [
            *((StoredFile(self.root, one), None) for one in self.fresh),
            *((one.file, one.keeps) for one in self.reread),
            *self._of_tables,
            *((file, touched.others(file)) for file in self._staying(MESSAGES.name)),
            *((file, None) for file in self._staying(CAPTURES.name)),
            *self.facts,
        ]

    @cached_property
    def _of_tables(self) -> list[Held]:
        """Other than those in which whole messages go."""
        return [
            (file, keeps)
            for name in self.base.tables
            if name not in _WHOLE
            for keeps in (self._keeps(name),)
            for file in self._staying(name)
        ]

    def _staying(self, name: str) -> list[StoredFile]:
        files = self.base.tables.get(name, ())
        return [file for file in files if file.written.rows and file.written.path not in self.void.files]

    def _keeps(self, table: str) -> Keeps | None:
        void = self.void
        if table in _JUDGED:
            return NotAmong(_SERVER.get(table, "id.resp_h"), void.servers) if void.servers else None
        if table == SIGHTINGS.name and (void.connections or void.servers):
            return NotSighted(NotAmong("uid", void.connections), NotAmong("id.resp_h", void.servers))
        if table == ISSUES.name:
            return NotIssues(void.issues, void.connections) if void.issues or void.connections else None
        return NotAmong("uid", void.connections) if void.connections else None

    @property
    def _fresh_sources(self) -> list[Source]:
        whole = [Source(StoredFile(self.root, one)) for one in self.fresh if one.table in SOURCES]
        return whole + [Source(one.file, one.keeps) for one in self.reread if one.file.written.table in SOURCES]


def counted(written: Iterable[WrittenFile]) -> dict[tuple[str, str, str], int]:
    """What the accounting says of rows, by what was written: rows lost on the way would show."""
    counts: dict[tuple[str, str, str], int] = {}
    for one in written:
        for count in one.counts:
            place = count["capture_id"], count["stage"], count["counter"]
            counts[place] = counts.get(place, 0) + count["value"]
    return counts
