"""What binds offer and servers take: presentation contexts and features. [MS-RPCE] 3.3.1.5.3, 3.3.1.5.6."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from tests.conforming.products import Product
    from tests.conforming.world import World

KEEPS_ORPHANED: Final = 0x02
_SECURITY_CONTEXTS: Final = 0x01
INTERFACE_UNKNOWN: Final = 1
"""abstract_syntax_not_supported: [C706] 12.6.3.1."""
_INTERFACES: Final = ("qm2qm", "qmcomm", "qmcomm2", "RemoteRead", "qmmgmt", "dscomm")
_BOTH: Final = ("ndr/ndr64", "ndr/ndr64", "ndr64/ndr")


def syntaxes(world: World, client: Product, server: Product, interface: str) -> str:
    """The client offers what it has; the server takes one and rejects the other."""
    # [MS-MQMR] 2.2 takes NDR only.
    able = client.has_ndr64 and (interface != "qmmgmt" or world.plant.leaves_out("ndr"))
    taken = "ndr64" if able and server.has_ndr64 and world.likely(0.4) else "ndr"
    offers = f" offers {world.manners.choice(_BOTH)}" if able and world.manners.random() < 0.6 else ""
    return f"syntax {taken}{offers}"


def features(world: World, client: Product, server: Product) -> tuple[str, int]:
    """What is said of them, and what both have. A client may be configured not to ask (note 99)."""
    if not client.negotiates_features or world.manners.random() < 0.3:
        return "", 0
    asked = _SECURITY_CONTEXTS | KEEPS_ORPHANED
    if not server.negotiates_features:
        return f" features {asked}", 0
    agreed = asked & world.manners.choice((asked, asked, KEEPS_ORPHANED, 0))
    return f" features {asked} acks {agreed}", agreed


def unknown(world: World, served: Collection[str]) -> str | None:
    """An interface that somebody asks for in vain; mostly nobody does."""
    missing = [one for one in _INTERFACES if one not in served]
    return world.manners.choice(missing) if missing and world.manners.random() < 0.05 else None
