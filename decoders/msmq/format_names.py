r"""Format names: the text by which people and programs know a queue, made of a decoded QUEUE_FORMAT.

[MS-MQMQ] 2.1.2 to 2.1.6. Two things it leaves open:
- The number of a private queue has one to eight hexadecimal digits; Windows writes eight, in lower case.
- m_address may be read from either end. It is taken for a socket address, whose first byte in memory is the first
  number; where only the other reading lies in the range of multicast addresses, for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SUFFIX_MASK: Final = 0x0F
_SUFFIXES: Final = {1: ";JOURNAL", 2: ";DEADLETTER", 3: ";DEADXACT", 4: ";XACTONLY"}
"""[MS-MQMQ] 2.2.11. A subqueue (5) is named inside the direct name. No grammar has XACTONLY: its own name is taken."""
_MULTICAST_FIRST: Final = range(224, 240)


def format_name(queue_format: Mapping[str, object]) -> str | None:
    """None where the queue is unknown, or its name was not reached."""
    kind = queue_format.get("m_qft")
    if not isinstance(kind, int) or kind not in _KINDS:
        return None
    member, written = _KINDS[kind]
    name = written(queue_format.get(member))
    if name is None:
        return None
    flags = queue_format.get("m_SuffixAndFlags")
    suffix = _SUFFIXES.get(flags & _SUFFIX_MASK, "") if isinstance(flags, int) else ""
    # A direct name holds its suffix already: [MS-MQMQ] 2.1.2.
    return name if name.upper().endswith(suffix) else name + suffix


def _text(prefix: str) -> Callable[[object], str | None]:
    return lambda value: f"{prefix}={value}" if isinstance(value, str) else None


def _private(value: object) -> str | None:
    match value:
        case {"Lineage": str(lineage), "Uniquifier": int(number)}:
            return f"PRIVATE={lineage}\\{number:08x}"
    return None


def _distribution_list(value: object) -> str | None:
    match value:
        case {"m_DlGuid": str(identifier), "m_pwzDomain": str(domain)} if domain:
            return f"DL={identifier}@{domain}"
        case {"m_DlGuid": str(identifier)}:
            return f"DL={identifier}"
    return None


def _multicast(value: object) -> str | None:
    match value:
        case {"m_address": int(address), "m_port": int(port)} if 0 <= address <= 0xFFFF_FFFF:
            octets = address.to_bytes(4, "little")
            if octets[0] not in _MULTICAST_FIRST and octets[3] in _MULTICAST_FIRST:
                octets = octets[::-1]
            return f"MULTICAST={'.'.join(map(str, octets))}:{port}"
    return None


_KINDS: Final[Mapping[int, tuple[str, Callable[[object], str | None]]]] = {
    1: ("m_gPublicID", _text("PUBLIC")),
    2: ("m_oPrivateID", _private),
    3: ("m_pDirectID", _text("DIRECT")),
    4: ("m_gMachineID", _text("MACHINE")),
    5: ("m_GConnectorID", _text("CONNECTOR")),
    6: ("m_DlID", _distribution_list),
    7: ("m_MulticastID", _multicast),
    8: ("m_pDirectSubqueueID", _text("DIRECT")),
}
