"""Endpoints that servers announce without end, and conversations at ports that none of them named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.dcerpc.bind import SyntaxId
from decoders.msmq.towers import build_tower
from tests.builders.rpc import EPM, NDR, QM2QM
from tests.hostile.tape import Line, Tape, host, stubs

if TYPE_CHECKING:
    import random

_PORT, _PORT_TOLD = stubs(QM2QM, 7)
_MAP, _MAPPED = stubs(EPM, 3)
_PURGE, _PURGED = stubs(QM2QM, 6)
_ASKED = _PORT({"dwPortType": 1})


def thousand_ports(size: int, _: random.Random) -> bytes:
    """Servers that each announce a thousand ports, and conversations with other ports."""
    tape, serial = Tape(size), 0
    while not tape.full(0.7):
        serial += 1
        line = Line(tape, 40_000, server=host(serial)).open().bind(QM2QM, serial)
        for port in range(1_000):
            if tape.full(0.7):
                break
            line.call(7, _ASKED, _PORT_TOLD({"return_value": 10_000 + port}))
    number = 0
    while not tape.full():
        number += 1
        line = Line(tape, 40_000 + number % 20_000, 30_000 + number % 30_000, server=host(1 + number % serial))
        line.open().bind(QM2QM, number).call(6, _PURGE({"hQueue": 7}), _PURGED({"return_value": 0})).close()
    return tape.octets()


def mapped_everywhere(size: int, _: random.Random) -> bytes:
    """One endpoint mapper that tells of services of every host there is."""
    tape, serial = Tape(size), 0
    line = Line(tape, 40_000, 135).open().bind(EPM)
    asked = build_tower(SyntaxId(QM2QM, 1, 0), SyntaxId(NDR, 2, 0))
    request = _MAP({"obj": None, "map_tower": _tower(asked), "entry_handle": None, "max_towers": 4})
    while not tape.full():
        serial += 1
        where = ".".join(map(str, host(serial)))
        told = _tower(build_tower(SyntaxId(QM2QM, 1, 0), SyntaxId(NDR, 2, 0), port=10_000 + serial % 9, host=where))
        line.call(3, request, _MAPPED({"entry_handle": None, "num_towers": 1, "ITowers": [told], "status": 0}))
    return tape.octets()


def served_everywhere(size: int, _: random.Random) -> bytes:
    """A call at every port of a server, each a sign of where it listens."""
    tape, number = Tape(size), 0
    while not tape.full():
        number += 1
        line = Line(tape, 40_000, 3_000 + number % 60_000, server=host(1 + number // 60_000))
        line.open().bind(QM2QM, number).call(6, _PURGE({"hQueue": 7}), _PURGED({"return_value": 0}))
    return tape.octets()


def _tower(octets: bytes) -> dict[str, object]:
    return {"tower_length": len(octets), "tower_octet_string": octets}


IDEAS = (thousand_ports, mapped_everywhere, served_everywhere)
