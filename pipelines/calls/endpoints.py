"""Where services listen: what answers say about it, as rows of `endpoints`, and what it means that there are any."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict

from decoders.dcerpc.call_model import BindingSource
from decoders.dcerpc.well_known import MSMQ, MSMQ_COM, PORTS
from decoders.dcom.classes import MSMQ_DEFAULT
from decoders.net.addresses import is_address
from decoders.registry import DSCOMM, DSCOMM2, QM2QM, QMCOMM, QMCOMM2, REGISTRY, REMOTE_READ, REMOTE_UNKNOWN, registered
from schemas.tables.derived_towers import looked_up_towers, mapped_towers
from schemas.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from decoders.registry import Registered
    from pipelines.calls.call_rows import Identity
    from pipelines.calls.connection import Captures, PlacedCall
    from pipelines.facts.com import Com
    from schemas.internal_rows import AnnouncedRow
    from schemas.shared_columns import ConnectionId

Values = dict[str, Any]
_Interfaces: TypeAlias = "Mapping[int | None, tuple[Registered, ...]]"
"""Whose port is asked for, by what the request says; None where it has nothing to say."""
_UNSPECIFIED: Final = frozenset(("0.0.0.0", "::", None))  # noqa: S104
# [MS-MQQP] 3.1.4.8, [MS-MQMP] 3.1.4.24: IP_HANDSHAKE, IP_READ; the other two ask for SPX, which TCP cannot carry.
_OF_PORT_TYPE: Final[_Interfaces] = {0: (QMCOMM, QMCOMM2), 1: (QM2QM,)}
_OF_DIRECTORY: Final[_Interfaces] = {1: (DSCOMM, DSCOMM2)}
"""[MS-MQDS] 3.1.4.1 has it the other way round: 0 is SPX, 1 is TCP."""
_MAX_PORT: Final = 0xFFFF
_TCP: Final = "ncacn_ip_tcp"
MAX_LEARNED_OF_A_SERVER: Final = 1_000
"""Endpoints. A queue manager has a handful; forged answers can list any number and must not crowd out others."""


class EndpointEntry(TypedDict):
    """What an answer says of an endpoint: a part of a row of `endpoints`."""

    interface_uuid: str
    interface_version: str | None
    endpoint: str | None
    transfer_syntax: str | None
    protocol: str | None
    host: str | None
    port: int | None
    named_pipe: str | None
    object_uuid: str | None
    annotation: str | None


class Announcement(TypedDict):
    """What is learned from: rows of `endpoints` have it too."""

    interface_uuid: str
    interface_version: str | None
    protocol: str | None
    host: str | None
    port: int | None
    ts_ns: int | None
    uid: str
    id: ConnectionId
    call_uid: str
    capture_id: str
    frame: int


class AnnouncedEndpoints:
    """Endpoints worth learning, each once: those of message queuing that its well-known ports do not give away."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, str], int] = {}
        """With the time of the first announcement."""
        self._by_server: Counter[str] = Counter()

    def note(self, row: Announcement) -> bool:
        """False: this server has announced more than is believed."""
        port, server = row["port"], row["id"]["resp_h"]
        if not _is_ours(row) or row["protocol"] != _TCP or not port or port in PORTS:
            return True
        # A server with several addresses may announce another one than it was asked at.
        named = {(host, port, row["interface_uuid"]) for host in (row["host"] or server, server)}
        ts_ns = NO_TIME if row["ts_ns"] is None else row["ts_ns"]
        # Not `named - self._found.keys()`: that goes through all that was found.
        news = {one for one in named if one not in self._found}
        if self._by_server[server] + len(news) > MAX_LEARNED_OF_A_SERVER:
            return False
        self._by_server[server] += len(news)
        for one in sorted(named):
            self._found[one] = min(ts_ns, self._found.get(one, ts_ns))
        return True

    def rows(self) -> list[AnnouncedRow]:
        return [
            {"host": host, "port": port, "interface_uuid": uuid, "ts_ns": ts_ns}
            for (host, port, uuid), ts_ns in self._found.items()
        ]


def _is_ours(row: Announcement) -> bool:
    """Message queuing's, as declared. Answers to port queries say no version: they mean their own."""
    uuid, version = row["interface_uuid"], row["interface_version"]
    return (uuid in MSMQ or uuid in MSMQ_COM) and (version is None or registered(uuid, version) is not None)


