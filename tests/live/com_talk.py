"""impacket's DCOM client with our resolver and exporter, in a process of their own: `python -m tests.live.com_talk`.

Says on which ports it listens, waits for a line, talks, says what impacket understood.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from impacket.dcerpc.v5 import rpcrt
from impacket.dcerpc.v5.dcom import oaut
from impacket.dcerpc.v5.dcomrt import INTERFACE, DCOMConnection, IRemoteSCMActivator
from impacket.dcerpc.v5.dtypes import NULL
from impacket.dcerpc.v5.transport import DCERPCTransportFactory
from impacket.uuid import string_to_bin

from tests.builders import com_values as c
from tests.live import com_story as story
from tests.live.com_server import Peer
from tests.live.report import HOST, TIMEOUT_S, Told


def main() -> None:
    out, sys.stdout = sys.stdout, sys.stderr
    servers: dict[str, tuple[Peer, Peer]] = {}
    for scene in story.SCENES:
        exporter = Peer(story.LOGIN, scene.level, story.exporter_answers(scene))
        resolver = Peer(story.LOGIN, scene.level, story.resolver_answers(scene, exporter.port))
        servers[scene.name] = resolver, exporter
    print(json.dumps([peer.port for both in servers.values() for peer in both]), file=out, flush=True)
    sys.stdin.readline()
    told = {}
    for scene in story.SCENES:
        resolver, exporter = servers[scene.name]
        told[f"{scene.name} resolver"] = Told(server_port=resolver.port)
        told[f"{scene.name} exporter"] = Told(server_port=exporter.port, endpoints=_talk(scene, resolver.port))
    print(json.dumps({name: asdict(one) for name, one in told.items()}), file=out, flush=True)


def _talk(scene: story.Scene, port: int) -> list[list[str | int]]:
    """What the client understood."""
    rpc = DCERPCTransportFactory(f"ncacn_ip_tcp:{HOST}[{port}]").get_dce_rpc()
    rpc.get_rpc_transport().set_connect_timeout(TIMEOUT_S)
    rpc.set_credentials(story.LOGIN.user, story.LOGIN.password, story.LOGIN.domain)
    rpc.get_rpc_transport().set_credentials(story.LOGIN.user, story.LOGIN.password, story.LOGIN.domain)
    rpc.set_auth_type(rpcrt.RPC_C_AUTHN_WINNT)
    rpc.set_auth_level(scene.level)
    rpc.connect()
    # As DCOMConnection does it, which knows no port but 135.
    DCOMConnection.PORTMAPS[HOST] = rpc
    INTERFACE.CONNECTIONS.pop(HOST, None)
    given = IRemoteSCMActivator(rpc).RemoteCreateInstance(string_to_bin(c.QUEUE_INFO), string_to_bin(c.DISPATCH))
    one = oaut.IDispatch(given)
    (number,) = one.GetIDsOfNames(("PathName",))
    _invoke(one, number, oaut.DISPATCH_PROPERTYPUT, [_text(story.PATH)], named=[-3])
    (number,) = one.GetIDsOfNames(("Count",))
    _invoke(one, number, oaut.DISPATCH_METHOD, [empty(), _text(story.ASKED)], by_reference={0: _number(1)})
    (number,) = one.GetIDsOfNames(("Report",))
    long = _invoke(one, number, oaut.DISPATCH_PROPERTYGET, [])
    understood = long["pVarResult"]["_varUnion"]["bstrVal"]["asData"]
    given.RemQueryInterface(1, (string_to_bin(c.I_QUEUE_INFO),))
    given.RemRelease()
    one.disconnect()
    rpc.disconnect()
    return [[understood, number]]


def _invoke(
    one: Any,  # noqa: ANN401 - of impacket, which has no types
    number: int,
    flags: int,
    arguments: list[Any],
    named: list[int] | None = None,
    by_reference: dict[int, Any] | None = None,
) -> Any:  # noqa: ANN401
    """Impacket's own method sends indices for the VARIANTs."""
    parameters = oaut.DISPPARAMS(None, False)
    if arguments:
        for argument in arguments:
            parameters["rgvarg"].append(argument)
    else:
        parameters["rgvarg"] = NULL
    parameters["rgdispidNamedArgs"] = [number & 0xFFFF_FFFF for number in named] if named else NULL
    parameters["cArgs"], parameters["cNamedArgs"] = len(arguments), len(named or ())
    request = oaut.IDispatch_Invoke()
    request["dispIdMember"], request["riid"], request["lcid"] = number, oaut.IID_NULL, 0x409
    request["dwFlags"], request["pDispParams"] = flags, parameters
    request["cVarRef"] = len(by_reference or ())
    for place, value in (by_reference or {}).items():
        request["rgVarRefIdx"].append(place)
        request["rgVarRef"].append(value)
    return one.request(request, iid=one._iid, uuid=one.get_iPid())


def variant(vt: int, arm: str, value: Any) -> Any:  # noqa: ANN401
    made = oaut.VARIANT(None, False)
    made["clSize"], made["vt"] = 5, vt
    made["_varUnion"]["tag"] = vt
    made["_varUnion"][arm] = value
    return made


def _text(value: str) -> Any:  # noqa: ANN401
    made = oaut.VARIANT(None, False)
    made["clSize"], made["vt"] = 5, oaut.VARENUM.VT_BSTR
    made["_varUnion"]["tag"] = oaut.VARENUM.VT_BSTR
    made["_varUnion"]["bstrVal"]["asData"] = value
    return made


def _number(value: int) -> Any:  # noqa: ANN401
    return variant(oaut.VARENUM.VT_I4_OR_VT_BYREF, "plVal", value)


def empty() -> Any:  # noqa: ANN401
    made = oaut.VARIANT(None, False)
    made["clSize"], made["vt"] = 3, oaut.VARENUM.VT_EMPTY
    made["_varUnion"]["tag"] = oaut.VARENUM.VT_EMPTY
    return made


if __name__ == "__main__":
    main()
