"""What can be wrong with a stub, as values: a stub never makes a decoder raise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple


@dataclass(frozen=True, slots=True)
class Problem:
    code: str
    path: str
    """The member concerned, e.g. `apVar[3]._varUnion.capropvar.pElems[0].vt`; empty for the stub as a whole."""
    offset: int
    """In bytes from the start of the stub."""
    detail: str


class Consequence(NamedTuple):
    stops: bool
    """Nothing after this place was decoded, because where it begins is not known."""
    meaning: str


PROBLEMS: Final = {
    "ndr-truncated": Consequence(True, "The stub ends before this value does."),
    "ndr-unknown-tag": Consequence(True, "The union has no arm for the tag on the wire."),
    "ndr-too-deep": Consequence(True, "Referents are nested deeper than the limit."),
    "ndr-too-large": Consequence(True, "The stub yields more values than the limit."),
    "ndr-union-tag-differs": Consequence(False, "The tag differs from the switch_is member; the tag chose the arm."),
    "ndr-count-differs": Consequence(False, "A count differs from its size_is or length_is; the count was used."),
    "ndr-bounds": Consequence(False, "The offset is not 0, or offset and actual count exceed the maximum."),
    "ndr-range": Consequence(False, "The value is outside the range the IDL gives."),
    "ndr-enum": Consequence(False, "The value is not a member of the enumeration."),
    "ndr-string-unterminated": Consequence(False, "The last character of the string is not a null character."),
    "ndr-null-reference": Consequence(False, "NDR64: an embedded reference pointer is null; its referent was read."),
    "ndr-alias": Consequence(
        False, "A full pointer repeats an id that cannot mean the same object; it was read by itself or left out."
    ),
    "ndr-trailing-bytes": Consequence(False, "Bytes follow the last parameter."),
    "ndr-problems-omitted": Consequence(False, "There were more problems than the limit; the rest was counted only."),
}
"""Reported in the order they were met. The rules are those of [MS-RPCE] 3.1.1.5.3 where it has one."""
