"""What rules of COM have in common."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.rules.model import Broken, Level, Party, Rule, Subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.com.steps import ComStep
    from pipelines.facts.com import About
    from pipelines.rules.model import Answer

com_rule: Final = partial(Rule, subject=Subject.COM, level=Level.LOW, keyword="MUST")
of_client: Final = partial(com_rule, party=Party.CLIENT)
of_server: Final = partial(com_rule, party=Party.SERVER)


def well_formed(about: About, *, given: bool) -> Callable[[ComStep], Answer]:
    """Whether all parts of that kind in the request, or in the answer, are as they should be."""

    def check(step: ComStep) -> Answer:
        found = step.checked(about, given=given)
        if found is None:
            return None
        return (
            Broken({"operation": step.call.operation, "found": "; ".join(found.problems)}) if found.problems else True
        )

    return check
