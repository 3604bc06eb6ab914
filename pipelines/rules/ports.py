"""Ports that servers of MSMQ tell, and whom they tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.registry import QM2QM, QMCOMM
from pipelines.facts import vocabulary as v
from pipelines.facts.model import MAX_BINDS
from pipelines.rules.authentication import unproven
from pipelines.rules.model import BOTH, Broken
from pipelines.rules.plans import unreadable
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

DEFAULT_PORTS: Final = (QMCOMM.port, QM2QM.port, QMCOMM.port, QM2QM.port)
"""By dwPortType or fIP, the last two for SPX: [MS-MQQP] 3.1.4.8, [MS-MQMP] 3.1.4.24."""
_STEP: Final = 11
_TRIES: Final = 100
"""A server that finds so many ports taken has other worries; beyond it any port would be in some row of elevens."""
ACCESS_DENIED: Final = frozenset((5, v.MQ_ERROR_ACCESS_DENIED, 0x8007_0005))
"""As RPC throws it, as MSMQ returns it, and the first as an HRESULT."""


def may_be_announced(port: int, first: int) -> bool:
    """Where the first is taken they move up by elevens; 0 says that there is none."""
    return port == 0 or port in range(first, first + _STEP * _TRIES, _STEP)


def port_query_unrestricted(step: CallStep) -> Answer:
    if step.call.encrypted or step.call.given_up:
        return None
    if (reason := unreadable(step.call, BOTH)) is not None:
        return reason
    if step.call.fault is None:
        return True
    # With authentication the refusal may be about that: a wrong password shows only in the first answer.
    if step.call.fault not in ACCESS_DENIED or not without_authentication(step):
        return None
    return unproven(step) or Broken({"answer": code_shown(step.call.fault)})


def without_authentication(step: CallStep) -> bool:
    """Neither the call nor any bind of its connection has any."""
    call, connection = step.call, step.connection
    if call.auth_type is not None or call.auth_level is not None or connection is None:
        return False
    binds = connection.fact.binds
    return len(binds) < MAX_BINDS and all(bind.auth_type is None for bind in binds)
