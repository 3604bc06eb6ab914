"""Every arm of PROPVARIANT and QUEUE_FORMAT, which random values do not promise: scapy has the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from decoders.interfaces import mqmq
from decoders.ndr.model import Direction, Union
from tests.second_opinion.stubs.answers import answer, text, variant
from tests.second_opinion.stubs.corrections import corrected
from tests.second_opinion.stubs.scapy_calls import ENCODINGS, call

if TYPE_CHECKING:
    from decoders.ndr.model import Struct

G: Final = "00112233-4455-6677-8899-aabbccddeeff"
H: Final = "ffeeddcc-bbaa-9988-7766-554433221100"


def _vector(*elements: object) -> dict[str, object]:
    return {"cElems": len(elements), "pElems": list(elements)}


VARIANTS: Final[dict[str, object]] = {
    "cVal": -2,
    "bVal": 0xFE,
    "iVal": -300,
    "uiVal": 0xFEDC,
    "lVal": -70000,
    "ulVal": 0xFEDCBA98,
    "hVal": -(2**40),
    "uhVal": 0xFEDCBA9876543210,
    "boolVal": -1,
    "puuid": G,
    "blob": {"cbSize": 3, "pBlobData": b"abc"},
    "pwszVal": "M\u00fcller",
    "caub": {"cElems": 3, "pElems": b"abc"},
    "caui": _vector(1, 0xFFFE, 3),
    "cal": _vector(-1, 2),
    "caul": _vector(1, 0xFFFFFFFE),
    "cauh": _vector(1, 2**63),
    "cauuid": _vector(G, H),
    "calpwstr": _vector("a", None, "bc"),
    "capropvar": _vector(variant("bVal", 1), text("a"), variant("calpwstr", _vector("b")), variant("uhVal", 5)),
}
QUEUES: Final[dict[str, object]] = {
    "m_gPublicID": G,
    "m_oPrivateID": {"Lineage": G, "Uniquifier": 7},
    "m_pDirectID": "OS:a\\b",
    "m_gMachineID": G,
    "m_GConnectorID": H,
    "m_DlID": {"m_DlGuid": G, "m_pwzDomain": "d.example"},
    "m_MulticastID": {"m_address": 0xE0000001, "m_port": 1801},
    "m_pDirectSubqueueID": "OS:a\\b;c",
}


def _arms(structure: Struct) -> dict[str, int]:
    union = structure.members[-1].type
    assert isinstance(union, Union)
    return {arm.member.name: arm.cases[0] for arm in union.arms if arm.member}


def test_no_arm_is_left_out() -> None:
    assert _arms(mqmq.PROPVARIANT).keys() == VARIANTS.keys()
    assert _arms(mqmq.QUEUE_FORMAT).keys() == QUEUES.keys()


def _agree(name: str, direction: Direction, values: dict[str, Any], count: int | None = None) -> None:
    for syntax, order in ENCODINGS:
        compared = call(name, direction, syntax, order)
        stub = compared.encoded(values)
        with corrected():
            assert compared.built(values, count) == stub
            assert compared.dissected(stub, count) == (values, b"")
        assert compared.decoded(stub).values == values


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant(name: str) -> None:
    chosen = variant(name, VARIANTS[name])
    _agree("R_QMMgmtGetInfo", Direction.OUT, answer(text("before"), chosen, chosen, text("behind")), count=4)


@pytest.mark.parametrize("name", QUEUES)
def test_a_queue(name: str) -> None:
    arms = _arms(mqmq.QUEUE_FORMAT)
    queue = {"m_qft": arms[name], "m_SuffixAndFlags": 1, "m_reserved": 2, **dict.fromkeys(arms), name: QUEUES[name]}
    target = {"type": 2, "pQueueFormat": queue, "Reserved1": None, "Reserved2": None}
    _agree("R_QMMgmtGetInfo", Direction.IN, {"pObjectFormat": target, "cp": 1, "aProp": [9], "apVar": [text("v")]})
