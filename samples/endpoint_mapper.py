"""The endpoint mapper of the sample host: ept_lookup, ept_map and ept_lookup_handle_free over a fixed table."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from impacket.dcerpc.v5.epm import (
    ept_entry_t,
    ept_lookup,
    ept_lookup_handle_t,
    ept_lookupResponse,
    ept_map,
    ept_mapResponse,
    twr_p_t,
)
from impacket.dcerpc.v5.ndr import NDRCALL, NDRULONG

from samples.ndr_base import NULL_HANDLE, encode, octets
from samples.towers import build_tower, handles, read_tower

if TYPE_CHECKING:
    from samples.rpc_server import Operations

EPM = ("e1af8308-5d1f-11c9-91a4-08002b14a0fa", "3.0")
EPT_S_NOT_REGISTERED = 0x16C9A0D6

# [ptr] pointers are full pointers: an id of the request that comes again in the answer is an alias, not a new tower.
FIRST_ID_OF_ANSWER = 0x00030000


class ept_lookup_handle_free(NDRCALL):  # type: ignore[misc]  # noqa: N801
    opnum = 4
    structure = (("entry_handle", ept_lookup_handle_t),)


class ept_lookup_handle_freeResponse(NDRCALL):  # type: ignore[misc]  # noqa: N801
    structure = (("entry_handle", ept_lookup_handle_t), ("status", NDRULONG))


class EndpointMapper:
    """Registrations in order: interface, port, annotation."""

    def __init__(self, host: str, registered: list[tuple[tuple[str, str], int, str]]) -> None:
        self.entries = [(build_tower(interface, port, host), note) for interface, port, note in registered]
        self.open: dict[bytes, int] = {}
        self.handles = handles("ept-lookup")

    def operations(self) -> Operations:
        return {2: self.lookup, 3: self.map, 4: self.free}

    def lookup(self, stub: bytes) -> bytes:
        """Entries from where the handle left off; a null handle in the answer says that there are no more."""
        request = ept_lookup(stub)
        start = self.open.pop(request["entry_handle"].getData(), 0)
        stop = start + request["max_ents"]
        response = ept_lookupResponse()
        if stop < len(self.entries):
            handle = next(self.handles)
            self.open[handle] = stop
            response["entry_handle"].fromString(handle)
        entries = [_entry(tower, note) for tower, note in self.entries[start:stop]]
        response["num_ents"] = len(entries)
        response["entries"] = entries
        response.fields["entries"].fields["MaximumCount"] = request["max_ents"]
        response["status"] = 0
        return encode(response, count(FIRST_ID_OF_ANSWER))

    def map(self, stub: bytes) -> bytes:
        request = ept_map(stub)
        wanted = dict(read_tower(octets(request.fields["map_tower"].fields["Data"].fields["tower_octet_string"])))
        found = [
            tower for tower, _ in self.entries if dict(read_tower(tower))["interface_uuid"] == wanted["interface_uuid"]
        ][: request["max_towers"]]
        response = ept_mapResponse()
        response["num_towers"] = len(found)
        response["ITowers"] = [_pointer(tower) for tower in found]
        response.fields["ITowers"].fields["MaximumCount"] = request["max_towers"]
        response["status"] = 0 if found else EPT_S_NOT_REGISTERED
        return encode(response, count(FIRST_ID_OF_ANSWER))

    def free(self, stub: bytes) -> bytes:
        request = ept_lookup_handle_free(stub)
        self.open.pop(request["entry_handle"].getData(), None)
        response = ept_lookup_handle_freeResponse()
        response["entry_handle"].fromString(NULL_HANDLE)
        return encode(response, count(FIRST_ID_OF_ANSWER))


def map_request(interface: tuple[str, str], max_towers: int) -> NDRCALL:
    """What a client asks: the interface, port 0 and address 0.0.0.0 to be filled in."""
    request = ept_map()
    request.fields["obj"].fields["ReferentID"] = 0
    request.fields["map_tower"] = _pointer(build_tower(interface, 0, "0.0.0.0"), top_level=True)
    request["max_towers"] = max_towers
    return request


def lookup_request(max_ents: int) -> NDRCALL:
    """Every entry, no filter: what a port scanner's endpoint dump sends."""
    request = ept_lookup()
    request.fields["object"].fields["ReferentID"] = 0
    request.fields["Ifid"].fields["ReferentID"] = 0
    request["vers_option"] = 1
    request["max_ents"] = max_ents
    return request


def _pointer(tower: bytes, top_level: bool = False) -> twr_p_t:
    pointer = twr_p_t(topLevel=top_level)
    pointer["tower_length"] = len(tower)
    pointer["tower_octet_string"] = tower
    return pointer


def _entry(tower: bytes, note: str) -> ept_entry_t:
    entry = ept_entry_t()
    entry["object"] = bytes(16)
    entry.fields["tower"] = _pointer(tower)
    entry["annotation"] = f"{note}\0".encode("ascii")
    return entry
