"""Which clients hold an object: who was handed it or reached it, and who has it in a ping set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.com.numbers import MAX_OBJECTS

if TYPE_CHECKING:
    from pipelines.com.com_object import ComObject
    from pipelines.facts.model import CallFact

MAX_HOLDERS: Final = 64
"""Clients of one object told apart. Of one with more nobody says that all have let go."""


class PingSets:
    def __init__(self) -> None:
        self._held_by: dict[tuple[str, int], dict[str, ComObject]] = {}
        """By client and OID, then by id: those that may still be open. What ends some takes their entry away, so that
        no number of pings makes us look at an object more often than it was reached."""
        self._kept: dict[int, set[str]] = {}
        """By OID, of objects that nobody was seen to get yet: clients that keep it alive."""

    def hold(self, one: ComObject, *clients: str) -> None:
        for client in clients:
            if len(one.holders) >= MAX_HOLDERS and client not in one.holders:
                one.crowded = True
                continue
            one.holders.add(client)
            if one.oid is not None:
                self._held_by.setdefault((client, one.oid), {})[one.object_uid] = one

    def met(self, one: ComObject, oid: int) -> None:
        """Its number is known from now on."""
        self.hold(one, *self._kept.pop(oid, ()))

    def keep(self, oid: int, one: ComObject | None, client: str) -> None:
        """[MS-DCOM] 3.1.2.5.1.3: who has it in a ping set holds it, however that came to be."""
        if one is not None:
            self.hold(one, client)
        elif oid in self._kept or len(self._kept) < MAX_OBJECTS:
            self._kept.setdefault(oid, set()).add(client)

    def leave(self, oid: int, fact: CallFact) -> None:
        """[MS-DCOM] 3.1.2.5.1.3: no longer in the client's ping set. It is gone when it is in nobody's."""
        self._kept.get(oid, set()).discard(fact.client)
        for one in self._held_by.pop((fact.client, oid), {}).values():
            one.holders.discard(fact.client)
            if not (one.holders or one.crowded) and one.ended("unpinged", fact.until):
                one.touch(fact)

    def forget(self, one: ComObject) -> None:
        if one.oid is not None:
            for client in one.holders:
                self._held_by.get((client, one.oid), {}).pop(one.object_uid, None)
