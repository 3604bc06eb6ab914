"""What an investigator asks for. Nobody is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.detections import (
    access,
    activations,
    beyond,
    endpoints,
    handles,
    management,
    ports,
    products,
    reading,
    rights,
    scripts,
    servers,
    unmade,
)

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *reading.RULES,
    *handles.RULES,
    *access.RULES,
    *beyond.RULES,
    *management.RULES,
    *rights.RULES,
    *endpoints.RULES,
    *products.RULES,
    *ports.RULES,
    *servers.RULES,
    *unmade.RULES,
    *activations.RULES,
    *scripts.RULES,
)
