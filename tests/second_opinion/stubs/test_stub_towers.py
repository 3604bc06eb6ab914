"""Towers of any size: three opinions about where the next value begins, in NDR64 above all.

A count that stands in front of its structure does not raise the structure's alignment: twr_t is aligned 4.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from decoders.ndr.model import Direction, Syntax
from tests.second_opinion.stubs import impacket_values
from tests.second_opinion.stubs.corrections import corrected
from tests.second_opinion.stubs.scapy_calls import call

G: Final = "00112233-4455-6677-8899-aabbccddeeff"
SIZES: Final = (*range(13), 75, 76, 82)


def _tower(size: int) -> dict[str, Any]:
    return {"tower_length": size, "tower_octet_string": bytes(range(1, size + 1))}


@pytest.mark.parametrize("syntax", Syntax)
@pytest.mark.parametrize("last", SIZES)
@pytest.mark.parametrize("name", ["ept_map", "ept_lookup"])
def test_three_have_the_same_bytes(name: str, last: int, syntax: Syntax) -> None:
    towers = [_tower(5), _tower(last)]
    values: dict[str, Any] = {"entry_handle": G, "status": 0x16C9A0D6}
    if name == "ept_map":
        values |= {"num_towers": 2, "ITowers": towers}
    else:
        entries = [{"object": G, "tower": tower, "annotation": "x" * index} for index, tower in enumerate(towers)]
        values |= {"num_ents": 2, "entries": entries}
    compared = call(name, Direction.OUT, syntax)
    stub = compared.encoded(values)
    assert compared.decoded(stub).values == values
    with corrected():
        assert compared.built(values) == stub
        assert compared.dissected(stub) == (values, b"")
    written = impacket_values.built(compared.operation, Direction.OUT, syntax, values)
    assert impacket_values.without_gaps(compared.operation, Direction.OUT, syntax, values, written) == stub
    assert impacket_values.dissected(compared.operation, Direction.OUT, syntax, stub) == (values, len(stub))


def test_the_status_follows_a_tower_at_the_next_multiple_of_four() -> None:
    values: dict[str, Any] = {"entry_handle": None, "num_towers": 1, "ITowers": [_tower(5)], "status": 9}
    stub = call("ept_map", Direction.OUT, Syntax.NDR64).encoded(values)
    assert stub[-24:] == bytes.fromhex("0500000000000000  05000000 0102030405 000000  09000000")
