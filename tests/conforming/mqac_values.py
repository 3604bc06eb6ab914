"""VARIANTs as scripts write them, and what they mean."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Final

from tests.conforming.stage import text

if TYPE_CHECKING:
    from tests.conforming.queue_manager import Message, QueueManager
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call

TRUE, FALSE = "true", "false"
NO_TRANSACTION, SINGLE = 0, 3
"""MQTRANSACTION: 2.2.2.1. Left out it is MQ_MTS_TRANSACTION, which is none where nothing surrounds the call."""
_BYTES: Final = "0x2011"
_OBJECT: Final = "[9, "
_WIDE: Final = 2
"""Bytes of a character."""


def dispatch(ipid: str) -> str:
    return f"{_OBJECT}{ipid}]"


def is_object(value: Value | None) -> bool:
    return str(value).startswith(_OBJECT)


def truth(call: Call, name: str, *, otherwise: bool) -> bool:
    return otherwise if name not in call.values else call.values[name] != FALSE


def number(value: Value) -> int:
    """Of digits as text, or of a VT_UI8."""
    return int(str(value).removeprefix("[VT_UI8, ").strip('"]'))


def octets(data: bytes) -> str:
    return f'[{_BYTES}, "{data.hex()}"]'


def body(message: Message) -> tuple[Value, int]:
    """As it is written, and its bytes."""
    if "Body" in message.put:
        return message.put["Body"], message.body
    size = message.body
    if message.number % _WIDE:
        return octets(bytes([message.number % 251]) * size), size
    return text("x" * size), _WIDE * size


def size(written: Value) -> int:
    """Bytes of a text, or of octets."""
    data = str(written)
    return len(data[data.index(", ") + 3 : -2]) // _WIDE if data.startswith("[") else _WIDE * len(data.strip('"'))


def message_id(manager: QueueManager, message: Message) -> str:
    """Of 20 bytes: the machine's GUID, and a number."""
    machine = uuid.uuid5(uuid.NAMESPACE_DNS, manager.name)
    return octets(machine.bytes_le + message.number.to_bytes(4, "little"))


def texts(values: list[str]) -> str:
    return f"[0x2008, [{', '.join(map(text, values))}]]"
