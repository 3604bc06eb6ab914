"""Whether a failure has the code that the document demands for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.model import Broken
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_NOT_ABOUT_ARGUMENTS: Final = frozenset(
    (
        v.MQ_ERROR_ACCESS_DENIED,
        0xC00E_000B,  # MQ_ERROR_SERVICE_NOT_AVAILABLE
        0xC00E_0024,  # MQ_ERROR_CANNOT_IMPERSONATE_CLIENT
        0xC00E_0027,  # MQ_ERROR_INSUFFICIENT_RESOURCES
        0xC000_009A,  # STATUS_INSUFFICIENT_RESOURCES
        0xC00E_0067,  # MQ_ERROR_DEPEND_WKS_LICENSE_OVERFLOW: note <12>
        0xC00E_0056,  # MQ_ERROR_STALE_HANDLE: the service was restarted
        0xC00E_005A,  # MQ_ERROR_QUEUE_DELETED
        0xC00E_004B,  # MQ_ERROR_QUEUE_NOT_AVAILABLE
        0x8007_0005,  # E_ACCESSDENIED
        0x8007_000E,  # E_OUTOFMEMORY
    )
)
"""A server that refuses for one of these did not come as far as the arguments."""
_MQ_FACILITY: Final = 0xC00E


def demanded(step: CallStep, codes: tuple[int, ...], values: Mapping[str, Any]) -> Answer:
    """`values` are the arguments that demand one of `codes`."""
    if step.code in codes:
        return True
    if _of_the_runtime(step) or step.code in _NOT_ABOUT_ARGUMENTS:
        return None
    return Broken({**values, "demanded": " or ".join(map(code_shown, codes)), "answer": code_shown(step.code)})


def _of_the_runtime(step: CallStep) -> bool:
    """A fault is no answer of the method, but for purges: they may throw what they would return (note <18>)."""
    fault = step.call.fault
    return fault is not None and not (step.call.method == v.PURGE and fault >> 16 == _MQ_FACILITY)
