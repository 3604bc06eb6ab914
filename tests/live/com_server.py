"""An object resolver and an exporter with one object, as small as a client of another project lets them be."""

from __future__ import annotations

import socket
import struct
import threading
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.decoders.dcerpc import pdus
from tests.live.com_guard import Guard
from tests.live.report import HOST, TIMEOUT_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.scripts.ntlm import Login

FRAGMENT = 4_000
_HEADER, _REQUEST, _RESPONSE, _OBJECT = 16, 24, 24, 16
_OBJECT_FLAG = 0x80
_UNKNOWN_OPERATION = 0x1C01_0002


@dataclass
class Peer:
    """Listens at a port of its own until its process ends. Each connection has its thread."""

    login: Login
    level: int
    answers: dict[tuple[str, int], Callable[[str | None], bytes]] = field(default_factory=dict)
    """By interface and opnum: the stub, of the IPID."""

    def __post_init__(self) -> None:
        self._listener = socket.create_server((HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            link, _ = self._listener.accept()
            link.settimeout(TIMEOUT_S)
            threading.Thread(target=_Link(link, self).run, daemon=True).start()


class _Link:
    def __init__(self, link: socket.socket, peer: Peer) -> None:
        self._link, self._peer = link, peer
        self._contexts: dict[int, str] = {}
        self._guards: dict[int, Guard] = {}

    def run(self) -> None:
        with self._link:
            while pdu := self._pdu():
                for answer in self._answer(pdu):
                    self._link.sendall(answer)

    def _pdu(self) -> bytes:
        head = self._exactly(_HEADER)
        return head and head + self._exactly(struct.unpack_from("<H", head, 8)[0] - _HEADER)

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (more := self._link.recv(size - len(data))):
            data += more
        return data

    def _answer(self, pdu: bytes) -> list[bytes]:
        kind, (signed, call_id) = pdu[2], struct.unpack_from("<HI", pdu, 10)
        auth = _trailer(pdu, signed) if signed else None
        if kind in (pdus.BIND, pdus.ALTER):
            return [self._bound(pdu, kind, call_id, auth)]
        if kind == pdus.AUTH3 and auth is not None:
            self._guards[auth.context_id].accept(auth.token)
        return self._called(pdu, call_id, auth) if kind == pdus.REQUEST else []

    def _bound(self, pdu: bytes, kind: int, call_id: int, auth: pdus.Auth | None) -> bytes:
        (count,) = struct.unpack_from("<B", pdu, 24)
        at, results = 28, []
        for _ in range(count):
            context, transfers = struct.unpack_from("<HB", pdu, at)
            self._contexts[context] = str(uuid.UUID(bytes_le=pdu[at + 4 : at + 20]))
            at += 24 + 20 * transfers
            results.append((0, 0, pdus.NDR))
        told = None
        if auth is not None:
            guard = Guard(self._peer.login, f"{self._peer.port} {auth.context_id}", self._peer.level)
            self._guards[auth.context_id] = guard
            told = replace(auth, token=guard.challenge(), pad=0)
        return pdus.ack(*results, kind=kind + 1, call_id=call_id, auth=told)

    def _called(self, pdu: bytes, call_id: int, auth: pdus.Auth | None) -> list[bytes]:
        context, opnum = struct.unpack_from("<HH", pdu, 20)
        of = str(uuid.UUID(bytes_le=pdu[_REQUEST : _REQUEST + _OBJECT])) if pdu[3] & _OBJECT_FLAG else None
        if auth is not None:
            self._guards[auth.context_id].read(pdu, _REQUEST + (_OBJECT if of else 0))
        answer = self._peer.answers.get((self._contexts[context], opnum))
        if answer is None:
            return [pdus.fault(_UNKNOWN_OPERATION, call_id=call_id, ctx=context)]
        stub = answer(of)
        starts = range(0, len(stub), FRAGMENT)
        return [self._fragment(stub[at : at + FRAGMENT], at, len(stub), call_id, context, auth) for at in starts]

    def _fragment(self, part: bytes, at: int, size: int, call_id: int, context: int, auth: pdus.Auth | None) -> bytes:
        flags = (pdus.FIRST if at == 0 else 0) | (pdus.LAST if at + FRAGMENT >= size else 0)
        if auth is None:
            return pdus.response(part, flags=flags, call_id=call_id, ctx=context)
        room = replace(auth, token=bytes(16), pad=-len(part) % 4)
        made = pdus.response(part, flags=flags, call_id=call_id, ctx=context, auth=room)
        return self._guards[auth.context_id].protected(made, _RESPONSE)


def _trailer(pdu: bytes, size: int) -> pdus.Auth:
    kind, level, _, _, context = struct.unpack_from("<BBBBI", pdu, len(pdu) - size - 8)
    return pdus.Auth(pdu[-size:], kind, level, context)
