"""What well-behaved peers say over qmcomm of private queues themselves: [MS-MQMP] 3.1.4.5 to 3.1.4.11."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.scripts import properties, security
from tests.scripts.queues import QUEUE_NAMES, queue_format, queue_of
from tests.scripts.recipes import Recipe, World, fails
from tests.scripts.variants import OBJECT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.stubs import Flat

_PATH: Final = "hq\\private$\\orders"
_PATHNAME, _LABEL = 103, 108
_FOUND: Final = "PRIVATE=11111111-2222-3333-4444-555555555555\\0000000f"
_UNKNOWN: Final = {"m_qft": 0, "m_SuffixAndFlags": 0, "m_reserved": 0}


def _object(given: Flat) -> Flat:
    return {"ObjType": 1, **queue_of(given)}


def _create(given: Flat, _: World) -> Flat:
    path = given.get("lpwcsPathName", _PATH)
    told = given if "aProp" in given else {"apVar": [path], **given}
    return {
        "dwObjectType": 1,
        "lpwcsPathName": path,
        **security.given_as(given, "pSecurityDescriptor", "SDSize"),
        **properties.told(told, OBJECT, [_PATHNAME]),
    }


def _set_security(given: Flat, _: World) -> Flat:
    return {
        **_object(given),
        "SecurityInformation": security.DACL,
        **given,
        **security.given_as(given, "pSecurityDescriptor", "SDSize"),
    }


def _get_security(given: Flat, _: World) -> Flat:
    return {**_object(given), "RequestedInformation": security.ALL, "nLength": security.ROOM, **given}


def _get_properties(given: Flat, _: World) -> Flat:
    return {**_object(given), **properties.wanted(given, [_PATHNAME])}


def _set_properties(given: Flat, _: World) -> Flat:
    return {**_object(given), **properties.told(given, OBJECT, [_LABEL])}


def _look_up(given: Flat, _: World) -> Flat:
    return {"lpwcsPathName": _PATH, "ObjType": 1, "pQueueFormat": _UNKNOWN, **given}


def _looked_up(given: Flat, asked: Flat, _: World) -> Flat:
    queue = asked["pQueueFormat"] if fails(given) and "queue" not in given else queue_format(given.get("queue", _FOUND))
    return {**asked, "pQueueFormat": queue, **given}


def _done(given: Flat, asked: Flat, _: World) -> Flat:
    return {**asked, **given}


RECIPES: Final[Mapping[str, Recipe]] = {
    "R_QMCreateObjectInternal": Recipe(_create, _done, left=security.NAMES | properties.VT_NAMES),
    "R_QMSetObjectSecurityInternal": Recipe(_set_security, _done, left=QUEUE_NAMES | security.NAMES),
    "R_QMGetObjectSecurityInternal": Recipe(_get_security, security.found, left=QUEUE_NAMES, right=security.NAMES),
    "R_QMDeleteObject": Recipe(lambda given, _: {**_object(given), **given}, _done, left=QUEUE_NAMES),
    "R_QMGetObjectProperties": Recipe(
        _get_properties,
        lambda given, asked, _: properties.found(given, asked, OBJECT),
        left=QUEUE_NAMES | properties.VT_NAMES,
        right=properties.VT_NAMES,
    ),
    "R_QMSetObjectProperties": Recipe(_set_properties, _done, left=QUEUE_NAMES | properties.VT_NAMES),
    "R_QMObjectPathToObjectFormat": Recipe(_look_up, _looked_up, right=QUEUE_NAMES),
}
