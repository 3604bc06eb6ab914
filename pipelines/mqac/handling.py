"""What the handlers of calls have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pipelines.mqac.objects import ObjectState

Handler: TypeAlias = "Callable[[Any, Any, Any], ObjectState | None]"
"""Told when the call is over: the story, the step, and the live state of the object. The object that it handed out."""
Handlers: TypeAlias = Mapping[tuple[str, str, str], Handler]
"""By class, member and kind."""
