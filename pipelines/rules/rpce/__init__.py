"""Rules about how calls are made and protected: [MS-RPCE], and the security considerations of [MS-MQQP] 5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.rpce import calls

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (*calls.RULES,)
