"""What the machine of objects tells stories of: calls of objects, and objects that are given back or forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from pipelines.com.called import Called
    from pipelines.com.com_object import ComObject
    from pipelines.com.sight import ComPair
    from pipelines.facts.com import Com
    from pipelines.facts.model import CallFact


class ObjectCall(Struct, eq=False, kw_only=True):
    """A call of an object, told when it is asked."""

    object: ComObject
    call: CallFact
    com: Com
    iid: str | None
    """Interface that the call is of: as its bind says, or the object where no bind was seen."""
    said: Called
    """What was done, by which member."""
    pair: ComPair


class Gone(Struct, eq=False):
    """Nothing leads to the object any more: the machine forgets it."""

    object: ComObject


class Released(Struct, eq=False):
    """The last reference that was seen was given back. Somebody who has one out of sight may call it all the same."""

    object: ComObject
