"""impacket's DCOM client at a class factory, and called back: `python -m tests.live.com_events_talk`.

It activates a factory, has an object made, finds its connection point and hands over a sink. Then the server's side,
which is impacket's client too, resolves the sink and calls it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from impacket.dcerpc.v5 import rpcrt
from impacket.dcerpc.v5.dcom import oaut
from impacket.dcerpc.v5.dcomrt import (
    DCOMANSWER,
    DCOMCALL,
    IID,
    INTERFACE,
    ORPCTHIS,
    DCOMConnection,
    IObjectExporter,
    IRemoteSCMActivator,
    IRemUnknown2,
    PMInterfacePointer,
    RemQueryInterface,
    error_status_t,
)
from impacket.dcerpc.v5.dtypes import DWORD, GUID, NULL
from impacket.dcerpc.v5.transport import DCERPCTransportFactory
from impacket.uuid import generate, string_to_bin, uuidtup_to_bin

from tests.builders import com_values as c
from tests.live import com_events as events
from tests.live.com_server import Peer
from tests.live.com_story import LOGIN
from tests.live.com_talk import empty, variant
from tests.live.report import HOST, TIMEOUT_S, Told


class CreateInstance(DCOMCALL):  # type: ignore[misc]
    """Impacket has neither class factories nor connection points. [MS-DCOM] 3.1.2.5.2.3.2."""

    opnum = 3
    structure = (("riid", GUID),)


class CreateInstanceResponse(DCOMANSWER):  # type: ignore[misc]
    structure = (("made", PMInterfacePointer), ("ErrorCode", error_status_t))


class FindConnectionPoint(DCOMCALL):  # type: ignore[misc]
    opnum = 4
    structure = (("riid", GUID),)


class FindConnectionPointResponse(DCOMANSWER):  # type: ignore[misc]
    structure = (("made", PMInterfacePointer), ("ErrorCode", error_status_t))


class Advise(DCOMCALL):  # type: ignore[misc]
    opnum = 5
    structure = (("pUnkSink", PMInterfacePointer),)


class AdviseResponse(DCOMANSWER):  # type: ignore[misc]
    structure = (("pdwCookie", DWORD), ("ErrorCode", error_status_t))


def main() -> None:
    out, sys.stdout = sys.stdout, sys.stderr
    level = rpcrt.RPC_C_AUTHN_LEVEL_PKT_INTEGRITY
    exporter = Peer(LOGIN, level, events.exporter_answers())
    resolver = Peer(LOGIN, level, events.resolver_answers(exporter.port))
    sink = Peer(LOGIN, level, events.sink_answers())
    sinks_resolver = Peer(LOGIN, level, events.sinks_resolver_answers(sink.port))
    peers = {"resolver": resolver, "exporter": exporter, "sink": sink, "sink's resolver": sinks_resolver}
    print(json.dumps([peer.port for peer in peers.values()]), file=out, flush=True)
    sys.stdin.readline()
    cookie = _advise(resolver.port)
    port = _call_back(sinks_resolver.port)
    told = {name: Told(server_port=peer.port) for name, peer in peers.items()}
    told["exporter"].endpoints = [["cookie", cookie]]
    told["sink's resolver"].endpoints = [["port", port]]
    print(json.dumps({name: asdict(one) for name, one in told.items()}), file=out, flush=True)


def _to(port: int) -> Any:  # noqa: ANN401 - of impacket, which has no types
    rpc = DCERPCTransportFactory(f"ncacn_ip_tcp:{HOST}[{port}]").get_dce_rpc()
    rpc.get_rpc_transport().set_connect_timeout(TIMEOUT_S)
    for one in (rpc, rpc.get_rpc_transport()):
        one.set_credentials(LOGIN.user, LOGIN.password, LOGIN.domain)
    rpc.set_auth_type(rpcrt.RPC_C_AUTHN_WINNT)
    rpc.set_auth_level(rpcrt.RPC_C_AUTHN_LEVEL_PKT_INTEGRITY)
    return rpc


def _advise(resolver: int) -> int:
    rpc = _to(resolver)
    rpc.connect()
    # As DCOMConnection does it, which knows no port but 135.
    DCOMConnection.PORTMAPS[HOST] = rpc
    INTERFACE.CONNECTIONS.pop(HOST, None)
    factory = IRemoteSCMActivator(rpc).RemoteGetClassObject(string_to_bin(events.EVENT), string_to_bin(c.FACTORY))
    made = _given(factory, c.FACTORY, CreateInstance(), riid=c.UNKNOWN)
    container = made.RemQueryInterface(1, (string_to_bin(events.CONTAINER),))
    point = _given(container, events.CONTAINER, FindConnectionPoint(), riid=events.SINK_INTERFACE)
    request = Advise()
    sink = events.sink_reference()
    request["pUnkSink"]["ulCntData"] = len(sink)
    request["pUnkSink"]["abData"] = list(sink)
    told = point.request(request, string_to_bin(c.CONNECTION_POINT), point.get_iPid())
    point.disconnect()
    rpc.disconnect()
    cookie: int = told["pdwCookie"]
    return cookie


def _given(one: Any, iid: str, request: Any, riid: str) -> Any:  # noqa: ANN401
    request["riid"] = string_to_bin(riid)
    told = one.request(request, string_to_bin(iid), one.get_iPid())
    reference = b"".join(told["made"]["abData"])
    known = INTERFACE(one.get_cinstance(), reference, one.get_ipidRemUnknown(), target=one.get_target())
    return IRemUnknown2(known)


def _call_back(resolver: int) -> int:
    """By the server, which knows the sink's OXID from its reference. Which port it was told."""
    rpc = _to(resolver)
    bindings = IObjectExporter(rpc).ResolveOxid2(events.SINK_OXID, (7,))
    rpc.disconnect()
    addresses = [one["aNetworkAddr"].rstrip("\0") for one in bindings]
    (port,) = (int(one.split("[")[1].rstrip("]")) for one in addresses if one.startswith(HOST))
    rpc = _to(port)
    rpc.connect()
    rpc.bind(uuidtup_to_bin((events.REMOTE_UNKNOWN, "0.0")))
    rpc.request(_query(), string_to_bin(events.SINKS_UNKNOWN))
    other = rpc.alter_ctx(uuidtup_to_bin((events.SINK_INTERFACE, "0.0")))
    other.request(_arrived(), string_to_bin(events.SINK_EVENTS))
    rpc.disconnect()
    return port


