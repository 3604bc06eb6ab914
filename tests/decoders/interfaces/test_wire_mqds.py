"""Stubs of dscomm and dscomm2: sizes behind what they size, strings that the IDL does not call so, callbacks."""

from __future__ import annotations

import uuid

import pytest

from decoders.interfaces import dscomm, dscomm2
from decoders.ndr.model import Direction, Syntax
from tests.decoders.interfaces.wire import counted, decoded, read, words

GUID = "00112233-4455-6677-8899-aabbccddeeff"
DSCOMM, DSCOMM2 = dscomm.INTERFACE, dscomm2.INTERFACE
IN, OUT = Direction.IN, Direction.OUT
PATH = counted(r"srv\q1")
"""Fourteen bytes of characters: two of padding follow."""
PADDED = PATH + bytes(-len(PATH) % 4)
NUMBER = bytes.fromhex("1300 00 00 00000000 1300 0000 07000000")


def test_a_path_is_a_string_and_more_follows() -> None:
    stub = words(1) + PADDED + words(4, 0x20000, 3) + b"abc\0" + words(3)
    values = read(DSCOMM, 5, IN, stub)
    assert (values["pwcsPathName"], values["pSecurityDescriptor"], values["nLength"]) == (r"srv\q1", b"abc", 3)


@pytest.mark.parametrize(("opnum", "complete"), [(1, True), (5, False)])
def test_one_character_is_read_as_the_idl_has_it_only_where_nothing_follows(opnum: int, complete: bool) -> None:
    found = decoded(DSCOMM, opnum, IN, words(1) + b"P\0")
    assert (found.complete, found.values["pwcsPathName"]) == (complete, "P" if complete else None)


def test_a_size_that_comes_later_is_compared() -> None:
    found = decoded(DSCOMM, 5, IN, words(1) + PADDED + words(4, 0x20000, 3) + b"abc\0" + words(4))
    assert [(problem.code, problem.path) for problem in found.problems] == [
        ("ndr-count-differs", "pSecurityDescriptor")
    ]


def test_properties_are_asked_for_and_signed() -> None:
    stub = words(1) + PADDED + words(1, 1, 103, 1)
    stub += bytes(-len(stub) % 8) + NUMBER + bytes(20) + words(1024)
    values = read(DSCOMM, 2, IN, stub)
    assert (values["aProp"], values["phServerAuth"], values["pdwServerSignatureSize"]) == ([103], None, 1024)
    answer = words(1, 0) + NUMBER + words(5) + b"signd\0\0\0" + words(5, 0)
    values = read(DSCOMM, 2, OUT, answer)
    assert values["apVar"][0]["_varUnion"]["ulVal"] == 7
    assert (values["pbServerSignature"], values["pdwServerSignatureSize"]) == (b"signd", 5)


def test_the_range_of_a_named_type_holds_behind_its_pointer() -> None:
    answer = words(1, 0) + NUMBER + words(0, 131_073, 0)
    found = decoded(DSCOMM, 2, OUT, answer)
    assert {(problem.code, problem.path) for problem in found.problems} == {
        ("ndr-range", "pdwServerSignatureSize"),
        ("ndr-count-differs", "pbServerSignature"),
    }


def test_a_search() -> None:
    stub = words(0, 0x20000) + words(1, 0x20004, 1) + bytes(-20 % 8)
    stub += words(4, 103) + NUMBER + words(1, 0x20008, 1, 101, 0x2000C, 1, 0x20010, 1, 101, 1) + bytes(20)
    values = read(DSCOMM, 6, IN, stub)
    assert values["pwcsContext"] is None
    (one,) = values["pRestriction"]["paPropRes"]
    assert (one["rel"], one["prop"], one["prval"]["_varUnion"]["ulVal"]) == (4, 103, 7)
    assert values["pColumns"] == {"cCol": 1, "aCol": [101]}
    assert values["pSort"] == {"cCol": 1, "aCol": [{"propColumn": 101, "dwOrder": 1}]}


def test_results_of_a_search() -> None:
    stub = words(1, 16, 0, 1) + NUMBER + words(0, 0, 0)
    values = read(DSCOMM, 7, OUT, stub)
    assert (values["dwOutSize"], len(values["pbBuffer"]), values["pbServerSignature"]) == (1, 1, b"")


@pytest.mark.parametrize("syntax", Syntax)
def test_sites_stand_behind_one_referent_id(syntax: Syntax) -> None:
    word = 4 if syntax is Syntax.NDR else 8
    stub = words(1).ljust(word, b"\0") + words(0x20000, 1, 0, 1, size=word) + uuid.UUID(GUID).bytes_le
    stub += words(0, size=word) + words(0, 0)
    assert read(DSCOMM2, 0, OUT, stub, syntax)["ppguidSites"] == [GUID]


def test_full_pointers_to_strings_are_each_their_own() -> None:
    name = counted("abc")
    stub = words(1) + name + words(2) + name + bytes(20) + words(0)
    values = read(DSCOMM2, 8, IN, stub)
    assert (values["lpwszComputerName"], values["lpwszDomainName"]) == ("abc", "abc")


def test_the_server_asks_in_a_callback() -> None:
    values = read(DSCOMM, 2, IN, words(9, 5) + b"token\0\0\0" + words(5, 4096), callback=True)
    assert (values["dwContext"], values["pServerbuff"], values["dwClientBuffMaxSize"]) == (9, b"token", 4096)
    values = read(DSCOMM, 2, OUT, words(4096, 0, 3) + b"abc\0" + words(3, 0x90312), callback=True)
    assert (values["pClientBuff"], values["return_value"]) == (b"abc", 0x90312)
