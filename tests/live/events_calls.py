"""Two calls that impacket does not have, in its words: [MS-DCOM] 3.1.1.5.4 and [MC-MQAC] 3.16.4.5.3."""

from __future__ import annotations

from impacket.dcerpc.v5.dcomrt import DCOMANSWER, DCOMCALL, PMInterfacePointer
from impacket.dcerpc.v5.dtypes import DWORD, GUID, HRESULT


class CreateInstance(DCOMCALL):  # type: ignore[misc]
    opnum = 3
    structure = (("riid", GUID),)


class CreateInstanceResponse(DCOMANSWER):  # type: ignore[misc]
    structure = (("ppvObject", PMInterfacePointer), ("ErrorCode", HRESULT))


class Advise(DCOMCALL):  # type: ignore[misc]
    opnum = 5
    structure = (("pUnkSink", PMInterfacePointer),)


class AdviseResponse(DCOMANSWER):  # type: ignore[misc]
    structure = (("pdwCookie", DWORD), ("ErrorCode", HRESULT))
