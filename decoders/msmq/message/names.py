"""Names for the numbers in a message. A number nobody lists stays one, in hexadecimal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.msmq.variants import VT_VECTOR, vt_name

if TYPE_CHECKING:
    from collections.abc import Mapping

MESSAGE_CLASSES: Final = {
    0x0000: "MQMSG_CLASS_NORMAL",
    0x0001: "MQMSG_CLASS_REPORT",
    0x0002: "MQMSG_CLASS_ACK_REACH_QUEUE",
    0x00FF: "MQMSG_CLASS_ORDER_ACK",
    0x4000: "MQMSG_CLASS_ACK_RECEIVE",
    0x8000: "MQMSG_CLASS_NACK_BAD_DST_Q",
    0x8001: "MQMSG_CLASS_NACK_DELETED",
    0x8002: "MQMSG_CLASS_NACK_REACH_QUEUE_TIMEOUT",
    0x8003: "MQMSG_CLASS_NACK_Q_EXCEED_QUOTA",
    0x8004: "MQMSG_CLASS_NACK_ACCESS_DENIED",
    0x8005: "MQMSG_CLASS_NACK_HOP_COUNT_EXCEEDED",
    0x8006: "MQMSG_CLASS_NACK_BAD_SIGNATURE",
    0x8007: "MQMSG_CLASS_NACK_BAD_ENCRYPTION",
    0x8009: "MQMSG_CLASS_NACK_NOT_TRANSACTIONAL_Q",
    0x800A: "MQMSG_CLASS_NACK_NOT_TRANSACTIONAL_MSG",
    0x800B: "MQMSG_CLASS_NACK_UNSUPPORTED_CRYPTO_PROVIDER",
    0xC000: "MQMSG_CLASS_NACK_Q_DELETED",
    0xC001: "MQMSG_CLASS_NACK_Q_PURGED",
    0xC002: "MQMSG_CLASS_NACK_RECEIVE_TIMEOUT",
    0xC004: "MQMSG_CLASS_NACK_RECEIVE_REJECTED",
}
"""[MS-MQMQ] 2.2.18.1.6."""
_ACK_REACH_QUEUE: Final = 0x0002
_ACK_BITS: Final = 0xC000
"""[MS-MQMP] 2.2.3.2: a negative one, and one of the receiver."""

HASH_ALGORITHMS: Final = {
    0x8001: "MD2",
    0x8002: "MD4",
    0x8003: "MD5",
    0x8004: "SHA-1",
    0x800C: "SHA-256",
    0x800E: "SHA-512",
}
ENCRYPTION_ALGORITHMS: Final = {
    0x6602: "RC2",
    0x660E: "AES-128",
    0x660F: "AES-192",
    0x6610: "AES-256",
    0x6801: "RC4",
}
PRIVACY_LEVELS: Final = {0: "none", 1: "40-bit", 3: "128-bit", 5: "AES"}
"""[MS-MQMQ] 2.2.19.3."""
PRIVACY_LEVELS_OF_CALLS: Final = {0: "none", 1: "40-bit", 2: "128-bit"}
"""[MS-MQMP] 2.2.3.2."""
DELIVERY_MODES: Final = {0: "express", 1: "recoverable"}
SENDER_ID_TYPES: Final = {0: "none", 1: "sid", 2: "qm"}
ACKNOWLEDGMENTS: Final = {
    0x01: "positive_arrival",
    0x02: "positive_receive",
    0x04: "negative_arrival",
    0x08: "negative_receive",
}
JOURNALING: Final = {0x01: "deadletter", 0x02: "journal"}
"""[MS-MQMP] 2.2.3.2, pAuditing; in a packet the flags JN and JP."""

_AUTOMATION_TYPES: Final = {
    4: "VT_R4",
    5: "VT_R8",
    6: "VT_CY",
    7: "VT_DATE",
    8: "VT_BSTR",
    9: "VT_DISPATCH",
    10: "VT_ERROR",
    13: "VT_UNKNOWN",
    14: "VT_DECIMAL",
    30: "VT_LPSTR",
    66: "VT_STREAM",
    68: "VT_STREAMED_OBJECT",
    69: "VT_STORED_OBJECT",
}
"""Bodies have types that MS-MQMQ does not list, as in [MS-MQQB] 4.1.7: [MS-OAUT] 2.2.7, [MS-OLEPS] 2.15."""
_VT_ARRAY: Final = 0x2000


def class_name(number: int) -> str:
    return named(MESSAGE_CLASSES, number, 4)


def acknowledges(number: int) -> bool:
    """Whether a message of this class tells what became of another one, which its CorrelationID names."""
    return number == _ACK_REACH_QUEUE or bool(number & _ACK_BITS)


def body_type_name(number: int) -> str:
    if number & _VT_ARRAY:
        return f"VT_ARRAY|{body_type_name(number & ~_VT_ARRAY)}"
    name = _AUTOMATION_TYPES.get(number & ~VT_VECTOR)
    if name is None:
        return vt_name(number)
    return f"VT_VECTOR|{name}" if number & VT_VECTOR else name


def named(names: Mapping[int, str], number: int, digits: int) -> str:
    return names.get(number) or f"0x{number:0{digits}X}"


def algorithm(names: Mapping[int, str], number: int) -> str | None:
    """Zero is none."""
    return named(names, number, 4) if number else None


def set_bits(names: Mapping[int, str], value: int) -> tuple[str, ...]:
    return tuple(name for mask, name in names.items() if value & mask)
