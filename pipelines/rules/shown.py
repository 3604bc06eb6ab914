"""Values of findings as people read them."""

from __future__ import annotations

from decoders.status import fault_name, status_name


def hexadecimal(number: int | None) -> str:
    return "none" if number is None else f"0x{number:08x}"


def code_shown(code: int | None) -> str:
    """A status or fault with its name."""
    if code is None:
        return "none"
    name = status_name(code) or fault_name(code)
    return f"{hexadecimal(code)} {name}" if name else hexadecimal(code)
