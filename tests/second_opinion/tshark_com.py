"""What tshark says of COM in a capture: calls with an object UUID, and what is handed out."""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.tools import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REQUEST, BIND, BIND_ACK, ALTER, ALTER_RESP = "0", "11", "12", "14", "15"
ACCEPTED: Final = "0"
_WITH_PORT: Final = re.compile(r".*\[\d+\]")
"""Named pipes have endpoints too, resolvers none."""
_PROPERTIES: Final = "isystemactivator.properties."


class ObjectCall(NamedTuple):
    interface: str | None
    """UUID; None where no accepted context says it."""
    opnum: int
    object: str


class Handed(NamedTuple):
    """By an activation or RemQueryInterface."""

    oxid: int
    oid: int
    ipid: str


class Activated(NamedTuple):
    clsid: str
    oxid: int
    remote_unknown: str
    handed: tuple[Handed, ...]
    exporters: frozenset[str]
    """`host[port]`."""


@cache
def object_calls(path: Path) -> Counter[ObjectCall]:
    """Requests by their first fragment. The last acceptance of a context before the request counts."""
    proposed: dict[tuple[str, str], list[tuple[str, str]]] = {}
    contexts: dict[tuple[str, str], str] = {}
    found: Counter[ObjectCall] = Counter()
    for stream, pdu in _pdus(path):
        kind, call_id = _one(pdu, "dcerpc.pkt_type"), _one(pdu, "dcerpc.cn_call_id")
        if kind in (BIND, ALTER):
            items = [item for item in pdu.iter("field") if item.get("name") == "dcerpc.cn_ctx_item"]
            told = [(_one(item, "dcerpc.cn_ctx_id"), _one(item, "dcerpc.cn_bind_to_uuid")) for item in items]
            proposed[stream, call_id] = told
        elif kind in (BIND_ACK, ALTER_RESP):
            results = _all(pdu, "dcerpc.cn_ack_result")
            for (context, uuid), result in zip(proposed.get((stream, call_id), ()), results, strict=False):
                if result == ACCEPTED:
                    contexts[stream, context] = uuid
        elif kind == REQUEST and _one(pdu, "dcerpc.cn_flags.first_frag") == "1":
            interface = contexts.get((stream, _one(pdu, "dcerpc.cn_ctx_id")))
            if named := _one(pdu, "dcerpc.obj_id"):
                found[ObjectCall(interface, int(_one(pdu, "dcerpc.opnum")), named)] += 1
    return found


def _pdus(path: Path) -> Iterator[tuple[str, ET.Element]]:
    """PDUs with the number of their stream."""
    # Heuristics first: a port that the system chose may belong to some other protocol in tshark's tables.
    first = ("-o", "tcp.try_heuristic_first:TRUE")
    output = _run(path, *first, "-Y", "dcerpc.ver == 5 && tcp", "-T", "pdml", "-J", "dcerpc tcp")
    for packet in ET.fromstring(output):
        stream = next(_one(one, "tcp.stream") for one in packet.iter("proto") if one.get("name") == "tcp")
        for one in packet.iter("proto"):
            if one.get("name") == "dcerpc":
                yield stream, one


def _all(of: ET.Element, name: str) -> list[str]:
    return [one.get("show") or "" for one in of.iter("field") if one.get("name") == name]


def _one(of: ET.Element, name: str) -> str:
    return next(iter(_all(of, name)), "")


@cache
def activations(path: Path) -> list[Activated]:
    """Each answer with the last request of its stream."""
    told = (f"{_PROPERTIES}{name}" for name in ("instninfo.clsid", "scmresp.oxid", "scmresp.rmtunknid"))
    more = ("dcom.oxid", "dcom.oid", "dcom.ipid", "dcom.dualstringarray.network_addr")
    waiting: dict[str, str] = {}
    found = []
    for stream, clsid, oxid, unknown, oxids, oids, ipids, addresses in _fields(
        path, "isystemactivator", "tcp.stream", *told, *more
    ):
        if clsid:
            waiting[stream[0]] = clsid[0]
        elif oxid:
            exporters = frozenset(filter(_WITH_PORT.fullmatch, addresses))
            found.append(
                Activated(waiting[stream[0]], int(oxid[0], 16), unknown[0], _handed(oxids, oids, ipids), exporters)
            )
    return found


@cache
def queried(path: Path) -> frozenset[Handed]:
    """Interfaces that RemQueryInterface handed out; a refused one is all zeros."""
    rows = _fields(path, "remunk.opnum == 3 && dcerpc.pkt_type == 2", "dcom.oxid", "dcom.oid", "dcom.ipid")
    return frozenset(one for row in rows for one in _handed(*row) if one.oxid)


@cache
def released(path: Path) -> Counter[str]:
    """IPIDs in requests of RemRelease."""
    rows = _fields(path, "remunk.opnum == 5 && dcerpc.pkt_type == 0", "dcom.ipid")
    # The first is the one that the call was made on.
    return Counter(ipid for (ipids,) in rows for ipid in ipids[1:])


@cache
def resolved(path: Path) -> frozenset[str]:
    """Where ResolveOxid2 says that processes listen."""
    rows = _fields(path, "oxid.opnum == 4 && dcerpc.pkt_type == 2", "dcom.dualstringarray.network_addr")
    return frozenset(address for (addresses,) in rows for address in addresses)


@cache
def invoked(path: Path) -> Counter[tuple[int, str]]:
    """DISPIDs of Invoke, and the texts among its arguments."""
    rows = _fields(path, "dispatch.opnum == 6 && dcerpc.pkt_type == 0", "dispatch.id", "dcom.vt.bstr")
    return Counter((int(numbers[0], 16), "|".join(texts)) for numbers, texts in rows)


def _handed(oxids: list[str], oids: list[str], ipids: list[str]) -> tuple[Handed, ...]:
    # In front of those that are handed out may stand the one that the call was made on.
    numbers = zip(oxids, oids, ipids[len(ipids) - len(oxids) :], strict=True)
    return tuple(Handed(int(oxid, 16), int(oid, 16), ipid) for oxid, oid, ipid in numbers)


def _fields(path: Path, only: str, *names: str) -> Iterator[list[list[str]]]:
    chosen = [argument for name in names for argument in ("-e", name)]
    # A character that is in no address.
    for line in _run(path, "-Y", only, "-T", "fields", "-E", "aggregator=|", *chosen).splitlines():
        yield [value.split("|") if value else [] for value in line.split("\t")]


def _run(path: Path, *arguments: str) -> str:
    command = [need("tshark"), "-n", "-r", str(path), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
