"""scapy's DCE/RPC client, for one connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scapy.layers.dcerpc import DCE_C_AUTHN_LEVEL, DceRpc5Fault, DCERPC_Transport, find_dcerpc_interface
from scapy.layers.msrpce.rpcclient import DCERPC_Client
from scapy.layers.ntlm import NTLMSSP

from decoders.ndr.model import Direction, Syntax
from tests.live.report import HOST, TIMEOUT_S, Told
from tests.live.scapy_stubs import ENDIAN, stub
from tests.live.story import DOMAIN, PASSWORD, USERNAME

if TYPE_CHECKING:
    from tests.live.model import Talk


def talk_to(port: int, talk: Talk, told: Told) -> None:
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
        # Only the first: scapy's server answers an alter_context with a group id that is new each time.
        if told.assoc_group is None:
            told.assoc_group = client.session.assoc_group_id
        request = stub(talk, call, Direction.IN)
        told.requests.append(len(bytes(request)))
        answer = client.sr1_req(request, timeout=TIMEOUT_S)
        if answer is None or (DceRpc5Fault in answer) != (call.fault is not None):
            raise RuntimeError(f"{talk.name}: {call.operation} failed")
    client.close()


def ask_mapper(port: int, interface: str, told: Told) -> None:
    client = _connected(port, told, ndr64=False)
    client.bind(find_dcerpc_interface("ept"))
    told.endpoints = [[host, number] for host, number in client.epm_map(find_dcerpc_interface(interface))]
    client.close()


def _connected(port: int, told: Told, **arguments: Any) -> Any:  # noqa: ANN401
    client: Any = DCERPC_Client(DCERPC_Transport.NCACN_IP_TCP, verb=False, **arguments)
    client.connect(HOST, endpoint=port, timeout=TIMEOUT_S)
    told.client_port = client.sock.ins.getsockname()[1]
    return client
