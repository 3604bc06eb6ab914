"""What differs from one copy of a conversation to the next, and where it stands in the bytes."""

from __future__ import annotations

import string
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.realistic.scripts import QUEUE_NUMBER, SEQUENCE
from tests.scripts.identities import LICENCE
from tests.scripts.messages import SOURCE
from tests.scripts.words import handle

if TYPE_CHECKING:
    from decoders.net.model import Column

CONNECTIONS: Final = 4
"""Of one script, at most."""
QUEUES: Final = 50
"""Of one server."""
VALUES: Final = np.dtype(
    [
        ("client", ">u4"), ("server", ">u4"), ("port", ">u2", (CONNECTIONS,)),
        ("number", "<u4"), ("machine", "<u4"), ("host", "u1", (2,)), ("queue", "u1", (3,)), ("workstation", "u1", (6,)),
    ]
)  # fmt: skip
"""Of one copy. `number` is its own and never 0; `machine` is the server's."""
_CLIENTS, _SERVERS = 0x0A40_0000, 0x0AFA_0001
_FIRST_PORT, _PORTS = 49_152, 16_000
_DIGITS: Final = np.frombuffer((string.digits + string.ascii_lowercase).encode(), np.uint8)
_NAMES: Final = ("Client", "Handshake", "Orders", "Reader", "Sending", "Receiving", "Walk")
_READS: Final = 100
_GUID_BYTES: Final = 16
_TOWER_ADDRESS: Final = bytes.fromhex("0100090400 0a000009")
"""The last floor of a tower: protocol 9, IP, and the address of the scripts' server."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Wherever `octets` stand, those from `at` on, `step` bytes apart, become the field's first `size`."""

    octets: bytes
    at: int
    field: str
    size: int
    step: int = 1


def column(field: str, place: int = 0) -> int:
    """Of a byte, in the values seen as bytes."""
    offset = VALUES.fields[field][1] if VALUES.fields else 0
    return int(offset) + place


def _identifier(text: str, field: str = "number") -> Mark:
    octets = uuid.UUID(text).bytes_le
    assert len(octets) == _GUID_BYTES
    return Mark(octets, 0, field, 4)


def _text(text: str, at: int, field: str, size: int) -> Mark:
    return Mark(text.encode("utf-16-le"), at * 2, field, size, step=2)


MARKS: Final = (
    *(_identifier(handle(name)) for name in (*_NAMES, *(f"Read{number}" for number in range(_READS)))),
    _identifier(SOURCE),
    _identifier(LICENCE, "machine"),
    Mark(QUEUE_NUMBER.to_bytes(4, "little")[1:], 0, "number", 3),
    Mark(SEQUENCE.to_bytes(8, "little")[2:], 2, "number", 3),
    Mark(_TOWER_ADDRESS, 5, "server", 4),
    _text(r"hq\private$\orders", 0, "host", 2),
    _text(r"hq\private$\orders", 15, "queue", 3),
    _text("BRANCH7", 1, "workstation", 6),
)


def values(first: int, servers: Column, queues: Column) -> Column:
    """Of copies numbered from `first` on, each with its server and one of that server's queues."""
    number = first + np.arange(len(servers), dtype=np.int64)
    found: Column = np.zeros(len(servers), VALUES)
    found["client"], found["server"] = _CLIENTS + number, _SERVERS + servers
    base = _FIRST_PORT + number * 7919 % _PORTS
    found["port"] = base[:, None] + np.arange(CONNECTIONS)
    found["number"], found["machine"] = number + 1, servers + 1
    found["host"] = _written(servers, 36, 2)
    found["queue"] = _written(queues, 10, 3)
    found["workstation"] = _written(number, 10, 6)
    return found


def _written(numbers: Column, base: int, digits: int) -> Column:
    powers = base ** np.arange(digits - 1, -1, -1)
    return _DIGITS[numbers[:, None] // powers % base]
