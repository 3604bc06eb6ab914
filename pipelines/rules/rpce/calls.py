"""[MS-RPCE] and the security considerations of [MS-MQQP] 5: how calls are protected, and which there are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.call_model import CallOutcome
from decoders.interfaces import INTERFACES
from decoders.registry import QMCOMM, REGISTRY, Family
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.authentication import level_shown, nobody_shown, strength, unauthenticated, unproven
from pipelines.rules.model import OPERATION, Broken, Level, Party, Rule, Subject
from pipelines.rules.rpce.retries import Retries

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_PROTECTED: Final = (
    *(*v.RETURNING, v.VERSION, v.GET_INFO, v.ACTION),
    *(*v.REMOTE_OPENS, *v.REMOTE_RETURNING),
    *(*v.SUPPORTED_RETURNING, v.CLOSE_REMOTE),
)
"""All but the port queries, which clients may make before they set up security: [MS-MQQP] 5."""
_LAST_OPNUM: Final = {
    interface.name: max(operation.opnum for operation in interface.operations)
    for interface in INTERFACES.values()
    if REGISTRY[interface.uuid].family is Family.MSMQ and REGISTRY[interface.uuid].judged
} | {QMCOMM.name: 34}
"""The last three of qmcomm are declared for local use: mqmp-opnum-reserved looks at those."""


def _unauthenticated_call(step: CallStep) -> Answer:
    found = unauthenticated(step)
    if isinstance(found, Reason):
        return found
    if not found:
        return True
    shown = {"operation": step.call.operation, "auth_level": level_shown(step.call.auth_level)}
    return Broken(shown | nobody_shown(step.call))


def _level_below_integrity(step: CallStep) -> Answer:
    level = step.call.auth_level
    if not strength(level):
        return None
    if strength(level) >= v.AUTH_INTEGRITY:
        return True
    return unproven(step) or Broken({"operation": step.call.operation, "auth_level": level_shown(level)})


def _beyond(step: CallStep) -> bool | None:
    """Whether the interface has no such operation; None where it is another interface."""
    last = _LAST_OPNUM.get(step.call.endpoint or "")
    return None if last is None or step.call.opnum is None else step.call.opnum > last


def _opnum_range(step: CallStep) -> Answer:
    beyond = _beyond(step)
    return Broken({"interface": step.call.endpoint, "opnum": step.call.opnum}) if beyond else beyond is False or None


def _opnum_refused(step: CallStep) -> Answer:
    call = step.call
    if not _beyond(step):
        return None
    if call.outcome == CallOutcome.FAULTED:
        return True
    if call.outcome != CallOutcome.ANSWERED:
        return Reason.RESPONSE_NOT_CAPTURED
    # Where anything was missed since, the answer may be to another call with its id.
    if (reason := step.blind_since(call.began)) is not None:
        return reason
    return Broken({"interface": call.endpoint, "opnum": call.opnum, "answer": "response"})


# [MS-MQQP] 5 and [MS-RPCE] let a network choose: these report how it chose, and accuse nobody.
_posture = partial(Rule, keyword="", party=Party.NOBODY, attack=("T1557",))
_MAYBE_PROTECTED: Final = "a part of the connection is missing: authentication can be negotiated at any time"

RULES: Final = (
    _posture(
        "rpce-unauthenticated-call",
        "A call was made without authentication",
        document="MS-MQQP",
        section="5",
        requirement="Reported is a call without authentication, or with that of the anonymous user or a guest, other "
        "than a query for the port. "
        "The document lets a network do without it, and asks servers to refuse such calls.",
        level=Level.MEDIUM,
        operations=_PROTECTED,
        needs=OPERATION,
        check=_unauthenticated_call,
        undecidable_when=_MAYBE_PROTECTED,
    ),
    _posture(
        "rpce-level-below-integrity",
        "A call was made at an authentication level below integrity",
        document="MS-RPCE",
        section="2.2.1.1.8",
        requirement="Reported is a call that somebody on the way could have changed: below level integrity. "
        "The document defines the levels and permits each.",
        level=Level.LOW,
        operations=_PROTECTED,
        needs=OPERATION,
        check=_level_below_integrity,
        undecidable_when=_MAYBE_PROTECTED,
    ),
    _posture(
        "rpce-retried-weaker",
        "After a refused bind the client came back with weaker authentication",
        document="MS-RPCE",
        section="3.3.1.5.2",
        requirement="Reported is a client whose bind was refused and who was let in with weaker authentication.",
        level=Level.HIGH,
        attack=("T1562.010",),
        subject=Subject.CONNECTION,
        watch=Retries,
        settings={"retry_seconds": 300},
        undecidable_when="an answer to a bind is missing, the connection goes on beyond the capture, or anything "
        "between the two hosts was missed since the refusal",
    ),
    _posture(
        "rpce-opnum-range",
        "An operation was called that the interface does not have",
        document="C706",
        section="12.5.2.12",
        requirement="Reported is a call of an operation beyond the last one that the documents declare: 10 of qm2qm, 1 "
        "of qmmgmt, 15 of RemoteRead, 34 of qmcomm, 3 of qmcomm2.",
        level=Level.LOW,
        attack=("T1046",),
        needs=OPERATION,
        check=_opnum_range,
    ),
    _posture(
        "rpce-opnum-refused",
        "An operation that the interface does not have was answered",
        document="C706",
        section="12.6.4.7",
        requirement="Reported is a response to an operation that the documents do not declare; "
        "a server of theirs answers nca_op_rng_error.",
        level=Level.LOW,
        needs=OPERATION,
        check=_opnum_refused,
        undecidable_when="its answer is missing, or anything between the two hosts was since it was asked",
    ),
)
