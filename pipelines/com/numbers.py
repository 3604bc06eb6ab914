"""Objects by the numbers that calls and references name them by. Processes deal numbers again, and each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.com.com_object import ComObject
    from pipelines.facts.com import Reference

MAX_OBJECTS: Final = 50_000
"""Remembered of a server. A client in a loop makes thousands; the oldest ones are told and forgotten then."""


class Numbers:
    def __init__(self) -> None:
        self._by_number: dict[tuple[int, int, int], ComObject] = {}
        """By OXID, which process of that number it is, and OID."""
        self._of_oid: dict[int, ComObject] = {}
        self._by_ipid: dict[str, ComObject] = {}
        """The latest one."""
        self._elder: dict[tuple[str, int], ComObject] = {}
        """[MS-DCOM] 1.1: an IPID is unique within an exporter. By IPID and port, one of whose IPID another has."""
        self._dealt: dict[int, int] = {}
        """OXIDs that came to another process, and how often."""

    def of_ipid(self, ipid: str, port: int | None = None) -> ComObject | None:
        """`port`: of the process that has it; otherwise it is the latest."""
        return (self._elder.get((ipid, port)) if port else None) or self._by_ipid.get(ipid)

    def of_oid(self, oid: int) -> ComObject | None:
        return self._of_oid.get(oid)

    def of_reference(self, reference: Reference) -> ComObject | None:
        return self._by_number.get((reference.oxid, self.dealt(reference.oxid), reference.oid))

    def dealt(self, oxid: int) -> int:
        return self._dealt.get(oxid, 0)

    def deal_again(self, oxid: int) -> None:
        """It is another process from now on."""
        self._dealt[oxid] = self.dealt(oxid) + 1

    def number(self, one: ComObject, oxid: int, oid: int) -> None:
        one.dealt = self.dealt(oxid)
        self._by_number[oxid, one.dealt, oid] = self._of_oid[oid] = one

    def lead(self, ipid: str, one: ComObject) -> ComObject | None:
        """From now on the IPID is of this one, but for calls to another process that has the same.

        Told is whom nothing leads to any more: one that was called before another interface told its number.
        """
        before = self._by_ipid.get(ipid)
        self._by_ipid[ipid] = one
        if before is None or before is one:
            return None
        if one.port is not None:
            self._elder.pop((ipid, one.port), None)
            if before.port not in (None, one.port) and before.oxid is not None and len(self._elder) < MAX_OBJECTS:
                self._elder[ipid, before.port or 0] = before
                return None
        return before if before.oid is None else None

    def drop_oldest(self) -> ComObject | None:
        """Where there is one too many."""
        if max(len(self._by_ipid), len(self._by_number)) <= MAX_OBJECTS:
            return None
        if len(self._by_number) > len(self._by_ipid):
            one = next(iter(self._by_number.values()))
        else:
            # Of which interface an IPID is may not be known.
            ipid, one = next(iter(self._by_ipid.items()))
            del self._by_ipid[ipid]
        for ipid in one.interfaces:
            if self._by_ipid.get(ipid) is one:
                del self._by_ipid[ipid]
            if self._elder.get((ipid, one.port or 0)) is one:
                del self._elder[ipid, one.port or 0]
        if one.oxid is not None and one.oid is not None:
            self._by_number.pop((one.oxid, one.dealt, one.oid), None)
            if self._of_oid.get(one.oid) is one:
                del self._of_oid[one.oid]
        return one

    def all(self) -> Iterable[ComObject]:
        """Some of them more than once."""
        return (*self._by_ipid.values(), *self._by_number.values(), *self._elder.values())
