"""Members of objects by their numbers, as the wire tells them: GetIDsOfNames, and descriptions that were read.

[MS-OAUT] 3.1.4.3: each interface of an object has numbers of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.oaut.types import IID_IDISPATCH
from pipelines.com.answers import done

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.com.com_object import ComObject, Names
    from pipelines.facts.com import Com, Invoked, Kind
    from pipelines.facts.model import CallFact

TYPE_INFO: Final = "00020401-0000-0000-c000-000000000046"
MAX_MEMBERS: Final = 4_096
"""Remembered of a class."""
_KINDS: Final[Mapping[int, Kind]] = {1: "method", 2: "get", 3: "method_or_get", 4: "put", 8: "putref", 12: "putref"}
_KIND_BITS: Final = 0xF
_DISPID_UNKNOWN: Final = -1
_DISP_E_UNKNOWNNAME: Final = 0x8002_0006
"""Names that are known have their numbers all the same."""


def kind_of(invoked: Invoked) -> Kind | None:
    """[MS-OAUT] 3.1.4.4 wants exactly one; PowerShell sends method and get together."""
    return _KINDS.get(invoked.flags & _KIND_BITS)


class Members:
    def __init__(self) -> None:
        self._of_class: dict[str, Names] = {}

    def note(self, one: ComObject, fact: CallFact, com: Com) -> None:
        """The first name is the member's; further ones are its arguments', which count apart."""
        if not (com.names and com.dispids) or com.dispids[0] == _DISPID_UNKNOWN:
            return
        if not done(fact) and (fact.status or 0) & 0xFFFF_FFFF != _DISP_E_UNKNOWNNAME:
            return
        told = [(one, com.iid)]
        if com.iid == TYPE_INFO and one.parent is not None:
            # [MS-OAUT] 3.1.4.2: a description is of the default interface of the object that handed it out.
            told += [(one.parent, iid) for iid in {IID_IDISPATCH, one.given_over or IID_IDISPATCH}]
        for each, iid in told:
            for known in self._tables(each):
                for key, name in _told(iid, com):
                    if len(known) < MAX_MEMBERS:
                        known.setdefault(key, name)

    def name(self, one: ComObject, iid: str | None, dispid: int, argument: int | None = None) -> str | None:
        """Of a member; of one of its arguments."""
        key = iid or "", dispid, argument
        return next((known[key] for known in self._tables(one) if key in known), None)

    def _tables(self, one: ComObject) -> list[Names]:
        """Objects of one class have the same members; one whose class is not known speaks for itself."""
        found = [one.names]
        if one.clsid is not None:
            found.append(self._of_class.setdefault(one.clsid, {}))
        return found


def _told(iid: str, com: Com) -> Iterator[tuple[tuple[str, int, int | None], str]]:
    yield (iid, com.dispids[0], None), com.names[0]
    for number, name in zip(com.dispids[1:], com.names[1:], strict=False):
        if number != _DISPID_UNKNOWN:
            yield (iid, com.dispids[0], number), name
