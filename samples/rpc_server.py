"""A small connection-oriented DCE/RPC server: bind, request, response in fragments, fault; no security."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count

from impacket.dcerpc.v5 import rpcrt
from impacket.uuid import uuidtup_to_bin

from samples.towers import NDR_SYNTAX

Operations = Mapping[int, Callable[[bytes], bytes]]

MAX_FRAGMENT = 4280
RESPONSE_HEADER = 24
SEGMENT = 1460
NCA_OP_RNG_ERROR = 0x1C010002
DID_NOT_EXECUTE = 0x20
PROVIDER_REJECTION, ABSTRACT_SYNTAX_NOT_SUPPORTED = 2, 1
PDU_NAMES = {0: "request", 2: "response", 3: "fault", 11: "bind", 12: "bind_ack"}

association_groups = count(0x0000A5C1)


class RpcServer(socketserver.ThreadingTCPServer):
    """One endpoint; `pdus` counts what went over each connection, by the client's address."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, host: str, port: int, interfaces: Mapping[tuple[str, str], Operations]) -> None:
        self.interfaces = {uuidtup_to_bin(name): operations for name, operations in interfaces.items()}
        self.pdus: dict[tuple[str, int], Counter[str]] = {}
        super().__init__((host, port), RpcConnection)

    def start(self) -> None:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()


class RpcConnection(socketserver.BaseRequestHandler):
    server: RpcServer

    def setup(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.contexts: dict[int, Operations] = {}
        self.seen = self.server.pdus.setdefault(self.client_address, Counter())

    def handle(self) -> None:
        while pdu := self.receive():
            header = rpcrt.MSRPCHeader(pdu)
            if header["type"] == rpcrt.MSRPC_BIND:
                self.send(self.bind_ack(header))
            elif header["type"] == rpcrt.MSRPC_REQUEST:
                self.send(*self.answers(rpcrt.MSRPCRequestHeader(pdu)))

    def receive(self) -> bytes:
        """One PDU, or nothing when the client has closed."""
        pdu = self.request.recv(16, socket.MSG_WAITALL)
        if len(pdu) < 16:
            return b""
        pdu += self.request.recv(int.from_bytes(pdu[8:10], "little") - 16, socket.MSG_WAITALL)
        self.seen[PDU_NAMES[pdu[2]]] += 1
        return bytes(pdu)

    def send(self, *pdus: bytes) -> None:
        """In pieces of an Ethernet's size: loopback would carry a whole fragmented response in one segment."""
        self.seen.update(PDU_NAMES[pdu[2]] for pdu in pdus)
        data = b"".join(pdus)
        for at in range(0, len(data), SEGMENT):
            self.request.sendall(data[at : at + SEGMENT])

    def bind_ack(self, header: rpcrt.MSRPCHeader) -> bytes:
        bind = rpcrt.MSRPCBind(header["pduData"])
        results = b""
        for at in range(0, len(bind["ctx_items"]), 44):
            results += self.negotiate(rpcrt.CtxItem(bind["ctx_items"][at : at + 44]))
        port = str(self.server.server_address[1])
        ack = rpcrt.MSRPCBindAck()
        ack["type"] = rpcrt.MSRPC_BINDACK
        ack["call_id"] = header["call_id"]
        ack["max_tfrag"] = ack["max_rfrag"] = MAX_FRAGMENT
        ack["assoc_group"] = bind["assoc_group"] or next(association_groups)
        ack["SecondaryAddr"] = port
        ack["SecondaryAddrLen"] = len(port) + 1
        ack["Pad"] = bytes(-(26 + len(port) + 1) % 4)
        ack["ctx_num"] = bind["ctx_num"]
        ack["ctx_items"] = results
        ack["frag_len"] = 0
        ack["frag_len"] = len(ack.getData())
        return bytes(ack.getData())

    def negotiate(self, item: rpcrt.CtxItem) -> bytes:
        operations = self.server.interfaces.get(item["AbstractSyntax"])
        result = rpcrt.CtxItemResult()
        if operations is None or item["TransferSyntax"] != uuidtup_to_bin(NDR_SYNTAX):
            result["Result"], result["Reason"] = PROVIDER_REJECTION, ABSTRACT_SYNTAX_NOT_SUPPORTED
            result["TransferSyntax"] = bytes(20)
        else:
            self.contexts[item["ContextID"]] = operations
            result["TransferSyntax"] = item["TransferSyntax"]
        return bytes(result.getData())

    def answers(self, request: rpcrt.MSRPCRequestHeader) -> list[bytes]:
        operation = self.contexts[request["ctx_id"]].get(request["op_num"])
        if operation is None:
            status = NCA_OP_RNG_ERROR.to_bytes(4, "little") + bytes(4)
            return [answer(request, rpcrt.MSRPC_FAULT, 0x03 | DID_NOT_EXECUTE, 32, status)]
        stub = operation(request["pduData"])
        room = MAX_FRAGMENT - RESPONSE_HEADER
        pdus = []
        for at in range(0, len(stub), room):
            last = at + room >= len(stub)
            flags = (rpcrt.PFC_FIRST_FRAG if at == 0 else 0) | (rpcrt.PFC_LAST_FRAG if last else 0)
            pdus.append(answer(request, rpcrt.MSRPC_RESPONSE, flags, len(stub) - at, stub[at : at + room]))
        return pdus


def answer(request: rpcrt.MSRPCRequestHeader, kind: int, flags: int, alloc_hint: int, body: bytes) -> bytes:
    pdu = rpcrt.MSRPCRespHeader()
    pdu["type"] = kind
    pdu["flags"] = flags
    pdu["call_id"] = request["call_id"]
    pdu["ctx_id"] = request["ctx_id"]
    pdu["alloc_hint"] = alloc_hint
    pdu["pduData"] = body
    return bytes(pdu.get_packet())
