"""Security descriptors as SDDL: who may do what to an object, in the form that Windows' own tools take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from decoders.security.descriptors import parse_descriptor
from decoders.security.queue_access import EVERYTHING, queue_rights
from decoders.security.sddl import sddl_text
from schemas.model import STRING, Column
from schemas.tables.derived_model import Derived, struct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.security.descriptors import SecurityDescriptor
    from schemas.tables.derived_model import Values

_SECURITY: Final = struct(
    sddl=STRING,
    queue_rights=pa.list_(struct(access=STRING, sid=STRING, rights=pa.list_(STRING))),
    problems=pa.list_(STRING),
)
_ACCESS: Final = {0x00: "allowed", 0x01: "denied"}
"""By AceType: [MS-DTYP] 2.4.4.1."""
_EVERYONE: Final = "S-1-1-0"
_QUEUE: Final = 1
"""[MS-MQDS] 2.2.8. qmcomm's calls are about queues only, and do not say so."""
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
    descriptor = parse_descriptor(raw if size is None else raw[:size])
    return {
        "sddl": sddl_text(descriptor),
        "queue_rights": _rights(descriptor) if request.get("dwObjectType", _QUEUE) == _QUEUE else None,
        "problems": [f"{one.code}: {one.detail}" for one in descriptor.problems] or None,
    }


def _rights(descriptor: SecurityDescriptor) -> list[Values] | None:
    if descriptor.null_dacl:
        return [{"access": "allowed", "sid": _EVERYONE, "rights": [EVERYTHING]}]
    return [
        {"access": _ACCESS[ace.AceType], "sid": ace.Sid, "rights": list(queue_rights(ace.Mask))}
        for ace in (descriptor.dacl.aces if descriptor.dacl else ())
        if ace.AceType in _ACCESS and ace.Mask is not None
    ] or None


def _problems(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - a value of the column
    for one in (value or {}).get("problems") or ():
        code, _, detail = one.partition(": ")
        yield code, detail


_DOC: Final = ", as SDDL; of a queue also who is allowed and denied what, by the names of [MS-MQMQ] 2.2.24."
GIVEN: Final = Derived(Column("security", _SECURITY, f"The security descriptor given{_DOC}"), _given, _problems)
TOLD: Final = Derived(Column("security", _SECURITY, f"The security descriptor answered{_DOC}"), _told, _problems)
