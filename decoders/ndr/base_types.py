"""The base types of IDL and Windows' names for them ([MS-DTYP] 2.2)."""

from __future__ import annotations

from decoders.ndr.model import Guid, Scalar

BYTE = Scalar("byte", 1)
UNSIGNED_CHAR = Scalar("unsigned char", 1)
CHAR = Scalar("char", 1)
UCHAR = Scalar("UCHAR", 1)
SIGNED_CHAR = Scalar("CHAR", 1, signed=True)
WCHAR = Scalar("wchar_t", 2, character=True)
DTYP_WCHAR = Scalar("WCHAR", 2, character=True)
SHORT = Scalar("short", 2, signed=True)
UNSIGNED_SHORT = Scalar("unsigned short", 2)
USHORT = Scalar("USHORT", 2)
LONG = Scalar("long", 4, signed=True)
UNSIGNED_LONG = Scalar("unsigned long", 4)
ULONG = Scalar("ULONG", 4)
DWORD = Scalar("DWORD", 4)
DTYP_SHORT = Scalar("SHORT", 2, signed=True)
DTYP_LONG = Scalar("LONG", 4, signed=True)
BOOL = Scalar("BOOL", 4, signed=True)
HRESULT = Scalar("HRESULT", 4)
"""Kept unsigned: people know 0xC00E0003, not a negative number."""
ULONGLONG = Scalar("ULONGLONG", 8)
LARGE_INTEGER = Scalar("LARGE_INTEGER", 8, signed=True)
ULARGE_INTEGER = Scalar("ULARGE_INTEGER", 8)
FLOAT = Scalar("float", 4, floating=True)
DOUBLE = Scalar("double", 8, floating=True)
GUID = Guid()
UUID = Guid("UUID")