def served_row(placed: PlacedCall, identity: Identity | None, captures: Captures) -> Announcement | None:
    """What a call of a bind that was accepted proves by its answer; None: nothing, or what the port tells anyway."""
    place, call = placed.place, placed.call
    if identity is None or place.server[1] in PORTS or identity.source != BindingSource.BIND or call.response is None:
        return None
    return {
        "interface_uuid": identity.interface_uuid,
        "interface_version": identity.version,
        "protocol": _TCP,
        "host": place.id["resp_h"],
        "port": place.server[1],
        "ts_ns": place.began_ns,
        "uid": place.uid,
        "id": place.id,
        "call_uid": place.call_uid(call.key),
        "capture_id": captures.capture_id(placed.capture),
        "frame": call.response.frames[0][1],
    }


def endpoint_rows(interface: str, operation: str) -> Callable[[Values, Values, str], Iterator[EndpointEntry]] | None:
    """What makes rows of (request, response, server's address), for operations that announce something."""
    return _ANNOUNCEMENTS.get((interface, operation))


def _of_towers(
    towers: Callable[[Values, Values], list[Values]],
) -> Callable[[Values, Values, str], Iterator[EndpointEntry]]:
    def rows(request: Values, response: Values, server: str) -> Iterator[EndpointEntry]:
        for tower in towers(request, response):
            if tower["interface_uuid"] is None:
                continue
            host = server if tower["port"] and tower["host"] in _UNSPECIFIED else tower["host"]
            yield {
                "interface_uuid": tower["interface_uuid"],
                "interface_version": tower["interface_version"],
                "endpoint": tower["endpoint"],
                "transfer_syntax": tower["transfer_syntax"],
                "protocol": tower["protocol"],
                "host": host,
                "port": tower["port"],
                "named_pipe": tower["named_pipe"],
                "object_uuid": tower["object_uuid"],
                "annotation": tower["annotation"],
            }

    return rows


def exporter_rows(com: Com | None, server: str) -> Iterator[EndpointEntry]:
    """Where an object resolver says that a process listens: for the interface that counts references, and for those of
    MSMQ's classes if it was asked for one. Names and private addresses stand there too; the resolver's own counts then.
    """
    for exporter in com.exporters if com else ():
        activated = com.activation.clsid if com and com.activation else None
        interfaces = (REMOTE_UNKNOWN, *((MSMQ_DEFAULT[activated],) if activated in MSMQ_DEFAULT else ()))
        for host, port in exporter.bindings:
            for uuid in interfaces:
                yield {
                    "interface_uuid": uuid,
                    "interface_version": "0.0",
                    "endpoint": REGISTRY[uuid].name,
                    "transfer_syntax": None,
                    "protocol": _TCP,
                    "host": host if is_address(host) else server,
                    "port": port,
                    "named_pipe": None,
                    "object_uuid": exporter.remote_unknown,
                    "annotation": host,
                }


def _of_port(asked: str, interfaces: _Interfaces) -> Callable[[Values, Values, str], Iterator[EndpointEntry]]:
    """`interfaces` by the parameter `asked`."""

    def rows(request: Values, response: Values, server: str) -> Iterator[EndpointEntry]:
        port = response.get("return_value")
        if not port or port > _MAX_PORT:
            return
        for one in interfaces.get(request.get(asked), ()):
            yield {
                "interface_uuid": one.uuid,
                "interface_version": None,
                "endpoint": one.name,
                "transfer_syntax": None,
                "protocol": _TCP,
                "host": server,
                "port": port,
                "named_pipe": None,
                "object_uuid": None,
                "annotation": None,
            }

    return rows


_ANNOUNCEMENTS: Final = {
    ("epm", "ept_map"): _of_towers(mapped_towers),
    ("epm", "ept_lookup"): _of_towers(looked_up_towers),
    ("qm2qm", "RemoteQMGetQMQMServerPort"): _of_port("dwPortType", _OF_PORT_TYPE),
    ("qmcomm", "R_QMGetRTQMServerPort"): _of_port("fIP", _OF_PORT_TYPE),
    ("RemoteRead", "R_GetServerPort"): _of_port("", {None: (REMOTE_READ,)}),
    ("dscomm", "S_DSGetServerPort"): _of_port("fIP", _OF_DIRECTORY),
}
