"""Names for what a response returns and for what a fault says. A code nobody listed has no name, never a wrong one."""

from __future__ import annotations

from typing import Final

from decoders.registry import BY_NAME, DCOM
from decoders.status.ept import EPT
from decoders.status.hresult import HRESULT_NAMES
from decoders.status.mq import MQ
from decoders.status.nca import NCA, NCA_TO_WIN32
from decoders.status.ntstatus import NTSTATUS
from decoders.status.win32 import WIN32

__all__ = ["fault_name", "status_name", "win32_of_fault"]

# [MS-ERREF] 2.1, 2.1.2: severity 1 and facility 7 carry a Win32 code; the bit N marks an NTSTATUS.
_RESOLVER: Final = "IObjectExporter"
_WIN32_HRESULT: Final = 0x8007_0000
_FACILITY_MASK: Final = 0xFFFF_0000
_CODE_MASK: Final = 0x0000_FFFF
_NT_BIT: Final = 0x1000_0000

# In the order they are asked: a Win32 code is a small number and collides with nothing but success.
_RETURNED: Final = MQ | HRESULT_NAMES | NTSTATUS | EPT
_ENDPOINT_MAPPER: Final = EPT | WIN32
_FAULTS: Final = NCA | WIN32
_OF_COM: Final = {0: "S_OK", 1: "S_FALSE"} | HRESULT_NAMES


def status_name(code: int, interface: str = "") -> str | None:
    """Of a return value. `interface` by name: the endpoint mapper's success is Win32's, COM's its own, not MSMQ's."""
    if interface == "epm":
        return _ENDPOINT_MAPPER.get(code)
    if (known := BY_NAME.get(interface)) is not None and known.family in DCOM:
        # [MS-DCOM] 3.1.2.5.1: the object resolver answers with Win32 codes.
        named = WIN32 if known.name == _RESOLVER else _OF_COM
        return named.get(code) or _RETURNED.get(code) or _wrapped(code)
    return _RETURNED.get(code) or _wrapped(code) or WIN32.get(code)


def fault_name(code: int) -> str | None:
    """Of a fault PDU's status: RPC's own code, a Win32 code, or a value that a method raised instead of returning."""
    return _FAULTS.get(code) or status_name(code)


def win32_of_fault(code: int) -> int:
    """What the caller's application sees: [MS-RPCE] 3.1.1.5.5."""
    return NCA_TO_WIN32.get(code, code)


def _wrapped(code: int) -> str | None:
    if code & _FACILITY_MASK == _WIN32_HRESULT:
        inner = WIN32.get(code & _CODE_MASK)
        return inner and f"HRESULT_FROM_WIN32({inner})"
    if code & _NT_BIT:
        inner = NTSTATUS.get(code & ~_NT_BIT)
        return inner and f"HRESULT_FROM_NT({inner})"
    return None
