"""Security descriptors as SDDL: who may do what to an object, in the form that Windows' own tools take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from decoders.security.sddl import descriptor_sddl
from schemas.model import STRING, Column
from schemas.tables.derived_model import Derived, struct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.tables.derived_model import Values

_SECURITY: Final = struct(sddl=STRING, problems=pa.list_(STRING))
_PUBLIC_KEYS: Final = 0xC000_0000
"""MQDS_SIGN_PUBLIC_KEY and MQDS_KEYX_PUBLIC_KEY: then the bytes are a key ([MS-MQDS] 3.1.4.11)."""
_INFORMATION: Final = ("SecurityInformation", "RequestedInformation")


def _given(request: Values, _: Values) -> Values | None:
    return _security(request, _descriptor(request))


def _told(request: Values, response: Values) -> Values | None:
    if response.get("return_value") != 0:
        return None
    return _security(request, _descriptor(response), response.get("lpnLengthNeeded"))


def _descriptor(side: Values) -> bytes | None:
    return side.get("pSecurityDescriptor") or side.get("SecurityDescriptor")


def _security(request: Values, raw: bytes | None, size: int | None = None) -> Values | None:
    information = next((request[name] for name in _INFORMATION if request.get(name) is not None), 0)
    if not raw or information & _PUBLIC_KEYS:
        return None
    text, problems = descriptor_sddl(raw if size is None else raw[:size])
    return {"sddl": text, "problems": [f"{one.code}: {one.detail}" for one in problems] or None}


def _problems(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - a value of the column
    for one in (value or {}).get("problems") or ():
        code, _, detail = one.partition(": ")
        yield code, detail


GIVEN: Final = Derived(Column("security", _SECURITY, "The security descriptor given, as SDDL."), _given, _problems)
TOLD: Final = Derived(Column("security", _SECURITY, "The security descriptor answered, as SDDL."), _told, _problems)
