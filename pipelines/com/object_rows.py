"""One row an object: ids of rows, and objects whose row must be told before the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.com.com_object import ComObject
    from pipelines.facts.model import CallFact


class ObjectRows:
    def __init__(self, server: str) -> None:
        self._server = server
        self._forgotten: list[ComObject] = []
        """Those that nothing leads to any more, until they are told."""
        self._told: set[int] = set()
        """Their ids, hashed: whatever bears the same numbers later is another row."""

    def uid(self, numbers: str, fact: CallFact) -> str:
        uid = derived_uid("O", f"{self._server}|{numbers}")
        return derived_uid("O", f"{uid}|{fact.call_uid}") if hash(uid) in self._told else uid

    def is_told(self, one: ComObject) -> bool:
        return hash(one.object_uid) in self._told

    def forget(self, one: ComObject) -> None:
        if not self.is_told(one):
            self._told.add(hash(one.object_uid))
            self._forgotten.append(one)

    def forgotten(self) -> list[ComObject]:
        """Since it was asked last."""
        forgotten, self._forgotten = self._forgotten, []
        return forgotten
