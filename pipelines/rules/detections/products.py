"""What an investigator asks for: hosts that do not behave as the product that they say they are. Nobody is accused.

The documents permit it, or tell it of products only. But who does so may be a program that speaks for another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcerpc.call_model import CallOutcome
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import OPERATION, REQUEST, Broken, Exemption, Level
from pipelines.rules.watching import detection

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_UNKNOWN_OPERATION: Final = 0x1C01_0002
"""nca_op_rng_error."""
_VISTA: Final = (6, 0, 0)
_SINCE_VISTA: Final = {
    20: v.MOVE,
    21: v.OPEN_FOR_MOVE,
    27: v.ENLIST_REMOTE,
    29: v.REMOTE_START_IN_TRANSACTION,
    30: v.SET_CLASS,
    31: v.REMOTE_END_IN_TRANSACTION,
}
"""By the note of [MS-MQRR] that says so."""


def _operation_missing(step: CallStep) -> Answer:
    call = step.call
    if call.outcome not in (CallOutcome.ANSWERED, CallOutcome.FAULTED):
        return Reason.RESPONSE_NOT_CAPTURED
    if call.fault != _UNKNOWN_OPERATION:
        return True
    # Where anything was missed since, the fault may be of another call with its id.
    return step.blind_since(call.began) or Broken({"called": call.operation, "answer": "nca_op_rng_error"})


def _newer_asks_port(step: CallStep) -> Answer:
    if step.client_version is None:
        return Reason.CLIENT_VERSION_UNKNOWN
    return True if step.client_version < _VISTA else Broken({"client version": step.client_version})


RULES: Final = (
    detection(
        "detect-operation-missing",
        "A server lacks an operation that its version has",
        document="MS-MQRR",
        section="3.1.4.11",
        requirement="Reported is a server that refuses operations 10 to 15 as unknown although it says that it is "
        "newer than Windows Server 2003: only that one lacks them.",
        level=Level.LOW,
        operations=tuple(_SINCE_VISTA.values()),
        needs=OPERATION,
        check=_operation_missing,
        attack=("T1036",),
        exemptions=tuple(
            Exemption(f"<{note}>", f"Windows Server 2003 lacks {name}", lambda version: version < _VISTA)
            for note, name in _SINCE_VISTA.items()
        ),
        undecidable_when="its answer is missing, or anything between the two hosts was since it was asked",
    ),
    detection(
        "detect-port-by-newer-client",
        "A client newer than Windows Server 2003 asked for the port",
        document="MS-MQRR",
        section="2.1, 3.1.4.1, 3.2.4.1",
        requirement="Reported is a client that asks for the port of RemoteRead or qm2qm although it says, as a server, "
        "that it is newer than Windows Server 2003. Everybody may ask; of Windows only that one and older ones do "
        "(note <4>, note <13>, notes <32> to <33>; [MS-MQQP] <5>).",
        level=Level.INFORMATIONAL,
        operations=(v.REMOTE_PORT, v.PORT),
        needs=REQUEST,
        check=_newer_asks_port,
        attack=("T1036",),
        undecidable_when="the client was not seen to tell its own version as a server",
    ),
)
