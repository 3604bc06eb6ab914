"""What impacket's NDR does otherwise: one test a row of differences.toml."""

from __future__ import annotations

from typing import ClassVar, Final

from impacket.dcerpc.v5.dtypes import LONG as THEIR_LONG
from impacket.dcerpc.v5.dtypes import SHORT as THEIR_SHORT
from impacket.dcerpc.v5.ndr import (
    NDRCALL,
    NDRSTRUCT,
    NDRUHYPER,
    NDRUNION,
    NDRUSHORT,
    NDRUSMALL,
    NDRUniConformantArray,
)

from decoders.ndr.base_types import BYTE, LONG, SHORT, ULONGLONG, USHORT
from decoders.ndr.encoder import encode
from decoders.ndr.model import Arm, Array, Direction, Member, Syntax, Union
from tests.decoders.ndr.operations import request, struct
from tests.second_opinion.stubs import impacket_values
from tests.second_opinion.stubs.scapy_calls import call

IN, OUT = Direction.IN, Direction.OUT
NDR, NDR64 = Syntax.NDR, Syntax.NDR64


class LongAndShort(NDRSTRUCT):  # type: ignore[misc]
    structure = (("l", THEIR_LONG), ("s", THEIR_SHORT))


class LongAndShortCall(NDRCALL):  # type: ignore[misc]
    structure = (("p", LongAndShort), ("q", THEIR_SHORT))


def test_structure_gap() -> None:
    padded = request(Member("p", struct(Member("l", LONG), Member("s", SHORT))), Member("q", SHORT))
    stub = encode(padded, IN, {"p": {"l": 1, "s": 2}, "q": 3}, {}, NDR64, "<")
    assert stub == bytes.fromhex("01000000 0200 0000  0300")
    theirs = LongAndShortCall(isNDR64=True)
    theirs["p"]["l"], theirs["p"]["s"], theirs["q"] = 1, 2, 3
    assert theirs.getData() == bytes.fromhex("01000000 0200  0300")

    compared = call("ept_lookup", OUT, NDR64)
    entry = {"object": "00112233-4455-6677-8899-aabbccddeeff", "tower": None, "annotation": ""}
    values = {"entry_handle": None, "num_ents": 1, "entries": [entry], "status": 5}
    stub = compared.encoded(values)
    assert stub[-12:] == bytes.fromhex("00 00000000000000 05000000")
    assert compared.built(values) == stub
    shorter = impacket_values.built(compared.operation, OUT, NDR64, values)
    assert len(shorter) == len(stub) - 4
    assert compared.decoded(shorter).values == values | {"status": None}


class ByteOrHyper(NDRUNION):  # type: ignore[misc]
    union: ClassVar = {17: ("b", NDRUSMALL), 21: ("h", NDRUHYPER)}


class Variant(NDRSTRUCT):  # type: ignore[misc]
    structure = (("vt", NDRUSHORT), ("r", NDRUSHORT), ("u", ByteOrHyper))


class VariantCall(NDRCALL):  # type: ignore[misc]
    structure = (("p", Variant),)


class SecondVariantCall(NDRCALL):  # type: ignore[misc]
    structure = (("q", NDRUSHORT), ("p", Variant))


BYTE_OR_HYPER: Final = Union("", USHORT, (Arm((17,), Member("b", BYTE)), Arm((21,), Member("h", ULONGLONG))))
VARIANT: Final = Member(
    "p", struct(Member("vt", USHORT), Member("r", USHORT), Member("u", BYTE_OR_HYPER, switch_is="vt"))
)
A_BYTE: Final = {"q": 9, "p": {"vt": 17, "r": 2, "u": {"b": 5}}}


def _fill(call: NDRCALL) -> NDRCALL:
    call["p"]["vt"], call["p"]["r"] = 17, 2
    call["p"]["u"]["tag"] = 17
    call["p"]["u"]["b"] = 5
    return call


def test_impacket_union_arm() -> None:
    assert encode(request(VARIANT), IN, A_BYTE, {}, NDR, "<") == bytes.fromhex("1100 0200 1100 05")
    assert _fill(VariantCall()).getData() == bytes.fromhex("1100 0200 1100 bdbd 05")


def test_impacket_structure_alignment() -> None:
    ours = encode(request(Member("q", USHORT), VARIANT), IN, A_BYTE, {}, NDR, "<")
    assert ours == bytes.fromhex("0900 000000000000 1100 0200 1100 05")
    theirs = _fill(SecondVariantCall())
    theirs["q"] = 9
    assert theirs.getData() == bytes.fromhex("0900 1100 0200 1100 05")


class HyperArray(NDRUniConformantArray):  # type: ignore[misc]
    item = NDRUHYPER


class HyperCall(NDRCALL):  # type: ignore[misc]
    structure = (("p", HyperArray),)


def test_impacket_array_parameter() -> None:
    ours = encode(request(Member("p", Array(ULONGLONG, size_is="1"))), IN, {"p": [5]}, {}, NDR, "<")
    assert ours == bytes.fromhex("01000000 00000000 0500000000000000")
    theirs = HyperCall()
    element = NDRUHYPER()
    element["Data"] = 5
    theirs["p"] = [element]
    assert theirs.getData() == bytes.fromhex("01000000 0500000000000000")
