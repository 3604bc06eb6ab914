"""[MS-MQMR]: who asks what of which object, and whether that fails where it must."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from decoders.interfaces.qmmgmt import MgmtObjectType
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.engine import unreadable
from pipelines.rules.faults import raised_by_method
from pipelines.rules.model import BOTH, OPERATION, REQUEST, RESPONSE, Broken, Level, Party, Rule
from pipelines.rules.rpce.authentication import unauthenticated
from pipelines.rules.shown import code_shown, hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_KINDS: Final = dict(MgmtObjectType.members)
_KIND_NAMES: Final = {number: name for name, number in MgmtObjectType.members}
_SESSION: Final = _KINDS["MGMT_SESSION"]
_ACTIONS: Final = {
    **dict.fromkeys(("CONNECT", "DISCONNECT", "TIDY"), _KINDS["MGMT_MACHINE"]),
    **dict.fromkeys(("PAUSE", "RESUME", "EOD_RESEND"), _KINDS["MGMT_QUEUE"]),
}
_BOTH_METHODS: Final = (v.GET_INFO, v.ACTION)
_FAILURE: Final = 0x8000_0000


def _kind(step: CallStep) -> int | None:
    kind: int | None = step.request.get("pObjectFormat", {}).get("type")
    return kind


def _action(step: CallStep) -> str:
    return str(step.request.get("lpwszAction", "")).upper()


def _object_type(step: CallStep) -> Answer:
    kind = _kind(step)
    if step.call.encrypted or kind is None:
        return unreadable(step.call, REQUEST) or Reason.NOT_DECODED
    # No arm of the union fits another type: decoding ends there, and the request is never whole.
    return kind in _KIND_NAMES or Broken({"type": kind})


def _action_known(step: CallStep) -> Answer:
    return _action(step) in _ACTIONS or Broken({"lpwszAction": step.request.get("lpwszAction")})


def _action_object(step: CallStep) -> Answer:
    kind, of = _kind(step), _ACTIONS.get(_action(step))
    if of is None or kind == _SESSION:
        return None
    return kind == of or Broken(
        {"lpwszAction": step.request.get("lpwszAction"), "type": _KIND_NAMES.get(kind or 0, kind)}
    )


def _status_kind(step: CallStep) -> Answer:
    status = step.call.status
    if status is None:
        return None
    return status == v.MQ_OK or bool(status & _FAILURE) or Broken({"status": code_shown(status)})


def _no_faults(step: CallStep) -> Answer:
    fault = step.call.fault
    return fault is None or not raised_by_method(fault) or Broken({"fault": code_shown(fault)})


def _ndr_only(step: CallStep) -> Answer:
    return step.call.syntax == "ndr" or Broken({"transfer syntax": step.call.syntax})


def _session_fails(step: CallStep) -> Answer:
    if _kind(step) != _SESSION:
        return None
    return not step.succeeded or Broken({"type": "MGMT_SESSION", "status": hexadecimal(step.call.status)})


def _unknown_action_fails(step: CallStep) -> Answer:
    if _action(step) in _ACTIONS:
        return None
    shown = {"lpwszAction": step.request.get("lpwszAction"), "status": hexadecimal(step.call.status)}
    return not step.succeeded or Broken(shown)


def _unauthenticated_refused(step: CallStep) -> Answer:
    found = unauthenticated(step)
    if isinstance(found, Reason):
        return found
    if not found:
        return None
    return not step.succeeded or Broken({"operation": step.call.operation, "status": hexadecimal(step.call.status)})


_client = partial(Rule, document="MS-MQMR", party=Party.CLIENT, level=Level.LOW, keyword="MUST")
_server = partial(Rule, document="MS-MQMR", party=Party.SERVER, keyword="MUST")

RULES: Final = (
    _client(
        "mqmr-object-type",
        "The object is neither a machine, a queue nor a session",
        section="2.2.1.2",
        requirement="type of the object is 1, 2 or 3.",
        operations=_BOTH_METHODS,
        needs=OPERATION,
        check=_object_type,
        undecidable_when="the request is sealed, or not captured up to that field",
    ),
    _client(
        "mqmr-action-known",
        "An action was asked for that there is not",
        section="3.1.4.2",
        requirement="lpwszAction is one of CONNECT, DISCONNECT, TIDY, PAUSE, RESUME and EOD_RESEND, in any case.",
        operations=(v.ACTION,),
        needs=REQUEST,
        check=_action_known,
    ),
    _client(
        "mqmr-action-object",
        "An action for queues was asked of the machine, or one for the machine of a queue",
        section="3.1.4.2",
        requirement="CONNECT, DISCONNECT and TIDY are for the machine; PAUSE, RESUME and EOD_RESEND for queues.",
        operations=(v.ACTION,),
        needs=REQUEST,
        check=_action_object,
    ),
    _server(
        "mqmr-status-kind",
        "A method returned neither MQ_OK nor a failure",
        section="3.1.4.1, 3.1.4.2",
        requirement="A method returns MQ_OK, or a failure HRESULT: one with its highest bit set.",
        level=Level.LOW,
        operations=_BOTH_METHODS,
        needs=RESPONSE,
        check=_status_kind,
    ),
    _server(
        "mqmr-no-faults",
        "A method raised an exception instead of returning its error",
        section="3.1.4",
        requirement="The methods raise no exceptions; what a fault carries is an error of the RPC runtime.",
        keyword="MUST NOT",
        level=Level.LOW,
        operations=_BOTH_METHODS,
        needs=RESPONSE,
        check=_no_faults,
    ),
    _server(
        "mqmr-ndr-only",
        "Another transfer syntax than NDR was accepted",
        section="2.2",
        requirement="The interface takes NDR only.",
        level=Level.LOW,
        operations=_BOTH_METHODS,
        needs=OPERATION,
        check=_ndr_only,
        undecidable_when="the answer to the bind was not captured",
    ),
    _server(
        "mqmr-session-fails",
        "A call about a session succeeded",
        section="3.1.4.1, 3.1.4.2",
        requirement="A call with the object type MGMT_SESSION fails.",
        level=Level.MEDIUM,
        operations=_BOTH_METHODS,
        needs=BOTH,
        check=_session_fails,
    ),
    _server(
        "mqmr-unknown-action-fails",
        "An action that there is not succeeded",
        section="3.1.4.2",
        requirement="An action outside the six fails.",
        level=Level.MEDIUM,
        operations=(v.ACTION,),
        needs=BOTH,
        check=_unknown_action_fails,
    ),
    _server(
        "mqmr-unauthenticated-refused",
        "A management call without authentication succeeded",
        section="3",
        requirement="Callers are administrators of the server; whoever does not authenticate is none.",
        level=Level.HIGH,
        operations=_BOTH_METHODS,
        needs=BOTH,
        check=_unauthenticated_refused,
        undecidable_when="a part of the connection is missing: authentication can be negotiated at any time",
    ),
)
