"""Opnums of interfaces other than MSMQ's are those of scapy-rpc, which has them from Microsoft's documents."""

from __future__ import annotations

import importlib

import pytest
from scapy.layers.dcerpc import COM_INTERFACES, DCE_RPC_INTERFACES

from schemas.exports.zeek_names import OTHERS

MODULES = (
    *("ms_scmr", "ms_tsch_SchRpc", "ms_tsch_ATSvc", "ms_rprn", "ms_par", "ms_samr", "ms_lsat", "ms_lsad", "ms_drsr"),
    *("ms_efsr", "ms_rsp_initshutdown", "ms_even", "ms_wmi"),
)
SHORTENED = ("IDL_", "R")
"""What Zeek leaves out in front of a name, where it does."""
UNKNOWN_TO_SCAPY = {"df1941c5-fe89-4e79-bf10-463657acf44d"}
"""[MS-EFSR] 2.1: the same interface as c681d488-d850-11d0-8c52-00c04fd90f7e, by another pipe."""


@pytest.fixture(scope="module")
def known() -> dict[str, dict[int, str]]:
    for name in MODULES:
        importlib.import_module(f"msrpcs.{name}")
    found: dict[str, dict[int, str]] = {}
    every = [(key[0], interface) for key, interface in DCE_RPC_INTERFACES.items()]
    for uuid, interface in (*every, *COM_INTERFACES.items()):
        names = {opnum: pair[0].__name__.removesuffix("_Request") for opnum, pair in interface.opnums.items()}
        found.setdefault(str(uuid), {}).update(names)
    return found


@pytest.mark.parametrize("uuid", [uuid for uuid, named in OTHERS.items() if named.operations])
def test_opnums(uuid: str, known: dict[str, dict[int, str]]) -> None:
    if uuid in UNKNOWN_TO_SCAPY:
        assert uuid not in known
        return
    for opnum, name in OTHERS[uuid].operations.items():
        assert known[uuid][opnum] in (name, *(prefix + name for prefix in SHORTENED))
