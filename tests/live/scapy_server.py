"""scapy's DCE/RPC server, for one connection."""

from __future__ import annotations

import socket
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from scapy.layers.dcerpc import DCERPC_Transport, find_dcerpc_interface
from scapy.layers.msrpce.rpcserver import DCERPC_Fault, DCERPC_Server
from scapy.layers.ntlm import NTLMSSP, MD4le

from decoders.ndr.model import Direction, Syntax
from tests.live.report import HOST, TIMEOUT_S, Told
from tests.live.scapy_stubs import stub
from tests.live.story import DOMAIN, PASSWORD, USERNAME

if TYPE_CHECKING:
    from scapy.packet import Packet

    from tests.live.model import Call, Talk

_HEADER_BYTES = 16
_LITTLE_ENDIAN = 0x10


class Listener(ABC):
    """Takes one connection and serves it until the client closes it."""

    def __init__(self) -> None:
        self.listener = socket.create_server((HOST, 0))
        self.listener.settimeout(TIMEOUT_S)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with self.listener, self.listener.accept()[0] as link:
            link.settimeout(TIMEOUT_S)
            self.server().loop(_ByPdu(link))

    @abstractmethod
    def server(self) -> Any:  # noqa: ANN401
        """What serves the connection, in scapy's terms."""


class Mapper(Listener):
    """scapy's own endpoint mapper."""

    def __init__(self, interface: str, port: int) -> None:
        self.portmap = {find_dcerpc_interface(interface): port}
        super().__init__()

    def server(self) -> Any:  # noqa: ANN401
        return DCERPC_Server(
            DCERPC_Transport.NCACN_IP_TCP,
            ndr64=False,
            verb=False,
            local_ip=HOST,
            port=self.port,
            portmap=self.portmap,
        )


class Server(Listener):
    def __init__(self, talk: Talk, told: Told) -> None:
        self.talk = talk
        self.told = told
        super().__init__()

    def server(self) -> Any:  # noqa: ANN401
        ssp = None
        if self.talk.auth_level:
            password = MD4le(PASSWORD)  # type: ignore[no-untyped-call]
            ssp = NTLMSSP(DOMAIN_NB_NAME=DOMAIN, IDENTITIES={USERNAME: password})
        ndr64 = self.talk.syntax is Syntax.NDR64
        server = _Scripted(DCERPC_Transport.NCACN_IP_TCP, ndr64=ndr64, verb=False, port=self.port, ssp=ssp)
        server.talk, server.calls, server.told = self.talk, list(self.talk.calls), self.told
        # impacket signs the PDU's header without announcing it in its bind.
        server.session.header_sign |= self.talk.client == "impacket"
        return server


class _Scripted(DCERPC_Server):
    talk: Talk
    calls: list[Call]
    told: Told

    def make_reply(self, req: Packet) -> Packet:  # noqa: ARG002
        call = self.calls.pop(0)
        if call.fault is not None:
            self.told.responses.append(None)
            raise DCERPC_Fault(call.fault)  # type: ignore[no-untyped-call]
        answer = stub(self.talk, call, Direction.OUT)
        self.told.responses.append(len(bytes(answer)))
        return answer


class _ByPdu:
    """scapy's server takes what one recv returns for whole PDUs."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link

    def recv(self, _: int) -> bytes:
        """frag_len in the byte order of the data representation, [C706] 12.6.3.1."""
        header = self._exactly(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES:
            return b""
        size = int.from_bytes(header[8:10], "little" if header[4] & _LITTLE_ENDIAN else "big")
        return header + self._exactly(size - _HEADER_BYTES)

    def send(self, data: bytes) -> None:
        self.link.sendall(data)

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (more := self.link.recv(size - len(data))):
            data += more
        return data
