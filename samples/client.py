"""The client side: impacket's DCERPC_v5 over TCP from a chosen source address, noting what was asked and answered."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from impacket.dcerpc.v5.rpcrt import MSRPC_BIND, DCERPC_v5, DCERPCException
from impacket.dcerpc.v5.transport import DCERPCTransport
from impacket.uuid import uuidtup_to_bin

from samples.ndr_base import Plain, encode, plain

if TYPE_CHECKING:
    from impacket.dcerpc.v5.ndr import NDRCALL

TIMEOUT_S = 15


class TcpFrom(DCERPCTransport):  # type: ignore[misc]
    """ncacn_ip_tcp from one local address, and into an existing association when a group id is given."""

    def __init__(self, source: str, server: str, port: int, group: int) -> None:
        super().__init__(server, port)
        self.source = source
        self.group = group
        self.socket = socket.socket()
        self.received = b""

    def connect(self) -> int:
        self.socket.settimeout(TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.bind((self.source, 0))
        self.socket.connect((self.getRemoteHost(), self.get_dport()))
        return 1

    def send(self, data: bytes, forceWriteAndx: int = 0, forceRecv: int = 0) -> None:  # noqa: ARG002, N803
        """assoc_group_id lies at offset 20 of a bind; impacket always sends 0 there."""
        if data[2] == MSRPC_BIND:
            data = data[:20] + self.group.to_bytes(4, "little") + data[24:]
        self.received = b""
        self.socket.sendall(data)

    def recv(self, forceRecv: int = 0, count: int = 0) -> bytes:  # noqa: ARG002, N803
        """Exactly `count` bytes, or with no count what is there."""
        data = b""
        while not data or len(data) < count:
            chunk = self.socket.recv(count - len(data) if count else 8192)
            if not chunk:
                raise DCERPCException("connection closed by the server")
            data += chunk
        self.received += data
        return data

    def disconnect(self) -> int:
        self.socket.close()
        return 1


@dataclass
class Conversation:
    """One TCP connection bound to one interface, with its calls in order."""

    name: str
    source: str
    port: int
    server: str = "127.0.0.1"
    interface: tuple[str, tuple[str, str]] | None = None
    bind: str | None = None
    group: int = 0
    closed: bool = False
    client_port: int = 0
    calls: list[dict[str, Plain]] = field(default_factory=list)

    def open(self, interface: str, syntax: tuple[str, str]) -> None:
        self.interface = (interface, syntax)
        self.transport = TcpFrom(self.source, self.server, self.port, self.group)
        self.rpc = DCERPC_v5(self.transport)
        self.rpc.connect()
        self.client_port = self.transport.socket.getsockname()[1]
        try:
            self.rpc.bind(uuidtup_to_bin(syntax))
            self.bind = "accepted"
        except DCERPCException:
            self.bind = "refused"
        self.group = int.from_bytes(self.transport.received[20:24], "little")

    def call(self, request: NDRCALL) -> NDRCALL:
        """Sends it, decodes the answer and notes both, each from the bytes of the wire."""
        stub = encode(request)
        operation = type(request).__name__
        self.rpc.call(request.opnum, stub)
        answer = self.rpc.recv()
        response = getattr(sys.modules[type(request).__module__], f"{operation}Response")(answer)
        values = plain(response)
        result = values.get("return_value", values.get("status")) if isinstance(values, dict) else None
        self._note(request.opnum, operation, plain(type(request)(stub)), values, result)
        return response

    def call_unknown(self, opnum: int) -> None:
        """An opnum the interface does not have; the status is at offset 24 of the fault."""
        self.rpc.call(opnum, b"")
        try:
            self.rpc.recv()
        except DCERPCException:
            status = int.from_bytes(self.transport.received[24:28], "little")
            self._note(opnum, None, {}, None, None, fault=f"0x{status:08x}")

    def close(self) -> None:
        self.rpc.disconnect()
        self.closed = True

    def abandon(self) -> None:
        """Lets go of a connection that the story left open."""
        if self.bind is not None and not self.closed:
            self.rpc.disconnect()

    def _note(
        self,
        opnum: int,
        operation: str | None,
        request: Plain,
        response: Plain,
        result: Plain,
        fault: str | None = None,
    ) -> None:
        self.calls.append(
            {
                "call_id": int.from_bytes(self.transport.received[12:16], "little"),
                "opnum": opnum,
                "operation": operation,
                "request": request,
                "response": response,
                "result": f"0x{result:08x}" if isinstance(result, int) else None,
                "fault": fault,
            }
        )
