"""Stubs that Windows sent: decoded without a problem, and encoded again to the same bytes but gaps and referent ids."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple
from unittest import mock

from decoders.dcom.pointers import interface_pointers
from decoders.interfaces import dispatch, type_info
from decoders.ndr import encoder
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Direction, Syntax
from decoders.oaut.building import units
from decoders.oaut.names import VT
from decoders.oaut.texts import variant_text, variant_type
from decoders.oaut.values import bstr_value
from tests.decoders.oaut import real_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.dcerpc.call_model import Part
    from decoders.ndr.interpreter import Decoded
    from decoders.ndr.model import Interface, Operation

pytestmark = real_calls.needed

INTERFACES: Final = {one.uuid: one for one in (dispatch.INTERFACE, type_info.INTERFACE)}
STARTS: Final = {Direction.IN: real_calls.ORPCTHIS_BYTES, Direction.OUT: real_calls.ORPCTHAT_BYTES}
FOUND: Final = {
    "GetTypeInfoCount": 12,
    "GetTypeInfo": 12,
    "GetIDsOfNames": 2,
    "Invoke": 13,
    "GetTypeAttr": 16,
    "GetFuncDesc": 364,
    "GetNames": 280,
    "GetDocumentation": 12,
}
"""Requests and responses in the captures: one Invoke was never answered."""
EXECUTE_SHELL_COMMAND: Final = 54
OTHER_FIRST_ID: Final = 0xA1A3A5A7


class Stub(NamedTuple):
    interface: Interface
    operation: Operation
    direction: Direction
    part: Part
    asked: Part | None
    """The request, which says how large the answer's arrays may be."""

    def decoded(self) -> Decoded:
        return self._of(self.direction, self.part)

    def _of(self, direction: Direction, part: Part) -> Decoded:
        types, start = self.interface.types, STARTS[direction]
        return decode(self.operation, direction, part.stub, types, Syntax.NDR, part.byte_order, start=start)

    def encoded(self, decoded: Decoded, fill: int) -> bytes:
        before = self.part.stub[: STARTS[self.direction]]
        types, order = self.interface.types, self.part.byte_order
        values = {**self._of(Direction.IN, self.asked).values, **decoded.values} if self.asked else decoded.values
        return encoder.encode(
            self.operation, self.direction, values, types, Syntax.NDR, order, fill=fill, before=before
        )


def stubs() -> Iterator[Stub]:
    for call in real_calls.all_calls():
        interface = INTERFACES.get(str(call.binding.interface.uuid)) if call.binding else None
        for direction, part in ((Direction.IN, call.request), (Direction.OUT, call.response)):
            if interface and part and not part.sealed:
                (operation,) = (one for one in interface.operations if one.opnum == call.opnum)
                yield Stub(interface, operation, direction, part, call.request)


def test_all_are_decoded_and_encoded_again_to_the_same_bytes() -> None:
    seen: Counter[str] = Counter()
    for stub in stubs():
        decoded = stub.decoded()
        assert decoded.problems == ()
        assert decoded.consumed == len(stub.part.stub)
        first = stub.encoded(decoded, fill=0)
        with mock.patch.object(encoder, "_FIRST_REFERENT_ID", OTHER_FIRST_ID):
            second = stub.encoded(decoded, fill=0xFF)
        assert len(first) == len(stub.part.stub)
        free = [one != other for one, other in zip(first, second, strict=True)]
        said = [(sent, ours) for sent, ours, any_byte in zip(stub.part.stub, first, free, strict=True) if not any_byte]
        assert [sent for sent, _ in said] == [ours for _, ours in said]
        # Nothing is free but gaps and referent ids: most bytes are compared.
        assert sum(free) < len(first) // 2
        seen[stub.operation.name] += 1
    assert seen == FOUND


def test_the_members_of_mmc_are_known_by_their_names() -> None:
    names = [
        [bstr_value(name) for name in stub.decoded().values["rgBstrNames"]]
        for stub in stubs()
        if stub.operation.name == "GetNames" and stub.direction is Direction.OUT
    ]
    assert ["ExecuteShellCommand", "Command", "Directory", "Parameters", "WindowState"] in names


def test_the_description_of_a_method_says_how_it_is_called() -> None:
    described = [
        stub.decoded().values["ppFuncDesc"]
        for stub in stubs()
        if stub.operation.name == "GetFuncDesc" and stub.direction is Direction.OUT
    ]
    execute = next(one for one in described if one["memid"] == EXECUTE_SHELL_COMMAND)
    assert (execute["cParams"], execute["invkind"], execute["funckind"]) == (4, 1, 4)
    assert [one["tdesc"]["vt"] for one in execute["lprgelemdescParam"]] == [VT["VT_BSTR"]] * 4
    assert execute["elemdescFunc"]["tdesc"]["vt"] == VT["VT_VOID"]


def test_what_was_called_is_read() -> None:
    called = []
    for stub in stubs():
        values = stub.decoded().values
        if stub.operation.name == "Invoke" and stub.direction is Direction.IN and values["pDispParams"]["rgvarg"]:
            arguments = values["pDispParams"]["rgvarg"]
            called.append([f"{variant_type(one['vt'])} {variant_text(one)}" for one in reversed(arguments)])
    assert ["VT_BSTR C:\\\\programdata\\calc.xll"] in called
    assert ["VT_BSTR cmd", "VT_EMPTY ", "VT_BSTR /c hostname > c:\\fromdcom.txt", "VT_BSTR 7"] in called


def test_objects_are_found_in_what_is_returned() -> None:
    found = [
        objref
        for stub in stubs()
        if stub.direction is Direction.OUT and stub.operation.name in ("Invoke", "GetTypeInfo")
        for objref in interface_pointers(stub.decoded().values)
    ]
    assert len(found) == 10
    assert {bytes(objref[:4]) for objref in found} == {b"MEOW"}


def test_windows_counts_a_variant_as_we_do() -> None:
    """clSize, rounded up: [MS-OAUT] 2.2.29.1."""
    seen = 0
    for stub in stubs():
        if stub.operation.name != "Invoke":
            continue
        values = stub.decoded().values
        variants = [values["pVarResult"]] if stub.direction is Direction.OUT else values["pDispParams"]["rgvarg"] or []
        assert [one["clSize"] for one in variants] == [units(one) for one in variants]
        seen += len(variants)
    assert seen == 15
