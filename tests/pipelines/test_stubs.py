"""Stubs to values: what is there, what was wrong, and what a trailer behind a stub is."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from decoders.dcerpc.call_model import Missing, Part
from decoders.dcerpc.verification import VerificationTrailer
from decoders.ndr.model import Direction, Syntax
from pipelines.calls.stubs import NO_VALUES, decoder_of, stub_reader
from tests.builders import msmq, rpc

RECEIVE = 0
READER = stub_reader(rpc.QM2QM, RECEIVE, Direction.OUT, callback=False, keep_payload=True)


def part(stub: bytes, **given: object) -> Part:
    made = Part(stub, True, None, "<", 0, 0, 0, ((0, 1),), 0, 1, len(stub), None)
    changed: dict[str, Any] = given
    return made._replace(**changed)


def receive(message: bytes, number: int = 0, syntax: Syntax = Syntax.NDR) -> bytes:
    desc = msmq.descriptor(message, dwRequestID=number)
    values = {"pphContext": msmq.HANDLE, "lpRemoteReadDesc": desc, "return_value": number}
    return msmq.stub(rpc.QM2QM, RECEIVE, Direction.OUT, values, syntax)


def test_values_are_the_decoders_and_go_to_arrow() -> None:
    rng = random.Random(7)
    found = []
    for number in range(300):
        syntax = rng.choice(list(Syntax))
        data = receive(rng.randbytes(rng.randrange(60)), number, syntax)
        data = rng.choice((data, data, data, data[: rng.randrange(len(data))], data + b"more"))
        values = READER.read(part(data), syntax)
        alone = decoder_of(rpc.QM2QM, RECEIVE, Direction.OUT, syntax, "<")(data)
        assert (values.problems, values.whole) == (alone.problems, alone.complete)
        assert values.values is not None
        assert values.values["return_value"] == alone.values["return_value"]
        buffer = (alone.values["lpRemoteReadDesc"] or {}).get("lpBuffer")
        shown = (values.values["lpRemoteReadDesc"] or {}).get("lpBuffer")
        assert (shown and shown["bytes"]) == buffer
        found.append(values.values)
    rows = pa.array(found, READER.type).to_pylist()
    assert [row["return_value"] for row in rows] == [values["return_value"] for values in found]


@pytest.mark.parametrize("given", [None, part(receive(b"x"), sealed=True)])
def test_what_cannot_be_read_has_no_values(given: Part | None) -> None:
    assert READER.read(given, Syntax.NDR) == NO_VALUES


def test_a_stub_that_was_not_captured_to_its_end_is_not_whole() -> None:
    whole = receive(b"message")
    cut = READER.read(part(whole[:-2], complete=False, missing=Missing.LAST_FRAGMENT), Syntax.NDR)
    assert (cut.whole, cut.explained) == (False, False)
    assert cut.values is not None
    assert cut.values["lpRemoteReadDesc"]["lpBuffer"]["size"] == 7


def test_bytes_behind_the_last_parameter_leave_the_values_unexplained() -> None:
    values = READER.read(part(receive(b"message") + bytes(4)), Syntax.NDR)
    assert (values.whole, values.goes_on, values.explained) == (True, True, False)
    assert [one.code for one in values.problems] == ["ndr-trailing-bytes"]


def test_padding_before_a_verification_trailer_is_no_problem() -> None:
    trailer = VerificationTrailer.__new__(VerificationTrailer)
    values = READER.read(part(receive(b"message") + bytes(4), verification=trailer), Syntax.NDR)
    assert (values.problems, values.explained) == ((), True)


def test_parameters_reach_into_what_looks_like_a_trailer() -> None:
    whole = receive(b"message" * 9)
    values = READER.read(part(whole[:-24], trailer=whole[-24:]), Syntax.NDR)
    assert values.explained
    assert values.values is not None
    assert values.values["lpRemoteReadDesc"]["lpBuffer"]["bytes"] == b"message" * 9
