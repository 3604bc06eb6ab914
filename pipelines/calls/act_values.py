"""What derived columns say of an object, as facts carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.security.queue_access import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = dict[str, Any]
MAX_TEXT: Final = 1_024
"""Characters of a value that is carried along; the typed table has it whole."""
MAX_VALUES: Final = 128
"""No call may have more properties."""
_ANYBODY: Final = {"S-1-1-0": "everyone", "S-1-5-7": "anonymous"}
_GRAVE: Final = frozenset(
    (
        *("MQSEC_DELETE_MESSAGE", "MQSEC_PEEK_MESSAGE", "MQSEC_DELETE_JOURNAL_MESSAGE"),
        *("MQSEC_DELETE_QUEUE", "MQSEC_CHANGE_QUEUE_PERMISSIONS", "MQSEC_TAKE_QUEUE_OWNERSHIP"),
        *("GENERIC_ALL", "GENERIC_READ", EVERYTHING),
    )
)


def act_values(derived: Row) -> Row | None:
    values = [
        [row["name"] or f"property {row['propid']}", _cut(row["text"])]
        for row in (derived.get("properties") or ())[:MAX_VALUES]
        if row.get("text") is not None
    ]
    security = derived.get("security")
    if security:
        values.append(["security", _cut(security["sddl"])])
    told = {"values": values, "open_to": _open_to((security or {}).get("queue_rights") or ())}
    return {name: value for name, value in told.items() if value} or None


def _open_to(entries: Iterable[Row]) -> dict[str, list[str]]:
    """Grave rights of those whom nobody has to know. What is denied first stays so: [MS-DTYP] 2.5.3.2."""
    found: dict[str, list[str]] = {}
    denied: dict[str, set[str]] = {sid: set() for sid in _ANYBODY}
    for entry in entries:
        sid, rights = entry["sid"], entry["rights"]
        if sid not in _ANYBODY:
            continue
        if entry["access"] == "denied":
            denied[sid].update(rights)
        else:
            given = found.setdefault(_ANYBODY[sid], [])
            given += [right for right in rights if right in _GRAVE - denied[sid] and right not in given]
    return {who: rights for who, rights in found.items() if rights}


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."
