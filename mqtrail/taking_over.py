"""Spark starts a program to fork its workers. Where a process waits that has imported all they need, that takes over.

Such a process is forked from the driver (`pipelines.engine.ready_workers`). It gets what the program got from Spark:
its environment, and the three files by which they talk. The program then only waits.
"""

from __future__ import annotations

import os
import socket
import struct
from typing import Final

PLACE: Final = "MQTRAIL_READY"
"""In the environment of the program: where the process waits. In the run's private folder."""
_LENGTH: Final = struct.Struct("!I")
_FILES: Final = (0, 1, 2)
_TAKEN: Final = b"t"


def handed_over() -> bool:
    """In the program: true once the other is over, false where there is none that takes over."""
    place = os.environb.get(PLACE.encode())
    if not place:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        said = b"\0".join(name + b"=" + value for name, value in os.environb.items())
        try:
            other.connect(place)
            socket.send_fds(other, [_LENGTH.pack(len(said))], _FILES)
            other.sendall(said)
            taken = other.recv(1) == _TAKEN
            while taken and other.recv(1):
                pass
        except OSError:
            return False
        return taken


def take_over(listener: socket.socket) -> socket.socket:
    """In the process that waits: be what Spark started. What is returned must stay open until the end."""
    program, _ = listener.accept()
    head, files, _, _ = socket.recv_fds(program, _LENGTH.size, len(_FILES))
    (left,) = _LENGTH.unpack(head)
    parts: list[bytes] = []
    while left:
        parts.append(program.recv(left))
        if not parts[-1]:
            raise EOFError("the program that Spark started is gone")
        left -= len(parts[-1])
    os.environb.clear()
    os.environb.update(dict(one.split(b"=", 1) for one in b"".join(parts).split(b"\0")))
    for number, file in zip(_FILES, files, strict=True):
        os.dup2(file, number)
        os.close(file)
    program.sendall(_TAKEN)
    return program
