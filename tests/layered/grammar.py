"""Which headers there are, in front of which bodies: from the file down to the token.

Written from the specifications, not from the readers under test.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from tests.layered.tree import Layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.layered.tree import Computed, Node, Value

CONTAINER, FRAME, SEGMENT, PDU, TOKEN, STUB, MESSAGE = (
    "container", "frame", "segment", "pdu", "token", "stub", "message"
)  # fmt: skip


def _message(_node: Node, body: bytes) -> Mapping[str, int]:
    return {"size": 16 + len(body)}


def _first(node: Node, kind: str) -> bytes:
    """What a part of that kind says; damage may have taken it away."""
    return next((part.write() for part in node.parts if getattr(part, "kind", "") == kind), b"")


def _record(node: Node, body: bytes) -> Mapping[str, int]:
    return {"captured": len(body), "wire": len(body) + node.number("cut")}


def _block(_node: Node, body: bytes) -> Mapping[str, int]:
    return {"total": 12 + len(body) + -len(body) % 4}


def _close_block(node: Node, body: bytes, values: Mapping[str, Value]) -> bytes:
    closing = node.number("closing") if "closing" in node.values else values["total"]
    assert isinstance(closing, int)
    return bytes(-len(body) % 4) + struct.pack(node.order + "I", closing % (1 << 32))


def _packet_block(node: Node, _body: bytes) -> Mapping[str, int]:
    frame = _first(node, "padded")
    return {"captured": len(frame), "wire": len(frame) + node.number("cut")}


def _option(_node: Node, body: bytes) -> Mapping[str, int]:
    return {"length": len(body)}


def _padded(_node: Node, body: bytes, _values: Mapping[str, Value]) -> bytes:
    return bytes(-len(body) % 4)


def _checksum(data: bytes) -> int:
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data[: len(data) // 2 * 2]))
    total = (total & 0xFFFF) + (total >> 16)
    return (total + (total >> 16) & 0xFFFF) ^ 0xFFFF


def _ipv4(node: Node, body: bytes) -> Mapping[str, int]:
    options = _first(node, "options")
    head = {
        "version_and_length": 0x40 | (20 + len(options)) // 4 & 0xF,
        "length": (20 + len(body)) & 0xFFFF,
        "checksum": 0,
    }
    values = {**node.values, **head}
    packed = b"".join(
        value if isinstance(value, bytes) else struct.pack(">" + code, value)
        for (name, code), value in ((one, values[one[0]]) for one in IPV4.fields)
    )
    return {**head, "checksum": _checksum(packed + options)}


def _ipv6(_node: Node, body: bytes) -> Mapping[str, int]:
    return {"length": len(body)}


def _tcp(node: Node, _body: bytes) -> Mapping[str, int]:
    return {"offset": (20 + len(_first(node, "options"))) // 4 << 4}


def _pdu(node: Node, body: bytes) -> Mapping[str, int]:
    token = next((part for part in node.parts if getattr(part, "kind", "") == "security"), None)
    return {"frag_length": 16 + len(body), "auth_length": len(token.write()) - 8 if token is not None else 0}


def _hint(node: Node, body: bytes) -> Mapping[str, int]:
    object_uuid = sum(len(part.write()) for part in node.parts if getattr(part, "kind", "") == "object")
    return {"alloc_hint": len(body) - object_uuid}


def _count(name: str, kind: str) -> Computed:
    def count(node: Node, _body: bytes) -> Mapping[str, int]:
        return {name: sum(getattr(part, "kind", "") == kind for part in node.parts)}

    return count


def _address(node: Node, _body: bytes) -> Mapping[str, int]:
    return {"address_length": len(_first(node, "address"))}


PCAP: Final = Layout(
    CONTAINER,
    (("magic", "I"), ("major", "H"), ("minor", "H"), ("zone", "I"), ("accuracy", "I"), ("snap", "I"), ("link", "I")),
)
RECORD: Final = Layout(CONTAINER, (("seconds", "I"), ("fraction", "I"), ("captured", "I"), ("wire", "I")), _record)
BLOCK: Final = Layout(CONTAINER, (("type", "I"), ("total", "I")), _block, _close_block)
SECTION: Final = Layout(CONTAINER, (("magic", "I"), ("major", "H"), ("minor", "H"), ("size", "Q")))
INTERFACE: Final = Layout(CONTAINER, (("link", "H"), ("reserved", "H"), ("snap", "I")))
PACKET: Final = Layout(
    CONTAINER, (("interface", "I"), ("high", "I"), ("low", "I"), ("captured", "I"), ("wire", "I")), _packet_block
)
OPTION: Final = Layout(CONTAINER, (("code", "H"), ("length", "H")), _option, _padded)

ETHERNET: Final = Layout(FRAME, (("to", "6s"), ("from", "6s"), ("type", "H")))
TAG: Final = Layout(FRAME, (("tag", "H"), ("type", "H")))
IPV4: Final = Layout(
    FRAME,
    (
        ("version_and_length", "B"), ("service", "B"), ("length", "H"), ("id", "H"), ("fragment", "H"), ("hops", "B"),
        ("protocol", "B"), ("checksum", "H"), ("from", "4s"), ("to", "4s"),
    ),
    _ipv4,
)  # fmt: skip
IPV6: Final = Layout(
    FRAME,
    (("flow", "I"), ("length", "H"), ("next", "B"), ("hops", "B"), ("from", "16s"), ("to", "16s")),
    _ipv6,
)
TCP: Final = Layout(
    SEGMENT,
    (
        ("from", "H"), ("to", "H"), ("seq", "I"), ("ack", "I"), ("offset", "B"), ("flags", "B"), ("window", "H"),
        ("checksum", "H"), ("urgent", "H"),
    ),
    _tcp,
)  # fmt: skip

COMMON: Final = Layout(
    PDU,
    (
        ("version", "B"), ("minor", "B"), ("type", "B"), ("flags", "B"), ("drep", "4s"), ("frag_length", "H"),
        ("auth_length", "H"), ("call_id", "I"),
    ),
    _pdu,
)  # fmt: skip
REQUEST: Final = Layout(PDU, (("alloc_hint", "I"), ("context", "H"), ("opnum", "H")), _hint)
RESPONSE: Final = Layout(PDU, (("alloc_hint", "I"), ("context", "H"), ("cancels", "B"), ("reserved", "B")), _hint)
FAULT: Final = Layout(
    PDU,
    (
        ("alloc_hint", "I"), ("context", "H"), ("cancels", "B"), ("reserved", "B"), ("status", "I"), ("reserved2", "I"),
    ),
    _hint,
)  # fmt: skip
BIND: Final = Layout(
    PDU,
    (("xmit", "H"), ("recv", "H"), ("group", "I"), ("contexts", "B"), ("reserved", "B"), ("reserved2", "H")),
    _count("contexts", "context"),
)
CONTEXT: Final = Layout(
    PDU,
    (("id", "H"), ("transfers", "B"), ("reserved", "B"), ("interface", "16s"), ("version", "I")),
    _count("transfers", "syntax"),
)
SYNTAX: Final = Layout(PDU, (("uuid", "16s"), ("version", "I")))
ACK: Final = Layout(PDU, (("xmit", "H"), ("recv", "H"), ("group", "I"), ("address_length", "H")), _address)
RESULTS: Final = Layout(PDU, (("results", "B"), ("reserved", "B"), ("reserved2", "H")), _count("results", "result"))
RESULT: Final = Layout(PDU, (("result", "H"), ("reason", "H"), ("uuid", "16s"), ("version", "I")))
SECURITY: Final = Layout(
    TOKEN, (("type", "B"), ("level", "B"), ("pad", "B"), ("reserved", "B"), ("context", "I"))
)  # fmt: skip

BASE: Final = Layout(
    MESSAGE,
    (
        ("version", "B"), ("reserved", "B"), ("flags", "H"), ("signature", "4s"), ("size", "I"), ("reach", "I"),
    ),
    _message,
)  # fmt: skip
USER: Final = Layout(
    MESSAGE,
    (("from", "16s"), ("to", "16s"), ("live", "I"), ("sent", "I"), ("number", "I"), ("flags", "I")),
)  # fmt: skip
NTLM: Final = Layout(TOKEN, (("signature", "8s"), ("type", "I")))
DESCRIBED: Final = Layout(TOKEN, (("length", "H"), ("room", "H"), ("offset", "I")))
"""A field of an NTLM message: [MS-NLMP] 2.2.1."""
LEAVES: Final = {
    "object": PDU, "body": PDU, "address": PDU, "raw": SEGMENT, "options": FRAME, "frame": FRAME, "pad": PDU,
    "stub": STUB, "token": TOKEN, "content": MESSAGE, "primitive": TOKEN, "value": CONTAINER, "aside": CONTAINER,
    "link": FRAME,
}  # fmt: skip
"""Layers of leaves."""
