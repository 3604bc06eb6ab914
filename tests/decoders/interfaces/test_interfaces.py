"""The registry, and what every declaration has to keep for decoders and tables made from it."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest

from decoders.dcerpc import well_known
from decoders.interfaces import (
    INTERFACES,
    connection_points,
    dispatch,
    dscomm,
    enum_variant,
    mqmp,
    mqmq,
    operation_of,
    qm2qm,
    remoteread,
    type_info,
)
from decoders.ndr.counts import Rounded, compared_with
from decoders.ndr.model import (
    Array,
    Direction,
    EncapsulatedUnion,
    Interface,
    Member,
    Named,
    Pointer,
    PointerKind,
    Struct,
    Type,
    Union,
)
from decoders.oaut.declarations import DISPPARAMS

if TYPE_CHECKING:
    from collections.abc import Iterator

ALL = [pytest.param(interface, id=interface.name) for interface in INTERFACES.values()]
COM = (dispatch.INTERFACE, enum_variant.INTERFACE, type_info.INTERFACE, *connection_points.INTERFACES)
DECLARED = [pytest.param(one, id=one.name) for one in {one.uuid: one for one in (*INTERFACES.values(), *COM)}.values()]


def inside(declared: Type) -> Iterator[Type]:
    """A type and all it is made of; not through Named, so it ends."""
    yield declared
    match declared:
        case Pointer():
            yield from inside(declared.to)
        case Array():
            yield from inside(declared.of)
        case Struct():
            for member in declared.members:
                yield from inside(member.type)
        case Union():
            for arm in declared.arms:
                if arm.member is not None:
                    yield from inside(arm.member.type)
        case EncapsulatedUnion():
            yield from inside(declared.union)
        case _:
            pass


def structs(interface: Interface) -> Iterator[Struct]:
    parameters = (parameter.member.type for operation in interface.all_operations for parameter in operation.parameters)
    for declared in (*interface.types.values(), *parameters):
        yield from (found for found in inside(declared) if isinstance(found, Struct))


@pytest.mark.parametrize("interface", ALL)
def test_an_interface_is_registered_under_the_identifier_that_conversations_are_chosen_by(interface: Interface) -> None:
    assert str(uuid.UUID(interface.uuid)) == interface.uuid
    assert well_known.INTERFACES[interface.uuid] == interface.name
    assert INTERFACES[interface.uuid] is interface


@pytest.mark.parametrize("interface", ALL)
def test_opnums_rise_and_names_are_unique(interface: Interface) -> None:
    for callback, operations in ((False, interface.operations), (True, interface.callbacks)):
        opnums = [operation.opnum for operation in operations]
        assert opnums == sorted(set(opnums))
        for opnum in range(max(opnums, default=0) + 2):
            declared = [operation for operation in operations if operation.opnum == opnum]
            assert operation_of(interface.uuid, opnum, callback=callback) is (declared[0] if declared else None)
    names = [operation.name for operation in interface.all_operations]
    assert len(set(names)) == len(names)
    for operation in interface.all_operations:
        arguments = [parameter.member.name for parameter in operation.parameters]
        assert len(set(arguments)) == len(arguments)
        assert "return_value" not in arguments


def test_callbacks_have_opnums_of_their_own() -> None:
    asked = operation_of(dscomm.INTERFACE.uuid, 2)
    asked_back = operation_of(dscomm.INTERFACE.uuid, 2, callback=True)
    assert asked
    assert asked_back
    assert (asked.name, asked_back.name) == ("S_DSGetProps", "S_InitSecCtx")


def test_an_unknown_interface_has_no_operations() -> None:
    assert operation_of("00000000-0000-0000-0000-000000000000", 0) is None


@pytest.mark.parametrize("interface", DECLARED)
def test_status_names_something_the_response_holds(interface: Interface) -> None:
    for operation in interface.all_operations:
        answered = {member.name for member in operation.on_the_wire(Direction.OUT)}
        assert operation.status == "" or operation.status in answered


@pytest.mark.parametrize("interface", DECLARED)
def test_names_refer_to_declared_types(interface: Interface) -> None:
    parameters = (parameter.member.type for operation in interface.all_operations for parameter in operation.parameters)
    for declared in (*interface.types.values(), *parameters):
        for part in inside(declared):
            if isinstance(part, Named):
                assert isinstance(interface.types[part.name], Struct | Pointer)


@pytest.mark.parametrize("interface", DECLARED)
def test_a_pointer_with_a_name_says_its_kind_or_is_a_parameter_and_a_reference(interface: Interface) -> None:
    """Elsewhere pointer_default would decide, and it would have a referent id."""
    for struct in structs(interface):
        for part in (part for member in struct.members for part in inside(member.type)):
            named = interface.types[part.name] if isinstance(part, Named) else struct
            assert isinstance(named, Struct) or (isinstance(named, Pointer) and named.written)
    for declared in interface.types.values():
        assert not isinstance(declared, Pointer) or declared.kind is PointerKind.REF or declared.written


@pytest.mark.parametrize("interface", DECLARED)
def test_counts_and_discriminants_refer_to_members_beside_them(interface: Interface) -> None:
    for struct in structs(interface):
        names = {member.name for member in struct.members}
        for member in struct.members:
            assert member.switch_is is None or member.switch_is in names
            assert isinstance(member.type, Union) == (member.switch_is is not None)
            assert {count for count in counts(member) if not count.isdigit()} <= names
    for operation in interface.all_operations:
        names = {parameter.member.name for parameter in operation.parameters}
        for parameter in operation.parameters:
            assert counts(parameter.member) <= names


def counts(member: Member) -> set[str]:
    """Of the arrays that belong to the member itself, not to a structure inside it."""
    declared = member.type
    while isinstance(declared, Pointer):
        declared = declared.to
    if not isinstance(declared, Array):
        return set()
    compared = (compared_with(declared.size_is), compared_with(declared.length_is))
    return {str(count.member if isinstance(count, Rounded) else count) for count in compared if count is not None}


@pytest.mark.parametrize("interface", DECLARED)
def test_the_names_of_a_structure_and_of_an_unnamed_union_in_it_do_not_collide(interface: Interface) -> None:
    for struct in structs(interface):
        names = [member.name for member in struct.members if member.name]
        for member in struct.members:
            if isinstance(member.type, Union):
                arms = [arm.member.name for arm in member.type.arms if arm.member is not None]
                cases = [case for arm in member.type.arms for case in arm.cases]
                assert len(set(cases)) == len(cases)
                assert len(set(arms)) == len(arms)
                names += arms if not member.name else []
        assert len(set(names)) == len(names)


def test_cases_follow_from_their_labels() -> None:
    union = mqmq.PROPVARIANT.members[-1].type
    assert isinstance(union, Union)
    cases = {label: case for arm in union.arms for label, case in zip(arm.labels, arm.cases, strict=True)}
    assert cases["VT_LPWSTR"] == 31
    assert cases["VT_VECTOR|VT_LPWSTR"] == 0x101F
    assert cases["VT_VECTOR|VT_VARIANT"] == 0x100C
    assert (cases["VT_EMPTY"], cases["VT_NULL"]) == (0, 1)


def test_only_message_bytes_are_payload() -> None:
    """Arguments of Invoke may be such."""
    payload = [
        (struct.name, member.name)
        for interface in INTERFACES.values()
        for struct in structs(interface)
        for member in struct.members
        if member.payload
    ]
    assert set(payload) == {
        (qm2qm.REMOTEREADDESC.name, "lpBuffer"),
        (mqmp.CACTransferBufferV1.name, "ppBody"),
        (remoteread.SectionBuffer.name, "pSectionBuffer"),
        (DISPPARAMS.name, "rgvarg"),
    }
