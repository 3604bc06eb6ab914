"""impacket's DCE/RPC client and server, for one connection each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from impacket.dcerpc.v5 import rpcrt
from impacket.dcerpc.v5.transport import DCERPCTransportFactory
from impacket.uuid import uuidtup_to_bin

from decoders.ndr.model import Direction
from tests.live.impacket_stubs import stub
from tests.live.report import HOST, TIMEOUT_S, Told
from tests.live.story import DOMAIN, PASSWORD, USERNAME

if TYPE_CHECKING:
    from tests.live.model import Talk

_WHOLE = rpcrt.PFC_FIRST_FRAG | rpcrt.PFC_LAST_FRAG


class Server(rpcrt.DCERPCServer):  # type: ignore[misc]
    def __init__(self, talk: Talk, told: Told) -> None:
        super().__init__()
        self.daemon = True
        self.port = self.getListenPort()
        self.told = told
        self.answers = [stub(call, Direction.OUT) for call in talk.calls]
        interface = talk.calls[0].interface
        answered = dict.fromkeys(range(len(interface.operations)), self._answer)
        self.addCallbacks((interface.uuid, "1.0"), str(self.port), answered)
        self.start()

    def _answer(self, _: bytes) -> bytes:
        """By order, not by what the request says: of a fragmented one impacket's server sees the last fragment only."""
        answer = self.answers.pop(0)
        self.told.responses.append(len(answer))
        return answer

    def send(self, data: rpcrt.MSRPCRespHeader) -> None:
        """Without what impacket copies from the request, its flags, and the whole answer's size in every fragment."""
        data["flags"] = _WHOLE
        data["alloc_hint"] = len(data["pduData"])
        del data.fields["frag_len"]
        super().send(data)


def talk_to(port: int, talk: Talk, told: Told) -> None:
    transport = DCERPCTransportFactory(f"ncacn_ip_tcp:{HOST}[{port}]")
    transport.set_connect_timeout(TIMEOUT_S)
    rpc = transport.get_dce_rpc()
    if talk.auth_level:
        rpc.set_credentials(USERNAME, PASSWORD, DOMAIN)
        rpc.set_auth_type(rpcrt.RPC_C_AUTHN_WINNT)
        rpc.set_auth_level(talk.auth_level)
    rpc.connect()
    told.client_port = transport.get_socket().getsockname()[1]
    rpc.bind(uuidtup_to_bin((talk.calls[0].interface.uuid, "1.0")))
    if talk.request_fragment:
        rpc.set_max_fragment_size(talk.request_fragment)
    for call in talk.calls:
        request = stub(call, Direction.IN)
        told.requests.append(len(request))
        rpc.call(call.declared.opnum, request)
        rpc.recv()
    rpc.disconnect()
