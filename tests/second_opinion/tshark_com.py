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

REQUEST, RESPONSE, BIND, BIND_ACK, ALTER, ALTER_RESP = "0", "2", "11", "12", "14", "15"
ACCEPTED: Final = "0"
_WITH_PORT: Final = re.compile(r".*\[\d+\]")
"""Named pipes have endpoints too, resolvers none."""
_PROPERTIES: Final = "isystemactivator.properties."


_OPNUMS: Final = ("remunk.opnum", "oxid.opnum", "dispatch.opnum")
_COM: Final = " || ".join(("isystemactivator", *_OPNUMS))
_ASKED: Final = (
    "tcp.stream",
    "dcerpc.pkt_type",
    *_OPNUMS,
    *(f"{_PROPERTIES}{name}" for name in ("instninfo.clsid", "scmresp.oxid", "scmresp.rmtunknid")),
    *("dcom.oxid", "dcom.oid", "dcom.ipid", "dcom.dualstringarray.network_addr", "dispatch.id", "dcom.vt.bstr"),
)


class Frames(NamedTuple):
    """Those of an operation in one direction."""

    protocol: str
    opnum: str
    kind: str

    def have(self, one: dict[str, list[str]]) -> bool:
        return self.opnum in one[f"{self.protocol}.opnum"] and self.kind in one["dcerpc.pkt_type"]


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
    for stream, clsid, oxid, unknown, oxids, oids, ipids, addresses in _fields(path, None, "tcp.stream", *told, *more):
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
    rows = _fields(path, Frames("remunk", "3", RESPONSE), "dcom.oxid", "dcom.oid", "dcom.ipid")
    return frozenset(one for row in rows for one in _handed(*row) if one.oxid)


@cache
def released(path: Path) -> Counter[str]:
    """IPIDs in requests of RemRelease."""
    rows = _fields(path, Frames("remunk", "5", REQUEST), "dcom.ipid")
    # The first is the one that the call was made on.
    return Counter(ipid for (ipids,) in rows for ipid in ipids[1:])


@cache
def resolved(path: Path) -> frozenset[str]:
    """Where ResolveOxid2 says that processes listen."""
    rows = _fields(path, Frames("oxid", "4", RESPONSE), "dcom.dualstringarray.network_addr")
    return frozenset(address for (addresses,) in rows for address in addresses)


@cache
def invoked(path: Path) -> Counter[tuple[int, str]]:
    """DISPIDs of Invoke, and the texts among its arguments."""
    rows = _fields(path, Frames("dispatch", "6", REQUEST), "dispatch.id", "dcom.vt.bstr")
    return Counter((int(numbers[0], 16), "|".join(texts)) for numbers, texts in rows)


def _handed(oxids: list[str], oids: list[str], ipids: list[str]) -> tuple[Handed, ...]:
    # In front of those that are handed out may stand the one that the call was made on.
    numbers = zip(oxids, oids, ipids[len(ipids) - len(oxids) :], strict=True)
    return tuple(Handed(int(oxid, 16), int(oid, 16), ipid) for oxid, oid, ipid in numbers)


def _fields(path: Path, frames: Frames | None, *names: str) -> Iterator[list[list[str]]]:
    """None: what is asked for stands in no others."""
    for one in _com_frames(path):
        if frames is None or frames.have(one):
            yield [one[name] for name in names]


@cache
def _com_frames(path: Path) -> list[dict[str, list[str]]]:
    """All that is asked of them: to start tshark takes longer than to read a capture."""
    chosen = [argument for name in _ASKED for argument in ("-e", name)]
    # A character that is in no address.
    lines = _run(path, "-Y", _COM, "-T", "fields", "-E", "aggregator=|", *chosen).splitlines()
    rows = ([value.split("|") if value else [] for value in line.split("\t")] for line in lines)
    return [dict(zip(_ASKED, row, strict=True)) for row in rows]


def _run(path: Path, *arguments: str) -> str:
    command = [need("tshark"), "-n", "-r", str(path), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
