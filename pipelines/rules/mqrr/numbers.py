"""[MS-MQRR]: which operations there are, and at which port."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.call_model import Outcome
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import OPERATION, REQUEST, RESPONSE, Broken, Exemption, Level, Party, Rule
from pipelines.rules.ports import may_be_told

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_INTERFACE: Final = "RemoteRead"
_RESERVED: Final = 1
_UNKNOWN_OPERATION: Final = 0x1C01_0002
"""nca_op_rng_error."""
_VISTA: Final = (6, 0, 0)
_DEFAULT_PORT: Final = 2103
_SINCE_VISTA: Final = {
    20: v.MOVE,
    21: v.OPEN_FOR_MOVE,
    27: v.ENLIST_REMOTE,
    29: v.REMOTE_START_IN_TRANSACTION,
    30: v.SET_CLASS,
    31: v.REMOTE_END_IN_TRANSACTION,
}
"""By the note that says so."""


def _opnum_reserved(step: CallStep) -> Answer:
    if step.call.endpoint != _INTERFACE or step.call.opnum is None:
        return None
    return step.call.opnum != _RESERVED or Broken({"opnum": step.call.opnum})


def _opnum_by_version(step: CallStep) -> Answer:
    call = step.call
    if call.outcome not in (Outcome.ANSWERED, Outcome.FAULTED):
        return Reason.RESPONSE_NOT_CAPTURED
    if call.fault != _UNKNOWN_OPERATION:
        return True
    # Where anything was missed since, the fault may be of another call with its id.
    return step.blind_since(call.began) or Broken({"called": call.operation, "answer": "nca_op_rng_error"})


def _port_query_old_clients(step: CallStep) -> Answer:
    if step.client_version is None:
        return Reason.CLIENT_VERSION_UNKNOWN
    return True if step.client_version < _VISTA else Broken({"client version": step.client_version})


def _port_answer(step: CallStep) -> Answer:
    port = step.response.get("return_value")
    if port is None:
        return None
    return may_be_told(port, _DEFAULT_PORT) or Broken({"return_value": port})


_rule = partial(Rule, document="MS-MQRR")

RULES: Final[tuple[Rule, ...]] = (
    _rule(
        "mqrr-opnum-reserved",
        "An operation was called that is not for the wire",
        section="3.1.4",
        requirement="Operation 1 is not called: it is reserved, and by note <12> Windows does not even have it.",
        keyword="MUST NOT",
        party=Party.CLIENT,
        level=Level.LOW,
        needs=OPERATION,
        check=_opnum_reserved,
    ),
    _rule(
        "mqrr-opnum-by-version",
        "A server that must have an operation refused it as unknown",
        section="3.1.4.11",
        requirement="A server has operations 10 to 15; only Windows Server 2003 lacks them.",
        keyword="MUST",
        party=Party.SERVER,
        level=Level.LOW,
        operations=tuple(_SINCE_VISTA.values()),
        needs=OPERATION,
        check=_opnum_by_version,
        exemptions=tuple(
            Exemption(f"<{note}>", f"Windows Server 2003 lacks {name}", lambda version: version < _VISTA)
            for note, name in _SINCE_VISTA.items()
        ),
        undecidable_when="its answer is missing, or anything between the two hosts was since it was asked",
    ),
    _rule(
        "mqrr-port-query-old-clients",
        "A client newer than Windows Server 2003 asked for the port",
        section="2.1, 3.1.4.1, 3.2.4.1",
        requirement="Only clients of Windows Server 2003 ask for the port of the interface, and go there "
        "(note <4>, note <13>, notes <32> to <33>).",
        keyword="MAY",
        party=Party.CLIENT,
        level=Level.INFORMATIONAL,
        operations=(v.REMOTE_PORT,),
        needs=REQUEST,
        check=_port_query_old_clients,
        undecidable_when="the client was not seen to tell its own version as a server",
    ),
    _rule(
        "mqrr-port-answer",
        "The port that the server tells is neither the default port nor one in steps of 11 above it",
        section="3.1.4.1",
        requirement="The answer is 0 for an error, or a port: 2103, moved up by elevens where that is taken.",
        keyword="SHOULD",
        party=Party.SERVER,
        level=Level.LOW,
        operations=(v.REMOTE_PORT,),
        needs=RESPONSE,
        check=_port_answer,
    ),
)
