"""All of them, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ingest.choice import Scope
from tests.hostile import announced, connections, containers, objects, queues, values

if TYPE_CHECKING:
    from tests.hostile.measure import Idea

ORDINARY: Final[Idea] = queues.ordinary
IDEAS: Final[dict[str, Idea]] = {
    f"{module.__name__.rpartition('.')[2]}.{idea.__name__}": idea
    for module in (queues, connections, announced, containers, objects, values)
    for idea in module.IDEAS
}


def scope_of(name: str) -> Scope:
    """Objects are those of any class: what MSMQ's do costs more than what theirs do."""
    return Scope.RPC if name.startswith("objects.") else Scope.MSMQ
