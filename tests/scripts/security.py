"""Security descriptors in calls that set them, and in the buffers of calls that ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.scripts.descriptors import DACL, USUAL, usual
from tests.scripts.recipes import World, fails

if TYPE_CHECKING:
    from tests.scripts.stubs import Flat

__all__ = ("ALL", "DACL", "NAMES", "ROOM", "found", "given_as")
NAMES: Final = frozenset(("descriptor",))
ALL: Final = 0x7
"""Owner, group and DACL."""
ROOM: Final = 256
_TOO_SMALL: Final = 0xC00E_0023


def given_as(given: Flat, name: str, size: str) -> Flat:
    """The descriptor and its size, under the names that the operation has for them."""
    octets = _descriptor(given, name)
    return {name: octets, size: given.get(size, len(octets or b""))}


def found(given: Flat, asked: Flat, _: World) -> Flat:
    """A buffer of as many bytes as the client has room for; one that is too small says what it takes."""
    wanted = int(asked.get("RequestedInformation", asked.get("SecurityInformation")) or 0)
    octets = _descriptor(given, "pSecurityDescriptor", usual(wanted)) or b""
    failed = fails(given) and "descriptor" not in given
    needed = 0 if failed and given["return_value"] != _TOO_SMALL else len(octets)
    written = b"" if failed else octets
    return {**asked, "lpnLengthNeeded": needed, **given, "pSecurityDescriptor": written.ljust(asked["nLength"], b"\0")}


def _descriptor(given: Flat, name: str, otherwise: bytes = USUAL) -> bytes | None:
    octets: bytes | None = given.get(name, given.get("descriptor", otherwise))
    return octets
