"""impacket makes an object by its class object, hands over a sink, is called back: `python -m tests.live.events_talk`.

Both sides of the callback are impacket's client and our exporter, with their parts exchanged.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from impacket.dcerpc.v5 import rpcrt
from impacket.dcerpc.v5.dcom import oaut
from impacket.dcerpc.v5.dcomrt import (
    IID,
    INTERFACE,
    ORPCTHIS,
    DCOMConnection,
    IID_IObjectExporter,
    IID_IRemUnknown,
    IRemoteSCMActivator,
    RemQueryInterface,
    ResolveOxid2,
)
from impacket.dcerpc.v5.dtypes import NULL
from impacket.dcerpc.v5.transport import DCERPCTransportFactory
from impacket.uuid import generate, string_to_bin, uuidtup_to_bin

from tests.builders import com_values as c
from tests.live import events_calls
from tests.live import events_story as story
from tests.live.com_server import Peer
from tests.live.report import HOST, TIMEOUT_S, Told

COM_VERSION = "0.0"


def main() -> None:
    out, sys.stdout = sys.stdout, sys.stderr
    peers = {"exporter": Peer(story.LOGIN, story.SERVER.level, story.exporter_answers())}
    peers["resolver"] = Peer(story.LOGIN, story.SERVER.level, story.resolver_answers(peers["exporter"].port))
    peers["sink"] = Peer(story.LOGIN, story.CLIENT.level, story.sink_answers())
    peers["client's resolver"] = Peer(
        story.LOGIN, story.CLIENT.level, story.client_resolver_answers(peers["sink"].port)
    )
    print(json.dumps([peer.port for peer in peers.values()]), file=out, flush=True)
    sys.stdin.readline()
    told = {name: Told(server_port=peer.port) for name, peer in peers.items()}
    told["exporter"].endpoints.append(["cookie", _advise(peers["resolver"].port)])
    told["sink"].endpoints.append(["bindings", _call_back(peers["client's resolver"].port, peers["sink"].port)])
    print(json.dumps({name: asdict(one) for name, one in told.items()}), file=out, flush=True)


def _connected(port: int) -> Any:  # noqa: ANN401 - of impacket, which has no types
    rpc = DCERPCTransportFactory(f"ncacn_ip_tcp:{HOST}[{port}]").get_dce_rpc()
    rpc.get_rpc_transport().set_connect_timeout(TIMEOUT_S)
    rpc.set_credentials(story.LOGIN.user, story.LOGIN.password, story.LOGIN.domain)
    rpc.get_rpc_transport().set_credentials(story.LOGIN.user, story.LOGIN.password, story.LOGIN.domain)
    rpc.set_auth_type(rpcrt.RPC_C_AUTHN_WINNT)
    rpc.set_auth_level(story.SERVER.level)
    rpc.connect()
    return rpc


def _advise(port: int) -> int:
    """The cookie that the client understood."""
    rpc = _connected(port)
    DCOMConnection.PORTMAPS[HOST] = rpc
    factory = IRemoteSCMActivator(rpc).RemoteGetClassObject(
        string_to_bin(story.MSMQ_EVENT), uuidtup_to_bin((c.FACTORY, COM_VERSION))
    )
    create = events_calls.CreateInstance()
    create["riid"] = string_to_bin(c.CONNECTION_POINT)
    made = factory.request(create, uuidtup_to_bin((c.FACTORY, COM_VERSION)), factory.get_iPid())
    reference = b"".join(made["ppvObject"]["abData"])
    point = INTERFACE(factory.get_cinstance(), reference, factory.get_ipidRemUnknown(), target=HOST)
    advise = events_calls.Advise()
    advise["pUnkSink"]["ulCntData"] = len(story.sink())
    advise["pUnkSink"]["abData"] = list(story.sink())
    cookie = point.request(advise, uuidtup_to_bin((c.CONNECTION_POINT, COM_VERSION)), point.get_iPid())["pdwCookie"]
    point.disconnect()
    rpc.disconnect()
    return int(cookie)


def _call_back(resolver: int, exporter: int) -> int:
    """The server asks where the client's process is, and calls its sink. How many bindings it was told."""
    rpc = _connected(resolver)
    rpc.bind(IID_IObjectExporter)
    ask = ResolveOxid2()
    ask["pOxid"], ask["cRequestedProtseqs"] = story.CLIENT.oxid, 1
    ask["arRequestedProtseqs"].append(7)
    where = rpc.request(ask)["ppdsaOxidBindings"]["wNumEntries"]
    rpc.disconnect()
    rpc = _connected(exporter)
    rpc.bind(IID_IRemUnknown)
    rpc.request(_query(), string_to_bin(story.CLIENT.ipid(story.REMOTE_UNKNOWN)))
    rpc.disconnect()
    rpc = _connected(exporter)
    rpc.bind(uuidtup_to_bin((story.EVENTS, COM_VERSION)))
    rpc.request(_arrived(), string_to_bin(story.CLIENT.ipid(story.SINK_EVENTS)))
    rpc.disconnect()
    return int(where)


def _this() -> Any:  # noqa: ANN401
    this = ORPCTHIS()
    this["cid"], this["extensions"], this["flags"] = generate(), NULL, 0
    return this


def _query() -> Any:  # noqa: ANN401
    """For the interface of events: the sink came as IUnknown."""
    wanted = IID()
    wanted["Data"] = string_to_bin(story.EVENTS)
    call = RemQueryInterface()
    call["ORPCthis"], call["ripid"] = _this(), string_to_bin(story.CLIENT.ipid(story.SINK))
    call["cRefs"], call["cIids"] = 1, 1
    call["iids"].append(wanted)
    return call


def _arrived() -> Any:  # noqa: ANN401
    cursor = oaut.VARIANT(None, False)
    cursor["clSize"], cursor["vt"] = 3, oaut.VARENUM.VT_I4
    cursor["_varUnion"]["tag"] = oaut.VARENUM.VT_I4
    cursor["_varUnion"]["lVal"] = story.CURSOR
    parameters = oaut.DISPPARAMS(None, False)
    parameters["rgvarg"].append(cursor)
    parameters["rgdispidNamedArgs"], parameters["cArgs"], parameters["cNamedArgs"] = NULL, 1, 0
    call = oaut.IDispatch_Invoke()
    call["ORPCthis"], call["dispIdMember"], call["riid"], call["lcid"] = _this(), story.ARRIVED, oaut.IID_NULL, 0
    call["dwFlags"], call["pDispParams"], call["cVarRef"] = oaut.DISPATCH_METHOD, parameters, 0
    return call


if __name__ == "__main__":
    main()
