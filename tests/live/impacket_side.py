"""impacket's DCE/RPC client and server for one connection each, its NDR engine with the structures of samples/."""

from __future__ import annotations

import uuid
from typing import Any

from impacket.dcerpc.v5 import rpcrt
from impacket.dcerpc.v5.dtypes import GUID
from impacket.dcerpc.v5.ndr import NDR, NDRPOINTER, NULL
from impacket.dcerpc.v5.transport import DCERPCTransportFactory
from impacket.uuid import uuidtup_to_bin

from decoders.ndr.model import Direction
from samples import mgmt_ndr, msmq_ndr
from samples.ndr_base import ContextHandle, encode
from tests.live.report import HOST, TIMEOUT_S, Told
from tests.live.story import DOMAIN, PASSWORD, USERNAME, Call, Talk, Values

_MODULES = {"qm2qm": msmq_ndr, "qmmgmt": mgmt_ndr}
_UNIONS = {"type": "u", "m_qft": "u", "vt": "_varUnion"}
"""Discriminants, and how samples/ calls the union behind each."""
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


def talk_as_client(talk: Talk, port: int, told: Told) -> None:
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


def stub(call: Call, direction: Direction) -> bytes:
    name = call.operation if direction is Direction.IN else f"{call.operation}Response"
    structure = getattr(_MODULES[call.interface.name], name)()
    _fill(structure, call.request if direction is Direction.IN else call.response)
    return encode(structure)


def _fill(structure: NDR, values: Values) -> None:
    named = dict(values)
    for switch, union in _UNIONS.items():
        if switch in named:
            structure[switch] = structure[union]["tag"] = named[switch]
            arms = structure[union]
            for name in [name for name in named.get(union, named) if name in arms.fields]:
                _put(arms, name, named.get(union, named)[name])
                named.pop(name, None)
            named.pop(union, None)
    for name, value in named.items():
        _put(structure, name, value)


def _put(holder: NDR, name: str, value: Any) -> None:  # noqa: ANN401
    field = holder.fields[name]
    if isinstance(field, NDRPOINTER):
        if value is None:
            holder[name] = NULL
        else:
            _put(field, "Data", value)
    elif isinstance(field, ContextHandle):
        field["uuid"] = bytes(16) if value is None else uuid.UUID(value).bytes_le
    elif isinstance(value, dict):
        _fill(field, value)
    elif isinstance(value, list):
        field["Data"] = [_element(field.item, one) for one in value]
    else:
        field["Data"] = _leaf(field, value)


def _element(kind: type[NDR], value: Any) -> NDR:  # noqa: ANN401
    element = kind()
    if isinstance(value, dict):
        _fill(element, value)
    elif isinstance(element, NDRPOINTER):
        _put(element, "Data", value)
    else:
        element["Data"] = _leaf(element, value)
    return element


def _leaf(field: NDR, value: Any) -> Any:  # noqa: ANN401
    """A string of the wire counts its terminator; impacket adds none."""
    if isinstance(field, GUID):
        return uuid.UUID(value).bytes_le
    return f"{value}\0" if isinstance(value, str) else value
