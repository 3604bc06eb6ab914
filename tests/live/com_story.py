"""What the exporter of the live tests answers: one object of each scene. No impacket here: the tests read it too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from decoders.oaut.building import bstr, variant
from decoders.oaut.names import VT
from tests.builders import com_values as c
from tests.builders.com_talk import answer_stub
from tests.live.report import HOST
from tests.scripts.ntlm import Login

Answers = dict[tuple[str, int], Callable[[str | None], bytes]]
LOGIN: Final = Login("branch-reader", "CORP", "BRANCH7", "orders-4711")
PATH: Final = ".\\private$\\orders"
ASKED: Final = "text"
"""Of this length: impacket does not align the VARIANTs of rgVarRef, so that they have to lie at a multiple of 8."""
NUMBERS: Final = {"PathName": 3, "Count": 9, "Report": 12}
LONG: Final = "0123456789" * 600
"""Its answer takes several fragments."""
IREMUNKNOWN: Final = "00000131-0000-0000-c000-000000000046"
_BY_REFERENCE: Final = 0x4000


@dataclass(frozen=True)
class Scene:
    name: str
    level: int
    """Of authentication, at both ports."""
    number: int

    @property
    def oxid(self) -> int:
        return self.number

    @property
    def oid(self) -> int:
        return self.number + 1

    def ipid(self, place: int) -> str:
        return c.ipid(self.number * 16 + place)


SCENES: Final = (
    Scene("none", 1, 0x100),
    Scene("integrity", 5, 0x200),
    Scene("privacy", 6, 0x300),
)
REMOTE_UNKNOWN, OBJECT, OTHER = range(3)


def resolver_answers(scene: Scene, port: int) -> Answers:
    reference = (c.DISPATCH, c.objref(c.DISPATCH, scene.oxid, scene.oid, scene.ipid(OBJECT)))
    where = c.bindings(f"SERVER[{port}]", f"{HOST}[{port}]")
    told = c.activated(scene.oxid, scene.ipid(REMOTE_UNKNOWN), where, reference, hint=scene.level)
    values = {"orpcthat": c.that(1), "ppActProperties": told}
    stub = answer_stub(c.ACTIVATOR, "RemoteCreateInstance", values, native=True)
    return {(c.ACTIVATOR, 4): lambda _: stub}


def exporter_answers(scene: Scene) -> Answers:
    names, results = list(NUMBERS.values()), _results()

    def named(_: str | None) -> bytes:
        return answer_stub(c.DISPATCH, "GetIDsOfNames", {"rgDispId": [names.pop(0)]})

    def invoked(_: str | None) -> bytes:
        return answer_stub(c.DISPATCH, "Invoke", results.pop(0))

    std = {"flags": 0, "cPublicRefs": 1, "oxid": scene.oxid, "oid": scene.oid, "ipid": scene.ipid(OTHER)}
    queried = answer_stub(IREMUNKNOWN, "RemQueryInterface", {"ppQIResults": [{"hResult": 0, "std": std}]})
    released = answer_stub(IREMUNKNOWN, "RemRelease", {})
    return {
        (c.DISPATCH, 5): named,
        (c.DISPATCH, 6): invoked,
        (IREMUNKNOWN, 3): lambda _: queried,
        (IREMUNKNOWN, 5): lambda _: released,
    }


def _results() -> list[c.Values]:
    """In the order of the calls."""
    return [
        c.returned(),
        c.returned(variant(VT["VT_I4"], 41), by_reference=(variant(VT["VT_I4"] | _BY_REFERENCE, 2),)),
        c.returned(variant(VT["VT_BSTR"], bstr(LONG))),
    ]
