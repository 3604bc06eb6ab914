"""Values of the story against columns of the typed tables."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any

_NOTHING = "no_parameters"
"""Column of an operation without parameters: a struct of a table cannot be empty."""


def differences(said: Any, found: Any, where: str = "") -> list[str]:  # noqa: ANN401
    """Where they differ. `said` leaves out the arms of a union that are not on the wire."""
    if isinstance(said, bytes) and isinstance(found, dict):
        summary = {"size": len(said), "sha256": hashlib.sha256(said).hexdigest()}
        kept = found["bytes"]
        same = {name: found[name] for name in summary} == summary and kept in (None, said)
        return [] if same else [f"{where}: {len(said)} bytes, not {found['size']} with {found['sha256']}"]
    if isinstance(said, dict) and isinstance(found, dict):
        extra = [name for name, value in found.items() if name not in {*said, _NOTHING} and value is not None]
        return [
            *(f"{where}.{name}: not said" for name in extra),
            *(line for name in said for line in differences(said[name], found.get(name), f"{where}.{name}")),
        ]
    if isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        return [
            line
            for at, (one, other) in enumerate(zip(said, found, strict=True))
            for line in differences(one, other, f"{where}[{at}]")
        ]
    if isinstance(found, Decimal):
        found = int(found)
    return [] if said == found and type(said) is type(found) else [f"{where}: {said!r}, not {found!r}"]
