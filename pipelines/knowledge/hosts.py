"""Notes of all servers to rows of `hosts`."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from decoders.registry import EPM, REGISTRY
from schemas.tables.hosts import ROLES
from schemas.times import micros

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.state import HostNoteRow

Row = dict[str, Any]
_NAMES: Final = ("client_name", "format_name", "ntlm", "path_name")
_SERVING: Final = {one.name: one.served_as for one in REGISTRY.values() if one.served_as}
_CALLING: Final = {one.name: one.called_as for one in REGISTRY.values() if one.called_as}
_QUEUE_MANAGERS: Final = frozenset(name for name, role in _CALLING.items() if role == "remote_reader")
"""Interfaces by which queue managers read from each other."""


def host_rows(notes: Iterable[HostNoteRow]) -> list[Row]:
    """In order of their addresses."""
    of_host: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    times: dict[str, list[int]] = defaultdict(list)
    for note in notes:
        of_host[note["address"]][note["kind"]].add(note["value"])
        times[note["address"]] += (note["first_ts_ns"], note["last_ts_ns"])
    return [_row(address, found, times[address]) for address, found in sorted(of_host.items())]


def _row(address: str, found: dict[str, set[str]], times: list[int]) -> Row:
    return {
        "address": address,
        "roles": _roles(found),
        "serves": sorted(found["serves"]),
        "called": sorted(found["calls"]),
        "queue_managers": sorted(found["queue_manager"]),
        "computer_names": [{"name": name, "told_by": kind} for kind in _NAMES for name in sorted(found[kind])],
        "versions": sorted(found["version"]),
        "first_seen": micros(min(times)),
        "last_seen": micros(max(times)),
    }


def _roles(found: dict[str, set[str]]) -> list[str]:
    roles = {_SERVING[name] for name in found["serves"] & _SERVING.keys()}
    roles |= {_CALLING[name] for name in found["calls"] & _CALLING.keys()}
    if found["supports"]:
        roles.add("supporting_server")
        if not found["serves"] & _QUEUE_MANAGERS:
            roles.discard("queue_server")
    if found["opens"] and not found["serves"] - {EPM.name} and "remote_reader" not in roles:
        roles.add("dependent_client")
    return [role for role in ROLES if role in roles]
