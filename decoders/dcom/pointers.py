"""Object references in the decoded values of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.limits import MAX_WALKED_VALUES
from decoders.ndr.model import CutObjref, ObjrefBytes

if TYPE_CHECKING:
    from collections.abc import Iterator

_HOLDERS: Final = frozenset((dict, list, ObjrefBytes, CutObjref))
"""Most values are numbers and text: they are not looked at again."""


def interface_pointers(value: object) -> Iterator[bytes]:
    """OBJREFs of interface pointers and of MInterfacePointers that are declared as such, in the order of the values."""
    waiting: list[object] = [value]
    left = MAX_WALKED_VALUES
    while waiting and left:
        left -= 1
        one = waiting.pop()
        if isinstance(one, ObjrefBytes):
            yield one
        elif isinstance(one, dict):
            data = one.get("abData")
            if isinstance(data, bytes):
                yield data
            else:
                waiting.extend(inner for inner in reversed(one.values()) if type(inner) in _HOLDERS)
        elif isinstance(one, list):
            waiting.extend(inner for inner in reversed(one[:left]) if type(inner) in _HOLDERS)
