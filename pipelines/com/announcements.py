"""What object resolvers told each client of server processes: their versions of DCOM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pipelines.facts.com import Exporter
    from pipelines.facts.model import CallFact

MAX_ANNOUNCEMENTS: Final = 50_000


@dataclass(slots=True)
class Announcement:
    version: tuple[int, int] | None
    """None: nobody said it, or it was told in several ways."""


class Announcements:
    def __init__(self) -> None:
        self._known: dict[tuple[str, int | str], Announcement] = {}
        """By client, and by OXID or the IPID of the Remote Unknown."""

    def note(self, exporter: Exporter, fact: CallFact) -> None:
        for key in (exporter.oxid, exporter.remote_unknown):
            known = self._known.get((fact.client, key))
            if known is None:
                if len(self._known) >= MAX_ANNOUNCEMENTS:
                    del self._known[next(iter(self._known))]
                self._known[fact.client, key] = Announcement(exporter.version)
            elif known.version != exporter.version:
                known.version = None

    def of(self, client: str, key: int | str) -> Announcement | None:
        return self._known.get((client, key))
