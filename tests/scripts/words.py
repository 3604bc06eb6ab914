"""What written values mean: numbers, names of numbers, handles, messages, endpoints."""

from __future__ import annotations

import re
import uuid
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.dcom.classes import CLASSES, COM_INTERFACES
from decoders.interfaces import INTERFACES
from decoders.ndr.layout import is_octets
from decoders.ndr.model import Array, ContextHandle, Guid
from decoders.registry import BY_NAME as REGISTERED
from decoders.registry import DCOM, REGISTRY, Family
from tests.scripts.constants import CONSTANTS
from tests.scripts.statements import Bare, ScriptError, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from decoders.ndr.model import Type

BY_NAME: Final = {interface.name: interface for interface in INTERFACES.values()}
PORTS: Final = {
    "epm": 135,
    "qm2qm": 2105,
    **dict.fromkeys(("qmmgmt", "qmcomm", "qmcomm2", "RemoteRead"), 2103),
    **dict.fromkeys(("dscomm", "dscomm2"), 2101),
    **{
        one.name: 135 if one.family is Family.DCOM_ACTIVATION else 49_700
        for one in REGISTERED.values()
        if one.family in DCOM
    },
}
"""Where servers listen unless told otherwise."""
_KNOWN: Final = {
    **{name: clsid for clsid, name in CLASSES.items()},
    **{name: iid for iid, name in COM_INTERFACES.items()},
    **{one.name: one.uuid for one in REGISTERED.values() if one.family in DCOM},
}
"""Names of COM's classes and interfaces."""
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
    known = REGISTERED.get(interface) or REGISTRY.get(interface)
    if known is not None:
        return (known.uuid, *(version or known.version))
    return (interface, *(version or (1, 0)))


def name_of(interface: tuple[str, int, int]) -> str:
    known = INTERFACES.get(interface[0])
    return interface[0] if known is None else known.name


def endpoint(interface: str, port: int) -> Endpoint:
    return Endpoint(syntax_of(interface), port)


def unit_of_work(identifier: str) -> bytes:
    """The XACTUOW that a transaction's identifier stands for."""
    return uuid.UUID(identifier).bytes_le


def meaning(name: str, value: Written, declared: Type | None = None) -> Any:  # noqa: ANN401
    """Of the value given to that parameter, which the IDL may have a type for."""
    return (_READERS.get(name) or _reader(declared))(name, value)


def _reader(declared: Type | None) -> Callable[[str, Written], Any]:
    match declared:
        case Guid() | ContextHandle():
            return _identifier
        case Array(of=Guid()):
            return _identifiers
        case Array() if is_octets(declared.of):
            return _octets
    return _plain


def _plain(name: str, value: Written) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [_plain(name, item) for item in value]
    if value.text == "null":
        return None
    if _GUID.fullmatch(value.text):
        return value.text.lower()
    return reduce(or_, (_number(name, part) for part in value.text.split("|")))


def _number(name: str, text: str) -> int:
    return CONSTANTS[text] if text in CONSTANTS else _integer(name, text)


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
    return _KNOWN.get(text) or handle(text)


def _identifiers(name: str, value: Written) -> list[str | None] | None:
    if not isinstance(value, tuple):
        return None if _text(name, value) == "null" else [_identifier(name, value)]
    return [_identifier(name, item) for item in value]


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
    return syntax_of(text if text in BY_NAME else text.lower())


def _endpoints(name: str, value: Written) -> list[Endpoint]:
    if not isinstance(value, tuple):
        raise ScriptError(f"{name}: {_text(name, value)!r} is no list such as [qm2qm:2105]")
    found = []
    for item in value:
        interface, _, port = _text(name, item).partition(":")
        found.append(Endpoint(_interface(name, Bare(interface)), _integer(name, port)))
    return found


def _references(name: str, value: Written) -> list[list[Any]]:
    """[IPID, public, private] of each."""
    if not isinstance(value, tuple):
        raise ScriptError(f"{name}: {_text(name, value)!r} is no list such as [[A, 5]]")
    found = []
    for one in value:
        if not isinstance(one, tuple):
            raise ScriptError(f"{name}: {_text(name, one)!r} is no list such as [A, 5]")
        found.append([_identifier(name, one[0]), *(_plain(name, count) for count in one[1:])])
    return found


def _arguments(name: str, value: Written) -> list[Any]:
    """As they stand there; of a reference, [9, A], the IPID."""
    found = []
    for one in value if isinstance(value, tuple) else (value,):
        match one:
            case (Bare(kind), Bare(text)) if _NAME.fullmatch(text):
                found.append([_integer(name, kind), handle(text)])
            case _:
                found.append(_plain(name, one))
    return found


def _names(name: str, value: Written) -> list[str]:
    return [_text(name, one) for one in value] if isinstance(value, tuple) else [_text(name, value)]


def _text(name: str, value: Written) -> str:
    if isinstance(value, tuple):
        raise ScriptError(f"{name}: a list where one value should stand")
    return value.text if isinstance(value, Bare) else value


_READERS: Final[Mapping[str, Callable[[str, Written], Any]]] = {
    **dict.fromkeys(("buffer", "descriptor", "stub"), _octets),
    **dict.fromkeys(("object", "cid", "unknown", "class", "iid", "sink"), _identifier),
    **dict.fromkeys(("gives", "iids"), _identifiers),
    "refs": _references,
    "lacks": _names,
    "rgvarg": _arguments,
    "transaction": _identifier,
    "message": _message,
    "for": _interface,
    "entries": _endpoints,
}
