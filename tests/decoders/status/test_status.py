"""Names of codes: known ones by value, the tables against each other, against impacket and the specifications."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.status import fault_name, status_name, win32_of_fault
from decoders.status.ept import EPT
from decoders.status.hresult import HRESULT_ELSEWHERE, HRESULT_LISTED
from decoders.status.mq import MQ, MQ_ELSEWHERE, MQ_LISTED
from decoders.status.nca import NCA, NCA_TO_WIN32
from decoders.status.ntstatus import NTSTATUS
from decoders.status.win32 import WIN32
from tests.decoders.interfaces import specifications

if TYPE_CHECKING:
    from collections.abc import Mapping

ROW = re.compile(r"^\| (0x[0-9A-Fa-f]{8}) ([A-Za-z0-9_]+) \|", re.MULTILINE)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (0x00000000, "MQ_OK"),
        (0xC00E0003, "MQ_ERROR_QUEUE_NOT_FOUND"),
        (0xC00E001B, "MQ_ERROR_IO_TIMEOUT"),
        (0xC00E0504, "MQDS_UNKNOWN_SOURCE"),
        (0x400E03E9, "MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT"),
        (0xC000000D, "STATUS_INVALID_PARAMETER"),
        (0xC0000225, "STATUS_NOT_FOUND"),
        (0xD0000022, "HRESULT_FROM_NT(STATUS_ACCESS_DENIED)"),
        (0x80070005, "E_ACCESSDENIED"),
        (0x80070002, "HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND)"),
        (0x800706BA, "HRESULT_FROM_WIN32(RPC_S_SERVER_UNAVAILABLE)"),
        (0x8009030C, "SEC_E_LOGON_DENIED"),
        (0x000006BA, "RPC_S_SERVER_UNAVAILABLE"),
        (0x16C9A0D6, "ept_s_not_registered"),
        (0x80010108, "RPC_E_DISCONNECTED"),
        (0x80010114, "RPC_E_INVALID_OBJECT"),
        (0x800401FB, "CO_E_OBJNOTREG"),
        (0x80020009, "DISP_E_EXCEPTION"),
        (0x80040200, "CONNECT_E_NOCONNECTION"),
        (0x00000776, "OR_INVALID_OXID"),
    ],
)
def test_a_return_value_has_its_name(code: int, name: str) -> None:
    assert status_name(code) == name


@pytest.mark.parametrize("code", [0xC00EFFFF, 0x8007FFFF, 0xD000FFFF, 0x1C000003, 0x00070005, 0x12345678])
def test_a_code_that_is_not_listed_has_no_name(code: int) -> None:
    assert status_name(code) is None


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (0, "ERROR_SUCCESS"),
        (0x16C9A0CD, "ept_s_cant_perform_op"),
        (0x6D9, "EPT_S_NOT_REGISTERED"),
        (0xC00E0003, None),
    ],
)
def test_the_endpoint_mapper_has_its_own_codes(code: int, name: str | None) -> None:
    assert status_name(code, "epm") == name


@pytest.mark.parametrize(
    ("code", "name", "seen"),
    [
        (0x1C010002, "nca_op_rng_error", 0x6D1),
        (0x1C01000B, "nca_proto_error", 0x6C0),
        (0x1C00001A, "nca_s_fault_context_mismatch", 6),
        (0x1C000024, "nca_s_fault_object_not_found", 0x1C000024),
        (0x00000005, "ERROR_ACCESS_DENIED", 5),
        (0x000006F7, "RPC_X_BAD_STUB_DATA", 0x6F7),
        (0xC00E0007, "MQ_ERROR_INVALID_HANDLE", 0xC00E0007),
        (0xC0000005, "STATUS_ACCESS_VIOLATION", 0xC0000005),
        (0xDEADBEEF, None, 0xDEADBEEF),
    ],
)
def test_a_fault_has_its_name_and_what_the_caller_sees(code: int, name: str | None, seen: int) -> None:
    assert fault_name(code) == name
    assert win32_of_fault(code) == seen


def test_no_code_has_two_names_in_tables_that_are_joined() -> None:
    returned: list[Mapping[int, str]] = [MQ_LISTED, MQ_ELSEWHERE, HRESULT_LISTED, HRESULT_ELSEWHERE, NTSTATUS, EPT]
    assert len(set().union(*returned)) == sum(map(len, returned))
    assert not NCA.keys() & WIN32.keys()
    assert not NCA.keys() & set().union(*returned)
    assert WIN32.keys() & set().union(*returned) == {0}


def test_what_a_caller_sees_instead_is_itself_named() -> None:
    assert NCA_TO_WIN32.keys() <= NCA.keys()
    assert set(NCA_TO_WIN32.values()) <= WIN32.keys()


def test_message_queuing_codes_are_of_its_facility() -> None:
    assert {code >> 16 & 0x7FF for code in MQ if code} == {14}


@given(st.integers(0, 0xFFFFFFFF))
def test_any_code_is_looked_up_without_an_exception(code: int) -> None:
    assert status_name(code) is None or fault_name(code) is not None
    assert 0 <= win32_of_fault(code) <= 0xFFFFFFFF


def test_impacket_has_the_same_numbers() -> None:
    from impacket.dcerpc.v5.rpcrt import rpc_status_codes

    for table in (NCA, EPT):
        for code, name in table.items():
            # impacket writes nca_s_ before all of them, and a blank behind some.
            assert rpc_status_codes[code].strip().replace("_s_", "_") == name.replace("_s_", "_")


@specifications.needed
@pytest.mark.parametrize(
    ("document", "start", "end", "table"),
    [
        ("MS-MQMQ", "\n## 2.4 Error Codes", "\n## 2.5 ", MQ_LISTED),
        ("MS-ERREF", "\n### 2.1.1 HRESULT Values", "\n### 2.1.2 ", HRESULT_LISTED),
        ("MS-ERREF", "\n## 2.2 Win32 Error Codes", "\n## 2.3 ", WIN32),
        ("MS-ERREF", "\n### 2.3.1 NTSTATUS Values", "\n## 2.4 ", NTSTATUS),
    ],
)
def test_the_specification_has_the_same_numbers(document: str, start: str, end: str, table: Mapping[int, str]) -> None:
    text = specifications.text_of(document)
    text = text[text.index(start) : text.index(end)]
    listed = {(int(code, 16), name) for code, name in ROW.findall(text)}
    assert set(table.items()) <= listed
    if table is MQ_LISTED:
        assert set(table.items()) == listed


@specifications.needed
def test_the_specification_maps_faults_to_the_same_names() -> None:
    text = specifications.text_of("MS-RPCE")
    mapped = dict(re.findall(r"^\| (nca_\w+) \| (\w+|Not mapped\.) \|", text, re.MULTILINE))
    # Names that Windows' headers define as others'.
    alias = {
        "RPC_S_SERVER_OUT_OF_MEMORY": "ERROR_NOT_ENOUGH_SERVER_MEMORY",
        "RPC_S_OUT_OF_MEMORY": "ERROR_OUTOFMEMORY",
        "RPC_X_SS_CONTEXT_MISMATCH": "ERROR_INVALID_HANDLE",
    }
    codes = {name: code for code, name in NCA.items()}
    assert len(mapped) == 44
    for name, seen in mapped.items():
        if seen == "Not mapped.":
            assert codes[name] not in NCA_TO_WIN32
        else:
            assert WIN32[NCA_TO_WIN32[codes[name]]] == alias.get(seen, seen)


@specifications.needed
def test_the_codes_of_connection_points_are_those_of_the_rules() -> None:
    text = specifications.text_of("MC-MQAC")
    assert HRESULT_ELSEWHERE
    for code, name in HRESULT_ELSEWHERE.items():
        assert f"Return {name} (0x{code:08X})" in text
