"""[MS-DCOM] 3.2.4.1.2.2, 3.2.6.1: how calls of the object resolver are protected. Nobody is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.authentication import level_shown, strength
from pipelines.rules.model import OPERATION, REQUEST, Broken, Level, Subject
from pipelines.rules.plans import unreadable
from pipelines.rules.watching import detection

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer


def _below_integrity(step: ComStep) -> Answer:
    """A trailer may be cut off, or have been negotiated out of sight."""
    level = step.call.auth_level
    if strength(level) >= v.AUTH_INTEGRITY:
        return True
    shown = {"operation": step.call.operation, "auth_level": level_shown(level)}
    return unreadable(step.call, REQUEST) or step.hole or Broken(shown)


RULES: Final = (
    detection(
        "detect-dcom-below-integrity",
        "Objects were resolved or kept alive at an authentication level below integrity",
        document="MS-DCOM",
        section="3.2.4.1.2.2, 3.2.6.1",
        requirement="Reported is a ping or a resolution that somebody on the way could have changed: below level "
        "integrity. The document wants integrity; old clients do with less.",
        level=Level.LOW,
        subject=Subject.COM,
        operations=(v.SIMPLE_PING, v.COMPLEX_PING, v.RESOLVE_OXID2),
        needs=OPERATION,
        check=_below_integrity,
        attack=("T1557",),
        undecidable_when="the request is not whole, or bytes of its connection are missing",
    ),
)
