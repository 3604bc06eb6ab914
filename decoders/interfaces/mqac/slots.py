"""How the interfaces of [MC-MQAC] are declared: slots, which revisions of one interface have in common.

A revision repeats all that the one before it has, under the same opnums, and adds slots of its own. What differs is
which revision of another interface a slot takes or gives, and the name of a slot that a later one took: it has `_v1`
or `_v2` then.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.interfaces.com_parameters import in_interface, out, out_interface
from decoders.interfaces.parameters import reference, value
from decoders.ndr.base_types import HRESULT
from decoders.ndr.model import Automation, Direction, Interface, MemberKind, Named, Operation, Parameter
from decoders.oaut.declarations import TYPES
from decoders.registry import BY_NAME, lineage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from decoders.ndr.model import Enum, Scalar, Type

    ByRevision: TypeAlias = Callable[[int], Parameter]

BSTR: Final = Named("BSTR")
VARIANT: Final = Named("VARIANT")
FIRST_OPNUM: Final = 7
"""Behind IDispatch."""
_FIRST_DISPID: Final = 0x6000_0000
"""MIDL numbers what has no [id] by the depth of its interface, IUnknown being 0, and its place there."""


class Slot(NamedTuple):
    member: str
    kind: MemberKind
    dispid: int | None
    """None: its place decides."""
    parameters: tuple[Parameter | ByRevision, ...]
    doc: str
    until: int = 0
    """The last revision that has it under its plain name; 0: all have."""
    proven: bool = True
    returns: Scalar | None = HRESULT


def takes(name: str, declared: Type, values: Enum | None = None) -> Parameter:
    return replace(value(name, declared), values=values)


def takes_reference(name: str, declared: Type) -> Parameter:
    return reference(Direction.IN, name, declared)


def optional(name: str, values: Enum | None = None) -> Parameter:
    return replace(reference(Direction.IN, name, VARIANT), optional=True, values=values)


def gives(name: str, declared: Type, values: Enum | None = None) -> Parameter:
    return replace(out(name, declared), retval=True, values=values)


def takes_object(name: str, interface: str) -> Parameter:
    return in_interface(name, interface, iid_of(interface))


def gives_object(name: str, interface: str) -> Parameter:
    return replace(out_interface(name, interface, iid_of(interface)), retval=True)


def takes_same(name: str, family: str, most: int = 4) -> ByRevision:
    """The revision of another interface that belongs to this one's."""
    return lambda revision: takes_object(name, revised(family, min(revision, most)))


def gives_same(name: str, family: str, most: int = 4) -> ByRevision:
    return lambda revision: gives_object(name, revised(family, min(revision, most)))


def revised(family: str, revision: int) -> str:
    return family if revision == 1 else f"{family}{revision}"


def iid_of(interface: str) -> str:
    known = BY_NAME.get(interface)
    return known.uuid if known is not None else "00000000-0000-0000-c000-000000000046"


def method(name: str, parameters: tuple[Parameter | ByRevision, ...], doc: str, **more: int) -> Slot:
    return Slot(name, MemberKind.METHOD, more.get("dispid"), parameters, doc, more.get("until", 0))


def get(name: str, dispid: int | None, given: Parameter | ByRevision, what: str, until: int = 0) -> Slot:
    return Slot(name, MemberKind.GET, dispid, (given,), f"Gets {what}.", until)


def put(name: str, dispid: int | None, taken: Parameter | ByRevision, what: str) -> Slot:
    return Slot(name, MemberKind.PUT, dispid, (taken,), f"Sets {what}.")


def putref(name: str, dispid: int | None, taken: Parameter | ByRevision, what: str, until: int = 0) -> Slot:
    return Slot(name, MemberKind.PUTREF, dispid, (taken,), f"Sets {what}.", until)


def both(
    name: str, dispid: int | None, argument: str, declared: Type, what: str, values: Enum | None = None
) -> tuple[Slot, Slot]:
    """`argument`: the put's; the get's has a p in front of it, since it is a pointer."""
    return (
        get(name, dispid, gives(f"p{argument}", declared, values), what),
        put(name, dispid, takes(argument, declared, values), what),
    )


def content(*slots: Slot) -> tuple[Slot, ...]:
    """What they take or give is a message's body."""
    return tuple(slot._replace(parameters=tuple(map(_payload, slot.parameters))) for slot in slots)


def _payload(parameter: Parameter | ByRevision) -> Parameter | ByRevision:
    if isinstance(parameter, Parameter):
        return replace(parameter, member=replace(parameter.member, payload=True))
    return parameter


def unproven(slots: Iterable[Slot]) -> tuple[Slot, ...]:
    """Their DISPIDs."""
    return tuple(slot._replace(proven=False) for slot in slots)


def revisions(
    family: str, section: str, lengths: Sequence[int], slots: Sequence[Slot], doc: str
) -> tuple[Interface, ...]:
    """`lengths`: how many of the slots each has. All of them are derived from IDispatch."""
    found: list[Interface] = []
    for revision, length in enumerate(lengths, 1):
        before = found[-1].operations if found else ()
        found.append(derived(revised(family, revision), section, slots[:length], doc, revision=revision, before=before))
    return tuple(found)


def derived(
    name: str,
    section: str,
    slots: Sequence[Slot],
    doc: str,
    first: int = FIRST_OPNUM,
    revision: int = 1,
    before: tuple[Operation, ...] = (),
) -> Interface:
    """`first`: its own first opnum. Sections and slots are in the same order. `before`: of the revision before it."""
    begin = _FIRST_DISPID + (len(lineage(name)) - 1 << 16)
    made = (
        _operation(slot, first + place, begin + place, f"{section}.{place + 1}", revision)
        for place, slot in enumerate(slots)
    )
    # What is the same is one object: what is made of it is made once.
    operations = tuple(old if old == new else new for old, new in zip_longest(before[: len(slots)], made))
    return Interface(
        **BY_NAME[name].identity, doc=doc, operations=operations, types={**_enumerations(operations), **TYPES}
    )


def _operation(slot: Slot, opnum: int, numbered: int, section: str, revision: int) -> Operation:
    member = f"{slot.member}_v{slot.until}" if 0 < slot.until < revision else slot.member
    dispid = numbered if slot.dispid is None else slot.dispid
    automation = Automation(member, slot.kind, dispid, slot.proven)
    return Operation(
        opnum,
        automation.operation,
        tuple(one if isinstance(one, Parameter) else one(revision) for one in slot.parameters),
        slot.returns,
        section,
        slot.doc,
        status="" if slot.returns is None else "return_value",
        takes_handle_t=False,
        automation=automation,
    )


def _enumerations(operations: Iterable[Operation]) -> dict[str, Type]:
    return {found.name: found for found in _used(operations)}


def _used(operations: Iterable[Operation]) -> Iterator[Enum]:
    for operation in operations:
        yield from (parameter.values for parameter in operation.parameters if parameter.values is not None)
