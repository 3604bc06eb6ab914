"""Rows of `endpoints`: what answers say about where services listen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from decoders.dcerpc.well_known import INTERFACES, MSMQ, PORTS
from ingest.containers.model import NO_TIME
from schemas.tables.derived_towers import looked_up_towers, mapped_towers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Row = dict[str, Any]
_Interfaces: TypeAlias = "Mapping[int | None, tuple[str, ...]]"
"""Whose port is asked for, by what the request says; None where it has nothing to say."""
_UUID_OF: Final = {name: uuid for uuid, name in MSMQ.items()}
_UNSPECIFIED: Final = frozenset(("0.0.0.0", "::", None))  # noqa: S104
# [MS-MQQP] 3.1.4.8, [MS-MQMP] 3.1.4.24: IP_HANDSHAKE, IP_READ; the other two ask for SPX, which TCP cannot carry.
_OF_PORT_TYPE: Final[_Interfaces] = {0: ("qmcomm", "qmcomm2"), 1: ("qm2qm",)}
_OF_DIRECTORY: Final[_Interfaces] = {1: ("dscomm", "dscomm2")}
"""[MS-MQDS] 3.1.4.1 has it the other way round: 0 is SPX, 1 is TCP."""
_MAX_PORT: Final = 0xFFFF
_TCP: Final = "ncacn_ip_tcp"
MAX_LEARNED_OF_A_SERVER: Final = 1_000
"""Endpoints. A queue manager has a handful; forged answers can list any number and must not crowd out others."""


class Announced:
    """Endpoints worth learning, each once: those of message queuing that its well-known ports do not give away."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, str], int] = {}
        """With the time of the first announcement."""
        self._by_server: Counter[str] = Counter()

    def note(self, row: Row) -> bool:
        """False: this server has announced more than is believed."""
        port, server = row["port"], row["id"]["resp_h"]
        if row["interface_uuid"] not in MSMQ or row["protocol"] != _TCP or not port or port in PORTS:
            return True
        # A server with several addresses may announce another one than it was asked at.
        named = {(host, port, row["interface_uuid"]) for host in (row["host"], server)}
        ts_ns = NO_TIME if row["ts_ns"] is None else row["ts_ns"]
        news = named - self._found.keys()
        if self._by_server[server] + len(news) > MAX_LEARNED_OF_A_SERVER:
            return False
        self._by_server[server] += len(news)
        for one in sorted(named):
            self._found[one] = min(ts_ns, self._found.get(one, ts_ns))
        return True

    def rows(self) -> list[Row]:
        return [
            {"host": host, "port": port, "interface_uuid": uuid, "ts_ns": ts_ns}
            for (host, port, uuid), ts_ns in self._found.items()
        ]


def endpoint_rows(interface: str, operation: str) -> Callable[[Row, Row, str], Iterator[Row]] | None:
    """What makes rows of (request, response, server's address), for operations that announce something."""
    return _ANNOUNCEMENTS.get((interface, operation))


def _of_towers(towers: Callable[[Row, Row], list[Row]]) -> Callable[[Row, Row, str], Iterator[Row]]:
    def rows(request: Row, response: Row, server: str) -> Iterator[Row]:
        for tower in towers(request, response):
            if tower["interface_uuid"] is None:
                continue
            host = server if tower["port"] and tower["host"] in _UNSPECIFIED else tower["host"]
            kept = {name: value for name, value in tower.items() if name not in ("netbios_name", "problems")}
            yield kept | {"host": host}

    return rows


def _of_port(asked: str, interfaces: _Interfaces) -> Callable[[Row, Row, str], Iterator[Row]]:
    """`interfaces` by the parameter `asked`."""

    def rows(request: Row, response: Row, server: str) -> Iterator[Row]:
        port = response.get("return_value")
        if not port or port > _MAX_PORT:
            return
        for name in interfaces.get(request.get(asked), ()):
            uuid = _UUID_OF[name]
            yield {
                "interface_uuid": uuid,
                "endpoint": INTERFACES[uuid],
                "protocol": _TCP,
                "host": server,
                "port": port,
            }

    return rows


_ANNOUNCEMENTS: Final = {
    ("epm", "ept_map"): _of_towers(mapped_towers),
    ("epm", "ept_lookup"): _of_towers(looked_up_towers),
    ("qm2qm", "RemoteQMGetQMQMServerPort"): _of_port("dwPortType", _OF_PORT_TYPE),
    ("qmcomm", "R_QMGetRTQMServerPort"): _of_port("fIP", _OF_PORT_TYPE),
    ("RemoteRead", "R_GetServerPort"): _of_port("", {None: ("RemoteRead",)}),
    ("dscomm", "S_DSGetServerPort"): _of_port("fIP", _OF_DIRECTORY),
}
