"""scapy's DCE/RPC client and server for one connection each."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING, Any

import scapy.layers.msrpce.all  # noqa: F401  registers the endpoint mapper
from scapy.layers.dcerpc import (
    DCE_C_AUTHN_LEVEL,
    DceRpc5Fault,
    DCERPC_Transport,
    DceRpcInterface,
    find_dcerpc_interface,
)
from scapy.layers.msrpce.rpcclient import DCERPC_Client
from scapy.layers.msrpce.rpcserver import DCERPC_Fault, DCERPC_Server
from scapy.layers.ntlm import NTLMSSP, MD4le

from decoders.ndr.model import Direction, Syntax
from tests.live.report import HOST, TIMEOUT_S, Told
from tests.live.scapy_stubs import ENDIAN, stub
from tests.live.story import DOMAIN, PASSWORD, USERNAME, Call, Talk

if TYPE_CHECKING:
    from scapy.packet import Packet

_HEADER_BYTES = 16
_LITTLE_ENDIAN = 0x10


class Server:
    """Serves one connection; `told.responses` gets the size of each stub it answered with."""

    def __init__(self, talk: Talk | None, told: Told) -> None:
        self.talk = talk
        self.told = told
        self.listener = socket.create_server((HOST, 0))
        self.listener.settimeout(TIMEOUT_S)
        self.port = self.listener.getsockname()[1]
        self.portmap: dict[DceRpcInterface, int] = {}
        threading.Thread(target=self._serve, daemon=True).start()

    def announce(self, interface: str, port: int) -> None:
        self.portmap[find_dcerpc_interface(interface)] = port

    def _serve(self) -> None:
        with self.listener, self.listener.accept()[0] as link:
            link.settimeout(TIMEOUT_S)
            arguments: dict[str, Any] = {"local_ip": HOST, "port": self.port, "portmap": self.portmap, "verb": False}
            if self.talk is None:
                DCERPC_Server(DCERPC_Transport.NCACN_IP_TCP, ndr64=False, **arguments).loop(_ByPdu(link))
                return
            ssp = None
            if self.talk.auth_level:
                ssp = NTLMSSP(DOMAIN_NB_NAME=DOMAIN, IDENTITIES={USERNAME: MD4le(PASSWORD)})
            server = _Scripted(
                DCERPC_Transport.NCACN_IP_TCP, ndr64=self.talk.syntax is Syntax.NDR64, ssp=ssp, **arguments
            )
            server.talk, server.calls, server.told = self.talk, list(self.talk.calls), self.told
            # impacket signs the PDU's header without announcing it in its bind.
            server.session.header_sign |= self.talk.client == "impacket"
            server.loop(_ByPdu(link))


class _Scripted(DCERPC_Server):
    talk: Talk
    calls: list[Call]
    told: Told

    def make_reply(self, req: Packet) -> Packet:  # noqa: ARG002
        call = self.calls.pop(0)
        if call.fault is not None:
            self.told.responses.append(None)
            raise DCERPC_Fault(call.fault)
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


def talk_as_client(talk: Talk, port: int, told: Told) -> None:
    ssp = NTLMSSP(UPN=f"{DOMAIN}\\{USERNAME}", PASSWORD=PASSWORD) if talk.auth_level else None
    level = DCE_C_AUTHN_LEVEL(talk.auth_level) if talk.auth_level else None
    client = _connected(
        port,
        told,
        ndr64=talk.syntax is Syntax.NDR64,
        ndrendian=ENDIAN[talk.byte_order],
        ssp=ssp,
        auth_level=level,
    )
    for call in talk.calls:
        if not client.bind_or_alter(find_dcerpc_interface(call.interface.name)):
            raise RuntimeError(f"{talk.name}: {call.interface.name} refused")
        request = stub(talk, call, Direction.IN)
        told.requests.append(len(bytes(request)))
        answer = client.sr1_req(request, timeout=TIMEOUT_S)
        if answer is None or (DceRpc5Fault in answer) != (call.fault is not None):
            raise RuntimeError(f"{talk.name}: {call.operation} failed")
    client.close()


def ask_mapper(interface: str, port: int, told: Told) -> None:
    client = _connected(port, told, ndr64=False)
    client.bind(find_dcerpc_interface("ept"))
    told.endpoints = [[host, number] for host, number in client.epm_map(find_dcerpc_interface(interface))]
    client.close()


def _connected(port: int, told: Told, **arguments: Any) -> DCERPC_Client:  # noqa: ANN401
    client = DCERPC_Client(DCERPC_Transport.NCACN_IP_TCP, verb=False, **arguments)
    client.connect(HOST, endpoint=port, timeout=TIMEOUT_S)
    told.client_port = client.sock.ins.getsockname()[1]
    return client
