"""Members of objects by their numbers, as the wire tells them: GetIDsOfNames, and descriptions that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.com.objects import ComObject
    from pipelines.facts.com import Com, Invoked, Kind

TYPE_INFO: Final = "00020401-0000-0000-c000-000000000046"
MAX_MEMBERS: Final = 4_096
"""Remembered of a class."""
_KINDS: Final[Mapping[int, Kind]] = {1: "method", 2: "get", 3: "method_or_get", 4: "put", 8: "putref", 12: "putref"}
_KIND_BITS: Final = 0xF
_DISPID_UNKNOWN: Final = -1


def kind_of(invoked: Invoked) -> Kind | None:
    """[MS-OAUT] 3.1.4.4 wants exactly one; PowerShell sends method and get together."""
    return _KINDS.get(invoked.flags & _KIND_BITS)


class Members:
    def __init__(self) -> None:
        self._of_class: dict[str, dict[int, str]] = {}

    def note(self, one: ComObject, com: Com) -> None:
        """The first name is the member's; further ones are its arguments', which count apart."""
        if not (com.names and com.dispids) or com.dispids[0] == _DISPID_UNKNOWN:
            return
        # A description was handed out by the object that it describes.
        described = [one, one.parent] if com.iid == TYPE_INFO and one.parent is not None else [one]
        for known in (table for each in described for table in self._tables(each)):
            if len(known) < MAX_MEMBERS:
                known.setdefault(com.dispids[0], com.names[0])

    def name(self, one: ComObject, dispid: int) -> str | None:
        return next((known[dispid] for known in self._tables(one) if dispid in known), None)

    def _tables(self, one: ComObject) -> list[dict[int, str]]:
        """Objects of one class have the same members; one whose class is not known speaks for itself."""
        found = [one.names]
        if one.clsid is not None:
            found.append(self._of_class.setdefault(one.clsid, {}))
        return found
