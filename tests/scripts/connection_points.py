"""Calls by which a client asks an object to call it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces.connection_points import IID_POINT
from decoders.ndr.model import ObjrefBytes
from decoders.registry import BY_NAME
from tests.scripts.com import recipe_on, reference_to
from tests.scripts.com_parts import IUNKNOWN, REFERENCE_NAMES
from tests.scripts.recipes import fails

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.recipes import Recipe, World
    from tests.scripts.stubs import Flat

_ADVISING: Final = (REFERENCE_NAMES - {"gives"}) | {"sink"}
_CALLBACK: Final = BY_NAME["_DMSMQEventEvents"].uuid


def _advise(given: Flat, world: World) -> Flat:
    sink = given.get("sink")
    made = None if sink is None else ObjrefBytes(reference_to(IUNKNOWN, sink, given, world))
    return {**given, "pUnkSink": made}


def _found(given: Flat, asked: Flat, world: World) -> Flat:
    gives = given.get("gives", [None])[0]
    made = None if fails(given) or gives is None else ObjrefBytes(reference_to(IID_POINT, gives, given, world))
    return {**asked, **given, "ppCP": made}


CONTAINER: Final[Mapping[str, Recipe]] = {
    "FindConnectionPoint": recipe_on("A", {"riid": _CALLBACK}, _found, right=REFERENCE_NAMES),
}
POINT: Final[Mapping[str, Recipe]] = {
    "GetConnectionInterface": recipe_on("P", {}, lambda given, asked, _: {**asked, "pIID": _CALLBACK, **given}),
    "Advise": recipe_on("P", _advise, lambda given, asked, _: {**asked, "pdwCookie": 1, **given}, _ADVISING),
    "Unadvise": recipe_on("P", {"dwCookie": 1}, lambda given, asked, _: {**asked, **given}),
}
