"""What well-behaved peers say to the endpoint mapper and hear from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcerpc.bind import SyntaxId
from decoders.msmq.towers import build_tower
from tests.decoders.dcerpc import pdus
from tests.scripts.recipes import Recipe, World, fails, plain
from tests.scripts.words import PORTS, endpoint, name_of, syntax_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.stubs import Flat

_ANY_HOST: Final = "0.0.0.0"
_NO_OBJECT: Final = "00000000-0000-0000-0000-000000000000"
_REGISTERED: Final = (endpoint("qm2qm", 2105), endpoint("qmmgmt", 2103))


def _map(given: Flat, _: World) -> Flat:
    wanted = given.get("for", syntax_of("qm2qm"))
    tower = _tower(wanted)
    return {"obj": None, "map_tower": tower, "entry_handle": None, "max_towers": 4, "for": wanted, **given}


def _mapped(given: Flat, asked: Flat, world: World) -> Flat:
    port = given.get("port", PORTS.get(name_of(asked["for"]), PORTS["qm2qm"]))
    towers = [] if fails(given) else [_tower(asked["for"], port, given.get("host", world.server))]
    return {**asked, "entry_handle": None, "num_towers": len(towers), "ITowers": towers, **given}


def _lookup(given: Flat, _: World) -> Flat:
    everything = dict.fromkeys(("inquiry_type", "vers_option"), 0)
    return {**everything, "object": None, "Ifid": None, "entry_handle": None, "max_ents": 500, **given}


def _looked_up(given: Flat, asked: Flat, world: World) -> Flat:
    wanted = given.get("entries", [] if fails(given) else _REGISTERED)
    host = given.get("host", world.server)
    entries = [
        {"object": _NO_OBJECT, "tower": _tower(one.interface, one.port, host), "annotation": ""} for one in wanted
    ]
    return {**asked, "entry_handle": None, "num_ents": len(entries), **given, "entries": entries}


def _tower(interface: tuple[str, int, int], port: int = 0, host: str = _ANY_HOST) -> Flat:
    # A tower has no room for other addresses: [MS-RPCE] 2.2.1.2.3.
    address = _ANY_HOST if ":" in host else host
    octets = build_tower(SyntaxId(*interface), SyntaxId(*pdus.NDR), port=port, host=address)
    return {"tower_length": len(octets), "tower_octet_string": octets}


RECIPES: Final[Mapping[str, Recipe]] = {
    "ept_map": Recipe(_map, _mapped, left=frozenset(("for",)), right=frozenset(("port", "host"))),
    "ept_lookup": Recipe(_lookup, _looked_up, right=frozenset(("host",))),
    "ept_lookup_handle_free": plain({"entry_handle": None}, {"entry_handle": None}),
}
