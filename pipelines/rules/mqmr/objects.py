"""[MS-MQMR]: who asks what of which object, and whether that fails where it must."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from decoders.interfaces.qmmgmt import MgmtObjectType
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.authentication import nobody_shown, unauthenticated
from pipelines.rules.faults import raised_by_method
from pipelines.rules.model import BOTH, OPERATION, REQUEST, RESPONSE, Broken, Level, Party, Rule
from pipelines.rules.plans import unreadable
from pipelines.rules.shown import code_shown, hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_KINDS: Final = dict(MgmtObjectType.members)
_KIND_NAMES: Final = {number: name for name, number in MgmtObjectType.members}
_SESSION: Final = _KINDS["MGMT_SESSION"]
_ACTIONS: Final = frozenset(("CONNECT", "DISCONNECT", "TIDY", "PAUSE", "RESUME", "EOD_RESEND"))
_BOTH_METHODS: Final = (v.GET_INFO, v.ACTION)
_FAILURE: Final = 0x8000_0000
_WIN32_ERRORS: Final = range(1, 0x1_0000)
"""[MS-ERREF] 2.2."""


def _kind(step: CallStep) -> int | None:
    kind: int | None = step.request.get("pObjectFormat", {}).get("type")
    return kind


def _action(step: CallStep) -> str:
    return str(step.request.get("lpwszAction", "")).upper()


def _object_type(step: CallStep) -> Answer:
    kind = _kind(step)
    if kind is None:
        return unreadable(step.call, REQUEST) or Reason.NOT_DECODED
    # No arm of the union fits another type: decoding ends there, and the request is never whole.
    return kind in _KIND_NAMES or Broken({"type": kind})


def _action_known(step: CallStep) -> Answer:
    return _action(step) in _ACTIONS or Broken({"lpwszAction": step.request.get("lpwszAction")})


def _status_kind(step: CallStep) -> Answer:
    status = step.call.status
    if status is None:
        return None
    if status == v.MQ_OK or status & _FAILURE:
        return True
    # 3 lets servers return any Win32 error, 3.1.4 wants a failure HRESULT.
    return Reason.TEXTS_CONTRADICT if status in _WIN32_ERRORS else Broken({"status": code_shown(status)})


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


def _administrator(step: CallStep) -> Answer:
    found = unauthenticated(step)
    if isinstance(found, Reason):
        return found
    if not found or step.call.given_up:
        return None
    if (reason := unreadable(step.call, BOTH)) is not None:
        return reason
    # Refused, it may come back with a name: nobody is to blame for the first try.
    shown = {"operation": step.call.operation, "status": hexadecimal(step.call.status)}
    return not step.succeeded or Broken(shown | nobody_shown(step.call))


_client = partial(Rule, document="MS-MQMR", party=Party.CLIENT, level=Level.LOW, keyword="MUST")
_server = partial(Rule, document="MS-MQMR", party=Party.SERVER, keyword="MUST")

RULES: Final = (
    _client(
        "mqmr-administrator",
        "A management call was served to a caller without a name",
        section="3",
        requirement="Callers are administrators of the server; whoever does not authenticate, or as the anonymous user "
        "or a guest, is none.",
        operations=_BOTH_METHODS,
        needs=OPERATION,
        level=Level.HIGH,
        check=_administrator,
        undecidable_when="what it asks or its answer cannot be read, or a part of the connection is missing: "
        "authentication can be negotiated at any time",
    ),
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
    _server(
        "mqmr-status-kind",
        "A method returned neither MQ_OK nor a failure",
        section="3.1.4.1, 3.1.4.2",
        requirement="A method returns MQ_OK, or a failure HRESULT: one with its highest bit set.",
        level=Level.LOW,
        operations=_BOTH_METHODS,
        needs=RESPONSE,
        check=_status_kind,
        undecidable_when="it is a Win32 error: the document also says that servers return those",
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
)
