"""What events of OCSF share."""

from __future__ import annotations

from typing import Any, Final

from schemas.exports.converters import first_millis, millis
from schemas.exports.model import Field

VERSION: Final = "1.4.0"
"""The oldest that has all the fields; later ones of 1.x only add to it."""
STATUS: Final = {"unknown": 0, "success": 1, "failure": 2}
_USER_NAME: Final = 4
"""Type of an observable."""


def base(class_uid: int, time: str | tuple[str, ...]) -> tuple[Field, ...]:
    return (
        Field("metadata.version", always=VERSION),
        Field("metadata.product.name", always="mqtrail"),
        Field("metadata.product.vendor_name", always="mqtrail"),
        Field("category_uid", always=class_uid // 1000),
        Field("class_uid", always=class_uid),
        Field("time", time, millis if isinstance(time, str) else first_millis),
    )


def user(username: str | None, domain: str | None) -> dict[str, Any] | None:
    """An object with name and domain."""
    if username is None:
        return None
    return {"name": username} | ({} if domain is None else {"domain": domain})


def queue_touched(name: str) -> list[dict[str, Any]]:
    """One object: the queue."""
    return [{"name": name, "type": "queue"}]


def person_behind(username: str) -> list[dict[str, Any]]:
    """One object: the person for whom a machine acted."""
    return [
        {"name": "unmapped.opened_for_username", "type_id": _USER_NAME, "type": "User Name", "value": username},
    ]
