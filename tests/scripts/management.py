"""What well-behaved peers say over qmmgmt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.scripts import properties
from tests.scripts.queues import QUEUE_NAMES, queue_of
from tests.scripts.recipes import Recipe, World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.stubs import Flat

_MACHINE, _QUEUE = 1, 2


def _object(given: Flat) -> Flat:
    if "queue" in given:
        return {"type": _QUEUE, **queue_of(given)}
    return {"type": _QUEUE if "pQueueFormat" in given else _MACHINE}


def _get_info(given: Flat, _: World) -> Flat:
    return {**_object(given), **properties.wanted(given, [4])}


def _got_info(given: Flat, asked: Flat, _: World) -> Flat:
    return properties.found(given, asked, asked["type"])


def _action(given: Flat, _: World) -> Flat:
    return {**_object(given), "lpwszAction": "PAUSE" if "queue" in given else "CONNECT", **given}


RECIPES: Final[Mapping[str, Recipe]] = {
    "R_QMMgmtGetInfo": Recipe(_get_info, _got_info, left=QUEUE_NAMES | properties.VT_NAMES, right=properties.VT_NAMES),
    "R_QMMgmtAction": Recipe(_action, lambda given, asked, _: {**asked, **given}, left=QUEUE_NAMES),
}
