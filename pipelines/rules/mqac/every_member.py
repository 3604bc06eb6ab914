"""Every member of MSMQ's objects that answers by an HRESULT."""

from __future__ import annotations

from typing import Final

from decoders.interfaces import INTERFACES
from decoders.interfaces.mqac.members import by_opnum
from decoders.registry import REGISTRY, Family
from pipelines.rules.mqac.demands import methods

_CALLED_BACK: Final = frozenset(methods("MSMQEvent", "Arrived", "ArrivedError"))
EVERY: Final = tuple(
    sorted(
        {
            member.meaning
            for uuid, interface in INTERFACES.items()
            if REGISTRY[uuid].family is Family.MSMQ_COM
            for operation in interface.operations
            if (member := by_opnum(uuid, operation.opnum)) is not None and member.meaning not in _CALLED_BACK
        }
    )
)
