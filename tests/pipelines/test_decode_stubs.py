"""Many stubs to one column: order, gaps between, both decoders, problems told by row."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from decoders.ndr.model import Direction, Syntax
from pipelines.calls.stubs import Stub, decode_stubs, decoder_of, plan_of
from tests.builders import msmq, rpc

RECEIVE = 0
Row = dict[str, Any]


def stubs(count: int, rng: random.Random) -> list[Stub | None]:
    """Both syntaxes mixed, some missing, some cut, some with bytes behind."""
    made: list[Stub | None] = []
    for number in range(count):
        syntax = rng.choice(list(Syntax))
        desc = msmq.descriptor(rng.randbytes(rng.randrange(60)), dwRequestID=number)
        values = {"pphContext": rng.choice((None, msmq.HANDLE)), "lpRemoteReadDesc": desc, "return_value": number}
        data = msmq.stub(rpc.QM2QM, RECEIVE, Direction.OUT, values, syntax)
        data = rng.choice((data, data, data, data[: rng.randrange(len(data))], data + b"more"))
        made.append(rng.choice((None, *[Stub(data, syntax, "<")] * 9)))
    return made


@pytest.mark.parametrize("count", [0, 1, 30, 700])
def test_column_holds_each_stub_at_its_place(count: int) -> None:
    given = stubs(count, random.Random(count))
    found = decode_stubs(rpc.QM2QM, RECEIVE, Direction.OUT, given, keep_payload=True)
    rows = found.column.to_pylist()
    assert len(rows) == count
    for number, (stub, row) in enumerate(zip(given, rows, strict=True)):
        if stub is None:
            assert row is None
            continue
        alone = decoder_of(rpc.QM2QM, RECEIVE, Direction.OUT, stub.syntax, "<")(stub.data)
        assert found.problems.get(number, ()) == alone.problems
        assert (number in found.incomplete) is not alone.complete
        assert row["return_value"] == alone.values["return_value"]
        assert row["pphContext"] == alone.values["pphContext"]
        buffer = (alone.values["lpRemoteReadDesc"] or {}).get("lpBuffer")
        shown = (row["lpRemoteReadDesc"] or {}).get("lpBuffer")
        assert (shown and shown["bytes"]) == buffer


def test_enough_stubs_of_a_kind_take_the_fast_path(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(rpc.QM2QM, RECEIVE, Direction.OUT, Syntax.NDR, "<")
    assert plan is not None
    values = {"pphContext": None, "lpRemoteReadDesc": msmq.descriptor(b"x"), "return_value": 0}
    stub = Stub(msmq.stub(rpc.QM2QM, RECEIVE, Direction.OUT, values), Syntax.NDR, "<")

    def slow(*_: object, **__: object) -> None:
        pytest.fail("a stub went the slow way")

    monkeypatch.setattr("pipelines.calls.stubs.decoder_of", slow)
    found = decode_stubs(rpc.QM2QM, RECEIVE, Direction.OUT, [stub] * plan.min_rows, keep_payload=False)
    assert isinstance(found.column, pa.StructArray)
    assert found.column.to_pylist()[-1]["lpRemoteReadDesc"]["lpBuffer"]["size"] == 1
    with pytest.raises(pytest.fail.Exception):
        decode_stubs(rpc.QM2QM, RECEIVE, Direction.OUT, [stub] * (plan.min_rows - 1), keep_payload=False)
