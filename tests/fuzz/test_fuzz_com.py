"""Damaged parts of DCOM: blobs, references and VARIANTs by themselves, and whole captures of objects."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from decoders.dcom.activation_blob import blob_of
from decoders.dcom.error_info import parse_error_info
from decoders.dcom.objref import parse_objref
from decoders.interfaces import INTERFACES
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import Direction, Syntax
from decoders.oaut.building import bstr, byte_array, safearray, variant
from ingest.choice import Choice, Scope
from pipelines.calls.com_arguments import invoked_arguments, result_of
from tests.builders import com_values as c
from tests.builders.renewed import renewed
from tests.decoders.dcom.captured import needed, paths
from tests.fuzz import com_seeds
from tests.fuzz.com_seeds import damaged
from tests.fuzz.findings import limited
from tests.local import Local
from tests.pipelines.com.losses import PCAP, records_of
from tests.timing import quickest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASES = 3_000
SLOW_SECONDS = 0.1
VT_ARRAY, VT_BSTR, VT_VARIANT, VT_DISPATCH, VT_I4, VT_BYREF = 0x2000, 8, 12, 9, 3, 0x4000


@pytest.mark.parametrize("make", [com_seeds.reference, com_seeds.asked, com_seeds.answered])
def test_damaged_references_and_activations(make: Callable[[random.Random], bytes]) -> None:
    rng = random.Random(make.__name__)
    read = 0
    for _ in range(CASES):
        data = damaged(make(rng), rng)
        with limited():
            found, seconds = quickest(lambda data=data: parse_objref(data), SLOW_SECONDS)  # type: ignore[misc]
            blob = blob_of(found)
            parse_error_info(data)
        assert seconds < SLOW_SECONDS
        read += found.std is not None or (blob is not None and bool(blob.properties))
    assert CASES / 4 < read < CASES, "some are read, some are not"


def _arguments() -> dict[str, object]:
    within = variant(VT_ARRAY | VT_VARIANT, safearray("VT_VARIANT", [variant(VT_I4, 1), variant(VT_BSTR, bstr("x"))]))
    given = variant(VT_DISPATCH, c.interface(c.objref(c.DISPATCH, 1, 2, c.ipid(3))))
    values = [byte_array(b"body"), within, given, variant(VT_BSTR, bstr("text")), variant(0)]
    return c.invoked(7, *values, named=(-3,), by_reference={4: variant(VT_I4 | VT_BYREF, 9)})


def test_damaged_variants() -> None:
    dispatch = INTERFACES[c.DISPATCH]
    invoke = next(one for one in dispatch.operations if one.name == "Invoke")
    stub = encode(invoke, Direction.IN, _arguments(), dispatch.types, Syntax.NDR, "<")
    decode = compile_decoder(invoke, Direction.IN, dispatch.types, Syntax.NDR, "<")
    rng = random.Random("variants")
    whole = 0
    for _ in range(CASES):
        with limited():
            values, _, complete, _ = decode(damaged(stub, rng))
            arguments = invoked_arguments(values, values)
            assert all(one.value is None or isinstance(one.value, str) for one in arguments)
            for one in (values.get("pDispParams") or {}).get("rgvarg") or ():
                result_of(one)
        whole += complete
    assert CASES / 10 < whole < CASES


REAL = [path for path in paths() if path.parent.name == "captures-dcom" and path.read_bytes()[:4] == PCAP]
DAMAGED = 25
"""Of each capture."""
MOST_SECONDS = 5.0


@needed
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name[:40])
def test_damaged_captures_of_objects(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    head, records = data[:24], records_of(data)
    rng = random.Random(path.name)
    changed = tmp_path / "changed.pcap"
    calls = 0
    for _ in range(DAMAGED):
        some = list(records)
        for _ in range(rng.choice((1, 5, 40))):
            place = rng.randrange(len(some))
            # Behind the headers, so that most packets keep their place.
            some[place] = some[place][:70] + damaged(some[place][70:], rng).ljust(len(some[place]) - 70, b"\0")
        renewed(changed, head + b"".join(some))
        local, seconds = quickest(lambda: Local(changed, choice=Choice(Scope.RPC)), MOST_SECONDS, 2)
        assert seconds < MOST_SECONDS
        assert local.imbalances() == []
        rows = local.judged()
        uids = [row["object_uid"] for row in rows["com_objects"]]
        assert len(set(uids)) == len(uids)
        assert {row["object_uid"] for row in rows["com_calls"]} <= set(uids)
        calls += len(rows["com_calls"])
    assert calls
