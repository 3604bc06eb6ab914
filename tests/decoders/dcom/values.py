"""Random parts of DCOM, as a sender that keeps the rules makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from decoders.dcom.dual_strings import DualStrings, SecurityBinding, StringBinding, build_dual_strings
from decoders.dcom.objref import EXTENDED_SIGNATURE, CustomData, Envoy, Form, ObjRef, StdObjRef
from decoders.ndr.model import Direction, Member
from tests.decoders.ndr.arguments import arguments
from tests.decoders.ndr.operations import request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Type

GUIDS = st.uuids(allow_nil=False).map(str)
ORDERS: st.SearchStrategy[ByteOrder] = st.sampled_from(["<", ">"])
U16 = st.integers(0, 0xFFFF)
U32 = st.integers(0, 0xFFFFFFFF)
U64 = st.integers(0, 2**64 - 1)
TEXTS = st.text(st.characters(min_codepoint=1, max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=6)

STRING_BINDINGS = st.builds(StringBinding, st.integers(1, 0xFFFF), TEXTS)
SECURITY_BINDINGS = st.builds(SecurityBinding, st.integers(1, 0xFFFF), TEXTS)
DUAL_STRINGS: st.SearchStrategy[DualStrings] = st.builds(
    build_dual_strings, st.lists(STRING_BINDINGS, max_size=3), st.lists(SECURITY_BINDINGS, max_size=3)
)
STDS = st.builds(StdObjRef, U32, U32, U64, U64, GUIDS)


@st.composite
def references(draw: st.DrawFn) -> ObjRef:
    form = draw(st.sampled_from(Form))
    iid = draw(GUIDS)
    if form is Form.CUSTOM:
        custom = CustomData(draw(U32), draw(U32), draw(st.binary(max_size=20)))
        return ObjRef(form, iid, clsid=draw(GUIDS), custom=custom)
    envoy = None
    if form is Form.EXTENDED:
        data = draw(st.binary(min_size=1, max_size=20))
        padded = data + bytes(-len(data) % 8)
        envoy = Envoy(EXTENDED_SIGNATURE, 1, EXTENDED_SIGNATURE, draw(GUIDS), len(data), len(padded), padded)
    clsid = draw(GUIDS) if form is Form.HANDLER else None
    return ObjRef(form, iid, draw(STDS), clsid, draw(DUAL_STRINGS), envoy=envoy)


@st.composite
def of_type(draw: st.DrawFn, declared: Type, types: Mapping[str, Type]) -> dict[str, Any]:
    """A value whose counts are right."""
    value: dict[str, Any] = draw(arguments(request(Member("p", declared)), Direction.IN, types))["p"]
    return value
