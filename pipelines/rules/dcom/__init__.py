"""Rules of the DCOM remote protocol: [MS-DCOM]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.dcom import activations, headers, interfaces, lifetimes, pings, protection, references, versions

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *headers.RULES,
    *versions.RULES,
    *interfaces.RULES,
    *lifetimes.RULES,
    *pings.RULES,
    *activations.RULES,
    *references.RULES,
    *protection.RULES,
)
