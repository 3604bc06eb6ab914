r"""Names of queues: how to tell that two of them mean one queue.

A queue opened at its owner may be called by any name of that host (OS:, TCP:, a path): what counts then is the rest.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_DIRECT: Final = re.compile(r"DIRECT=(OS|TCP):([^\\]+)\\(.+)", re.IGNORECASE | re.DOTALL)
_PATH: Final = re.compile(r"([^\\=:;]+)\\((?:private\$\\)?[^\\]+)", re.IGNORECASE | re.DOTALL)
_OWNED: Final = re.compile(r"(?:PRIVATE|MACHINE)=([0-9a-f-]{36})", re.IGNORECASE)
_IDENTIFIED: Final = re.compile(r"(?:PUBLIC|PRIVATE)=", re.IGNORECASE)
_THIS_HOST: Final = "."
MAX_NAME: Final = 1_024
"""Characters of a name that is noted: the longest format name has fewer."""


class QueueNames(NamedTuple):
    keys: frozenset[str]
    """Names of one queue have one in common."""
    shown: tuple[str, ...]


def queue_names(name: str | None, server: str, *, owned: bool) -> QueueNames | None:
    """`owned`: the server must be the queue's owner, or it would not have the queue."""
    if not name or len(name) > MAX_NAME:
        return None
    host, rest = _taken_apart(name)
    if rest is None:
        return QueueNames(frozenset((name.lower(),)), (name,))
    keys = {f"{host}\\{rest}".lower()} if host != _THIS_HOST else set()
    if owned or host in (_THIS_HOST, server):
        keys.add(f"@{server}\\{rest}".lower())
    return QueueNames(frozenset(keys), (name,))


def computer_name(name: str | None) -> str | None:
    """Of the queue's host, where the name has it as text."""
    if not name or len(name) > MAX_NAME:
        return None
    direct = _DIRECT.fullmatch(name)
    if direct:
        return direct[2] if direct[1].upper() == "OS" else None
    path = _PATH.fullmatch(name)
    return path[1] if path and path[1] != _THIS_HOST else None


def queue_manager_of(name: str | None) -> str | None:
    """GUID of the queue manager that a format name puts the queue with."""
    owned = _OWNED.match(name or "")
    return owned[1].lower() if owned else None


def may_lie_at(name: str, server: str) -> bool:
    """Whether a message addressed so may lie in a queue of the server; lists and multicast names say nothing of it."""
    direct = _DIRECT.fullmatch(name)
    if direct:
        return direct[1].upper() == "OS" or direct[2] == server
    return _IDENTIFIED.match(name) is not None


def _taken_apart(name: str) -> tuple[str, str | None]:
    direct = _DIRECT.fullmatch(name)
    if direct:
        return direct[2], direct[3]
    path = _PATH.fullmatch(name)
    return (path[1], path[2]) if path else (name, None)
