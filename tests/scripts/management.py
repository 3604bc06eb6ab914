"""What well-behaved peers say over qmmgmt. Queues go by their format names."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final

from tests.scripts.recipes import Recipe, World, fails
from tests.scripts.statements import ScriptError
from tests.scripts.variants import VT_NULL, expected_type, guessed_type, typical, variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.scripts.stubs import Flat

_MACHINE, _QUEUE = 1, 2
_SUFFIXES: Final = {";JOURNAL": 1, ";DEADLETTER": 2, ";DEADXACT": 3, ";XACTONLY": 4}
_FORMAT: Final = ("m_qft", "m_SuffixAndFlags", "m_reserved")


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


def _object(given: Flat) -> Flat:
    if "queue" in given:
        overrides = {name: given[name] for name in _FORMAT if name in given}
        return {"type": _QUEUE, "pQueueFormat": queue_format(given["queue"]) | overrides}
    return {"type": _QUEUE if "pQueueFormat" in given else _MACHINE}


def _get_info(given: Flat, _: World) -> Flat:
    properties = given.get("aProp", [4])
    types = given.get("vt", [VT_NULL] * len(properties))
    variants = _variants(types, given.get("apVar", [None] * len(types)))
    return {**_object(given), "cp": len(properties), "aProp": properties, **given, "apVar": variants}


def _got_info(given: Flat, asked: Flat, _: World) -> Flat:
    if fails(given) and not given.keys() & {"apVar", "vt"}:
        return {**asked, **given}
    kind = asked["type"]
    if "apVar" in given:
        values = given["apVar"]
        types = given.get("vt") or [guessed_type(kind, *pair) for pair in zip(_properties(asked), values)]  # noqa: B905
    else:
        types = given.get("vt") or [expected_type(kind, propid) for propid in asked["aProp"]]
        values = [typical(kind, *pair) for pair in zip(_properties(asked), types)]  # noqa: B905
    return {**asked, **given, "apVar": _variants(types, values)}


def _properties(asked: Flat) -> Iterator[int]:
    """An answer may hold more than was asked for."""
    return chain(asked["aProp"], repeat(0))


def _variants(types: list[int], values: list[Any]) -> list[Flat]:
    if len(types) != len(values):
        raise ScriptError(f"{len(types)} in 'vt' and {len(values)} in 'apVar'")
    return [variant(vt, value) for vt, value in zip(types, values, strict=True)]


def _action(given: Flat, _: World) -> Flat:
    return {**_object(given), "lpwszAction": "PAUSE" if "queue" in given else "CONNECT", **given}


_OBJECT_NAMES: Final = frozenset(("queue", *_FORMAT))
RECIPES: Final[Mapping[str, Recipe]] = {
    "R_QMMgmtGetInfo": Recipe(_get_info, _got_info, left=_OBJECT_NAMES | {"vt"}, right=frozenset(("vt",))),
    "R_QMMgmtAction": Recipe(_action, lambda given, asked, _: {**asked, **given}, left=_OBJECT_NAMES),
}
