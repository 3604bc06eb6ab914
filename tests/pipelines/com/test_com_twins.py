"""Every member of MSMQ's objects called by its opnum and by Invoke: both tell the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from decoders.dcom.classes import MSMQ_CLASSES
from decoders.interfaces import INTERFACES
from decoders.interfaces.mqac.members import interface_of_class
from decoders.ndr.base_types import HRESULT, LONG, SHORT
from decoders.ndr.model import Direction, InterfacePointer, MemberKind, Named, Pointer
from decoders.oaut.building import bstr, variant
from decoders.oaut.names import VT
from decoders.oaut.types import VARIANT_BOOL
from decoders.registry import BY_NAME, REGISTRY, lineage
from tests.builders import com_values as c
from tests.pipelines.com import story as s

if TYPE_CHECKING:
    from pathlib import Path

    from decoders.ndr.model import Operation, Parameter
    from tests.builders.com_talk import ComTalk

LEFT_OUT = variant(VT["VT_ERROR"], 0x8002_0004)
FLAGS = {MemberKind.METHOD: 1, MemberKind.GET: 2, MemberKind.PUT: 4, MemberKind.PUTREF: 8}
PUT_VALUE = -3
DUAL = c.ipid(0x30)
COMPARED = ("member", "kind", "result", "result_name", "hresult_name")


def operations_of(interface: str) -> list[Operation]:
    """With those of its bases that are MSMQ's, lowest opnum first."""
    named = [name for name in lineage(interface) if name in BY_NAME]
    found = [one for name in named for one in INTERFACES[BY_NAME[name].uuid].operations if one.automation]
    return sorted(found, key=lambda one: one.opnum)


def reference(number: int) -> bytes:
    return c.interface(c.objref(c.DISPATCH, s.OXID, number, c.ipid(number)))


def declared(parameter: Parameter) -> object:
    inner = parameter.member.type
    while isinstance(inner, Pointer):
        inner = inner.to
    return inner


def value(parameter: Parameter, number: int) -> tuple[Any, Any]:
    """Of the direct call, and as a VARIANT."""
    match declared(parameter):
        case InterfacePointer():
            return reference(0x1000 + number), variant(VT["VT_DISPATCH"], reference(0x1000 + number))
        case Named("BSTR"):
            return bstr(f"text {number}"), variant(VT["VT_BSTR"], bstr(f"text {number}"))
        case Named("VARIANT"):
            made = variant(VT["VT_I4"], number % 4)
            return made, made
        case kind if kind == VARIANT_BOOL:
            return -(number % 2), variant(VT["VT_BOOL"], -(number % 2))
        case kind if kind in (LONG, HRESULT):
            return number % 4, variant(VT["VT_I4"], number % 4)
        case kind if kind == SHORT:
            return number % 4, variant(VT["VT_I2"], number % 4)
        case kind:
            raise AssertionError(f"{kind} has no twin")


def both(talk: ComTalk, iid: str, operation: Operation, number: int) -> None:
    automation = operation.automation
    assert automation
    asked, answered, arguments, result = {}, {}, [], None
    for place, parameter in enumerate(operation.parameters):
        direct, late = value(parameter, 10 * number + place)
        if parameter.retval:
            answered, result = {parameter.member.name: direct}, late
        elif parameter.optional and number % 3 == 0:
            asked[parameter.member.name] = LEFT_OUT
            arguments.append(LEFT_OUT)
        else:
            asked[parameter.member.name] = direct
            arguments.append(late)
    talk.orpc(iid, operation.name, DUAL, asked, answered)
    named = (PUT_VALUE,) if automation.kind in (MemberKind.PUT, MemberKind.PUTREF) else ()
    if number % 6 == 0:
        # What is left out at the end may be missing.
        while arguments and arguments[-1] is LEFT_OUT:
            arguments.pop()
    told = c.invoked(automation.dispid, *reversed(arguments), flags=FLAGS[automation.kind], named=named)
    talk.orpc(c.DISPATCH, "Invoke", s.DISPATCH, told, c.returned(result))


def compared(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in COMPARED), row["arguments"]


@pytest.mark.parametrize(("clsid", "object_class"), MSMQ_CLASSES.items(), ids=MSMQ_CLASSES.values())
def test_a_call_by_number_tells_what_the_direct_one_does(tmp_path: Path, clsid: str, object_class: str) -> None:
    iid = interface_of_class(object_class)
    assert iid
    talk = s.exporter(also=(iid,))
    s.queried(s.created(talk), s.OBJECT, iid, DUAL)
    operations = operations_of(REGISTRY[iid].name)
    for number, operation in enumerate(operations):
        assert operation.automation
        if not operation.automation.proven:
            s.named(talk, operation.automation.member.upper(), operation.automation.dispid)
        both(talk, iid, operation, number)
    local = s.captured(tmp_path, s.activation(clsid), talk)
    assert not local.tables["issues"]
    calls, _ = s.rows(local)
    direct = [compared(row) for row in calls if row["via"] == "direct" and row["iid"] == iid]
    late = [compared(row) for row in calls if row["via"] == "invoke"]
    assert direct == late
    assert len(direct) == len(operations)
    assert [row[0][0] for row in direct] == [one.automation.member for one in operations if one.automation]


def test_directions_are_those_that_twins_can_have() -> None:
    """Nothing of MSMQ's goes out beside the result."""
    for interface in INTERFACES.values():
        for operation in interface.operations:
            if operation.automation:
                ways = [(one.direction, one.retval) for one in operation.parameters]
                assert set(ways) <= {(Direction.IN, False), (Direction.OUT, True)}
                assert sum(retval for _, retval in ways) <= 1


@pytest.mark.parametrize(
    ("given", "by_reference", "kind", "shown"),
    [
        (variant(VT["VT_BSTR"], bstr("SERVER\\orders")), None, "BSTR", "SERVER\\orders"),
        (variant(VT["VT_I4"], 7), None, "VT_I4", "7"),
        (variant(VT["VT_BOOL"], -1), None, "VT_BOOL", "true"),
        (variant(VT["VT_NULL"]), None, "VT_NULL", "null"),
        (variant(VT["VT_BSTR"] | 0x4000, bstr("x")), variant(VT["VT_BSTR"] | 0x4000, bstr("x")), "BSTR", "x"),
    ],
    ids=["as declared", "a number", "a truth", "nothing", "by reference"],
)
def test_the_type_of_an_argument_is_what_the_wire_carried(
    tmp_path: Path, given: s.Row, by_reference: s.Row | None, kind: str, shown: str
) -> None:
    """PathName is declared as a BSTR. [MS-OAUT] 3.1.4.4.4: the server converts what it gets."""
    iid = interface_of_class("MSMQQueueInfo")
    assert iid
    put = next(one for one in operations_of(REGISTRY[iid].name) if one.name == "put_PathName")
    assert put.automation
    talk = s.created(s.exporter())
    more = {0: by_reference} if by_reference else {}
    talk.orpc(
        c.DISPATCH,
        "Invoke",
        s.DISPATCH,
        c.invoked(put.automation.dispid, given, flags=FLAGS[MemberKind.PUT], named=(PUT_VALUE,), by_reference=more),
        c.returned(),
    )
    calls, _ = s.rows(s.captured(tmp_path, s.activation(c.QUEUE_INFO), talk))
    (call,) = [row for row in calls if row["via"] == "invoke"]
    assert call["member"] == "PathName"
    (told,) = [(one["name"], one["type"], one["value"]) for one in call["arguments"]]
    assert told == (put.parameters[0].member.name, kind, shown)
