"""Rules of OLE Automation: [MS-OAUT]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.oaut import answers, arguments, values

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *arguments.RULES,
    *answers.RULES,
    *values.RULES,
)
