"""What written values mean: numbers, names of numbers, handles, messages, endpoints."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.interfaces import INTERFACES, mqmq, qm2qm, qmmgmt
from decoders.msmq.properties import PROPERTIES
from decoders.msmq.variants import vt_number
from decoders.status.ept import EPT
from decoders.status.hresult import HRESULT_NAMES
from decoders.status.mq import MQ
from decoders.status.nca import NCA
from decoders.status.ntstatus import NTSTATUS
from tests.scripts.statements import Bare, ScriptError, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BY_NAME: Final = {interface.name: interface for interface in INTERFACES.values()}

ACTIONS: Final = {
    "RECEIVE": 0x0000_0000,
    "PEEK_CURRENT": 0x8000_0000,
    "PEEK_NEXT": 0x8000_0001,
    "LOOKUP_PEEK_CURRENT": 0x4000_0010,
    "LOOKUP_PEEK_NEXT": 0x4000_0011,
    "LOOKUP_PEEK_PREV": 0x4000_0012,
    "LOOKUP_RECEIVE_CURRENT": 0x4000_0020,
    "LOOKUP_RECEIVE_NEXT": 0x4000_0021,
    "LOOKUP_RECEIVE_PREV": 0x4000_0022,
}
"""[MS-MQQP] 2.2.2.1, without MQ_ACTION_ and MQ_."""

_CODES: Final = NCA | EPT | NTSTATUS | HRESULT_NAMES | MQ
CONSTANTS: Final[Mapping[str, int]] = {
    "INFINITE": 0xFFFF_FFFF,
    **{name: code for code, name in _CODES.items()},
    **ACTIONS,
    **dict(qm2qm.REMOTEREADACK.members),
    **dict(qmmgmt.MgmtObjectType.members),
    **dict(mqmq.QUEUE_FORMAT_TYPE.members),
    **dict(mqmq.VARENUM.members),
    **{entry.name: entry.propid for entry in PROPERTIES.values()},
}
_GUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


class Message(NamedTuple):
    body: int
    seed: int | None


class Endpoint(NamedTuple):
    interface: tuple[str, int, int]
    port: int


def handle(name: str) -> str:
    """The UUID that the name stands for, in scripts and in what tests expect of them."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{name}.mqtrail.example"))


def syntax_of(interface: str, version: tuple[int, int] | None = None) -> tuple[str, int, int]:
    """Of a name or a UUID; a UUID nobody knows is version 1.0."""
    known = BY_NAME.get(interface) or INTERFACES.get(interface)
    if known is not None:
        return (known.uuid, *(version or known.version))
    return (interface, *(version or (1, 0)))


def endpoint(interface: str, port: int) -> Endpoint:
    return Endpoint(syntax_of(interface), port)


def meaning(name: str, value: Written) -> Any:  # noqa: ANN401
    """Of the value given to that parameter."""
    return _READERS.get(name, _plain)(name, value)


def _plain(name: str, value: Written) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [_plain(name, item) for item in value]
    if value.text == "null":
        return None
    if _GUID.fullmatch(value.text):
        return value.text.lower()
    if value.text in CONSTANTS:
        return CONSTANTS[value.text]
    if "|" in value.text and value.text.startswith("VT_"):
        return vt_number(value.text)
    return _integer(name, value.text)


def _integer(name: str, text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise ScriptError(f"{name}: {text!r} is neither a number nor a name known here") from None


def _identifier(name: str, value: Written) -> str | None:
    text = _text(name, value)
    if text == "null":
        return None
    if _GUID.fullmatch(text):
        return text.lower()
    if not _NAME.fullmatch(text):
        raise ScriptError(f"{name}: {text!r} is neither a GUID nor a name for one")
    return handle(text)


def _octets(name: str, value: Written) -> bytes | None:
    text = _text(name, value)
    if text == "null":
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise ScriptError(f"{name}: {text!r} is not hexadecimal") from None


def _message(name: str, value: Written) -> Message | None:
    text = _text(name, value)
    if text == "null":
        return None
    body, _, seed = text.partition("/")
    return Message(_integer(name, body), _integer(name, seed) if seed else None)


def _interface(name: str, value: Written) -> tuple[str, int, int]:
    text = _text(name, value)
    if text not in BY_NAME and not _GUID.fullmatch(text):
        raise ScriptError(f"{name}: {text!r} is neither an interface nor a UUID")
    return syntax_of(text.lower())


def _endpoints(name: str, value: Written) -> list[Endpoint]:
    if not isinstance(value, tuple):
        raise ScriptError(f"{name}: {_text(name, value)!r} is no list such as [qm2qm:2105]")
    found = []
    for item in value:
        interface, _, port = _text(name, item).partition(":")
        found.append(Endpoint(_interface(name, Bare(interface)), _integer(name, port)))
    return found


def _text(name: str, value: Written) -> str:
    if isinstance(value, tuple):
        raise ScriptError(f"{name}: a list where one value should stand")
    return value.text if isinstance(value, Bare) else value


_READERS: Final[Mapping[str, Callable[[str, Written], Any]]] = {
    **dict.fromkeys(("pphContext", "phContext", "entry_handle", "pLicGuid", "obj", "object"), _identifier),
    **dict.fromkeys(("buffer", "lpBuffer", "stub"), _octets),
    "message": _message,
    "for": _interface,
    "entries": _endpoints,
}