def _query() -> Any:  # noqa: ANN401
    request = RemQueryInterface()
    request["ORPCthis"] = _this()
    request["ripid"], request["cRefs"], request["cIids"] = string_to_bin(events.SINK), 1, 1
    iid = IID()
    iid["Data"] = string_to_bin(events.SINK_INTERFACE)
    request["iids"].append(iid)
    return request


def _arrived() -> Any:  # noqa: ANN401
    """[MC-MQAC] 3.16.4.4.1: the cursor is the last argument, so the first in the list. The queue is left out."""
    parameters = oaut.DISPPARAMS(None, False)
    for argument in (variant(oaut.VARENUM.VT_I4, "lVal", 2), empty()):
        parameters["rgvarg"].append(argument)
    parameters["rgdispidNamedArgs"] = NULL
    parameters["cArgs"], parameters["cNamedArgs"] = 2, 0
    request = oaut.IDispatch_Invoke()
    request["ORPCthis"] = _this()
    request["dispIdMember"], request["riid"], request["lcid"] = events.ARRIVED, oaut.IID_NULL, 0x409
    request["dwFlags"], request["pDispParams"], request["cVarRef"] = oaut.DISPATCH_METHOD, parameters, 0
    return request


def _this() -> Any:  # noqa: ANN401
    this = ORPCTHIS()
    this["cid"], this["extensions"], this["flags"] = generate(), NULL, 0
    return this


if __name__ == "__main__":
    main()
