"""Calls of MSMQ's objects by what they mean, whichever revision of an interface they come by and however made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.interfaces.mqac.members import Meaning
from decoders.ndr.model import MemberKind
from decoders.registry import BY_NAME, REGISTRY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.com.object_calls import ObjectCall
    from pipelines.facts.com import Argument

_GENERIC: Final = {
    "ITransaction": "MSMQTransaction",
    "IConnectionPointContainer": "MSMQEvent",
    "IConnectionPoint": "ConnectionPoint",
}
"""Interfaces that objects of other makers have too, and what they are where an object of MSMQ's has them."""


class Resolved(NamedTuple):
    """A call of an object of MSMQ's."""

    meaning: Meaning
    endpoint: str
    """Interface of the member, of the first revision: the same however it was called."""
    arguments: Mapping[str, Argument]
    """Of the request, by the name that the IDL has. Those left out are not there."""
    result: Argument | None
    """None: nothing, or it was not captured."""


def resolved(called: ObjectCall, cls: str | None) -> Resolved | None:
    """`cls`: of the object. None: it is none of MSMQ's, or nobody knows which member was called."""
    said, com = called.said, called.com
    if said.meaning is not None:
        given = {one.name: one.given for one in said.arguments if one.name is not None and one.given is not None}
        return Resolved(said.meaning, _endpoint(said.meaning, called.iid), given, _something(com.returned))
    known = REGISTRY.get(called.iid or "")
    if known is None or cls is None or _GENERIC.get(known.name) != cls or called.call.operation is None:
        return None
    out = {one.name: one for one in com.arguments if one.direction == "out"}
    asked = {one.name: one for one in com.arguments if one.name is not None and one.name not in out}
    meaning = Meaning(cls, called.call.operation, MemberKind.METHOD)
    return Resolved(meaning, known.name, asked, _something(next(iter(out.values()), None)))


def _endpoint(meaning: Meaning, iid: str | None) -> str:
    """Of the class that declares the member."""
    name = f"I{meaning.object_class}"
    known = REGISTRY.get(iid or "")
    return known.name if known is not None and known.name.startswith("_") else name if name in BY_NAME else ""


def _something(result: Argument | None) -> Argument | None:
    empty = result is None or (result.value is None and result.number is None and result.reference is None)
    return None if empty else result
