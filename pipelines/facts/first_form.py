"""The first form in which facts were stored: JSON lists without names. It is read for ever and never written."""

from __future__ import annotations

from typing import Any, Final

Fields = dict[str, Any]
CALL: Final = (
    "ends", "call_uid", "place", "endpoint", "opnum", "operation", "source", "syntax", "group", "auth_type",
    "auth_level", "authenticated", "username", "domain", "encrypted", "outcome", "status", "fault", "request",
    "response", "request_whole", "response_whole", "asked", "answered", "request_frames", "response_frames",
    "capture_id", "message", "workstation", "told", "unexplained",
)  # fmt: skip
CONNECTION: Final = ("ends", "until", "endings", "ended_by", "closed", "midstream", "binds")
ENDING: Final = ("side", "how", "at")
BIND: Final = (
    "kind", "ts_ns", "interfaces", "auth_type", "auth_level", "asked_group", "group", "answer", "reason", "frame",
    "capture_id",
)  # fmt: skip
BLIND: Final = ("until", "reason")
_PLACES: Final = {"call": CALL, "connection": CONNECTION, "blind": BLIND}


def named(kind: str, data: list[Any]) -> Fields:
    """The same as the second form has it: what the columns of the row say is left out."""
    fields = dict(zip(_PLACES[kind], data, strict=True))
    fields.pop("place", None)
    if "ends" in fields:
        _, orig_p, _, resp_p = fields.pop("ends")
        fields["ports"] = [orig_p, resp_p]
    for name, places in (("endings", ENDING), ("binds", BIND)):
        if name in fields:
            fields[name] = [dict(zip(places, one, strict=True)) for one in fields[name]]
    return fields
