"""Arguments that cannot be right: the client's fault, and for the server a reason to refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pipelines.rules.model import Broken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

Wrong: TypeAlias = "Mapping[str, Any] | None"
"""What shows it; None: nothing is wrong."""
Finder: TypeAlias = "Callable[[CallStep], Wrong]"


def kept_unless(find: Finder) -> Callable[[CallStep], Answer]:
    """The check of a rule that one request decides."""

    def check(step: CallStep) -> Answer:
        wrong = find(step)
        return True if wrong is None else Broken(wrong)

    return check
