"""Random declarations: what the columnar decoder accepts is what the interpreter reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from decoders.ndr.columnar.plans import plan
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import Direction, Operation, Syntax

from .columnar_values import decode_stubs, rows
from .declarations import TYPES, members
from .operations import request
from .test_round_trip import FILLS, ORDERS, SYNTAXES

if TYPE_CHECKING:
    import random

    from decoders.ndr.interpreter import ByteOrder

Calls = tuple[Operation, list[dict[str, Any]]]


@st.composite
def batches(draw: st.DrawFn) -> Calls:
    declared, values = draw(members(3, parameters=True))
    return request(*declared), draw(st.lists(values, min_size=1, max_size=6))


@settings(max_examples=150)
@given(batches(), SYNTAXES, ORDERS, FILLS, st.randoms(use_true_random=False))
def test_accepted_stubs_mean_what_the_interpreter_says(
    batch: Calls, syntax: Syntax, order: ByteOrder, fill: int, rng: random.Random
) -> None:
    operation, calls = batch
    made = plan(operation, Direction.IN, TYPES, syntax, order)
    if made is None:
        return
    whole = [encode(operation, Direction.IN, values, TYPES, syntax, order, fill=fill) for values in calls]
    stubs = list(whole)
    for stub in whole:
        flipped = bytearray(stub)
        for _ in range(rng.randint(1, 3)):
            flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
        stubs += [stub[: rng.randint(0, len(stub))], bytes(flipped), stub + b"\0"]
    decode = compile_decoder(operation, Direction.IN, TYPES, syntax, order)
    columns = decode_stubs(made, stubs)
    for values, accepted in zip(calls, columns.accepted, strict=False):
        assert accepted or _within_itself(values)
    expected = [decode(stub) for stub, accepted in zip(stubs, columns.accepted, strict=True) if accepted]
    assert [one.problems for one in expected] == [()] * len(expected)
    assert all(one.complete for one in expected)
    assert repr(rows(columns)) == repr([one.values for one in expected])


def _within_itself(value: object) -> bool:
    """A node with a node below it, which plans leave to the interpreter."""
    if isinstance(value, dict):
        below = [value.get("left"), value.get("right")]
        return below != [None, None] or any(map(_within_itself, value.values()))
    return isinstance(value, list) and any(map(_within_itself, value))
