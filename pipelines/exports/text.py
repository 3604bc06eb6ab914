"""Text from the wire may hold anything; here it becomes part of a line and cannot end it."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import json
import re
from typing import Final

_ODD: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What some readers take for the end of a line, and what UTF-8 cannot hold; JSON itself escapes the rest."""


def json_text(value: object) -> str:
    """On one line: times in ISO 8601, bytes in base64."""
    found = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=plain)
    return _ODD.sub(escaped, found)


def plain(value: object) -> str | int:
    """Of what JSON has no type for."""
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    if isinstance(value, decimal.Decimal):
        return int(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)


def escaped(found: re.Match[str]) -> str:
    """As JSON writes a character that must not stand for itself."""
    return f"\\u{ord(found[0]):04x}"
