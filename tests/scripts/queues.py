"""Queues by their format names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.scripts.stubs import Flat

ORDERS: Final = r"OS:hq\private$\orders"
_SUFFIXES: Final = {";JOURNAL": 1, ";DEADLETTER": 2, ";DEADXACT": 3, ";XACTONLY": 4}
_FORMAT: Final = ("m_qft", "m_SuffixAndFlags", "m_reserved")
QUEUE_NAMES: Final = frozenset(("queue", *_FORMAT))


def queue_of(given: Flat, otherwise: str = ORDERS) -> Flat:
    """As `queue` has it, with what overrides that."""
    overrides = {name: given[name] for name in _FORMAT if name in given}
    return {"pQueueFormat": queue_format(given.get("queue", otherwise)) | overrides}


def queue_format(name: str) -> Flat:
    r"""`OS:hq\private$\orders`, or a whole format name such as `PUBLIC=...;JOURNAL`."""
    kind, equals, rest = name.partition("=")
    if not equals or kind.upper() not in _KINDS:
        kind, rest = "DIRECT", name
    number, arm = _KINDS[kind.upper()]
    suffix = next((suffix for suffix in _SUFFIXES if rest.upper().endswith(suffix)), "")
    # A direct name keeps its suffix: [MS-MQMQ] 2.1.2.
    bare = rest if number == _KINDS["DIRECT"][0] else rest.removesuffix(suffix)
    return {"m_qft": number, "m_SuffixAndFlags": _SUFFIXES.get(suffix, 0), "m_reserved": 0, **arm(bare)}


def _private(rest: str) -> Flat:
    lineage, _, number = rest.partition("\\")
    return {"m_oPrivateID": {"Lineage": lineage, "Uniquifier": int(number, 16)}}


def _multicast(rest: str) -> Flat:
    address, _, port = rest.partition(":")
    octets = bytes(map(int, address.split(".")))
    return {"m_MulticastID": {"m_address": int.from_bytes(octets, "little"), "m_port": int(port)}}


def _list(rest: str) -> Flat:
    identifier, _, domain = rest.partition("@")
    return {"m_DlID": {"m_DlGuid": identifier, "m_pwzDomain": domain or None}}


_KINDS: Final[Mapping[str, tuple[int, Callable[[str], Flat]]]] = {
    "PUBLIC": (1, lambda rest: {"m_gPublicID": rest}),
    "PRIVATE": (2, _private),
    "DIRECT": (3, lambda rest: {"m_pDirectID": rest}),
    "MACHINE": (4, lambda rest: {"m_gMachineID": rest}),
    "CONNECTOR": (5, lambda rest: {"m_GConnectorID": rest}),
    "DL": (6, _list),
    "MULTICAST": (7, _multicast),
    "SUBQUEUE": (8, lambda rest: {"m_pDirectSubqueueID": rest}),
}
