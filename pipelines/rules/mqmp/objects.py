"""[MS-MQMP], the client: private queues that are created, secured or deleted. One request is enough."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import OPERATION, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.mqmp.wrong import kept_unless
from pipelines.rules.plans import unreadable
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.rules.mqmp.wrong import Wrong
    from pipelines.sessions.steps import CallStep

Values = dict[str, Any]
QUEUE: Final = 1
"""ObjType and dwObjectType."""
_UNKNOWN_FORMAT: Final = 0
_OWN_FORMATS: Final = (2, 3, 8)
"""m_qft of private and direct names; a subqueue is written DIRECT= too."""
_PRIVATE_PATH: Final = re.compile(r"[^\\]+\\private\$\\[^\\]+", re.IGNORECASE)
_SECURITY_FLAGS: Final = 0x0F
_FLAGS: Final = {v.SET_SECURITY: "SecurityInformation", v.GET_SECURITY: "RequestedInformation"}
_DESCRIPTOR_BYTES: Final = 20
_REVISION: Final = 1
_SELF_RELATIVE: Final = 0x80
"""Of the upper byte of Control: [MS-DTYP] 2.4.6."""


def _kind(step: CallStep) -> int | None:
    if step.call.method == v.CREATE_OBJECT:
        return step.request.get("dwObjectType")
    kind: int | None = (step.request.get("pObjectFormat") or {}).get("ObjType")
    return kind


def _object_type(step: CallStep) -> Answer:
    kind = _kind(step)
    if kind is None:
        return unreadable(step.call, REQUEST) or Reason.NOT_DECODED
    # No arm of the union fits another type: decoding ends there, and the request is never whole.
    return kind == QUEUE or Broken({"type": kind})


def wrong_object(step: CallStep) -> Wrong:
    queue = (step.request.get("pObjectFormat") or {}).get("pQueueFormat")
    if queue is None:
        return {"pQueueFormat": "null"}
    kind = queue.get("m_qft")
    if step.call.method == v.PATH_TO_FORMAT:
        return None if kind == _UNKNOWN_FORMAT else {"m_qft": kind}
    return None if kind in _OWN_FORMATS else {"pQueueFormat": format_name(queue) or "unknown"}


def _object_name(step: CallStep) -> Answer:
    return kept_unless(wrong_object)(step) if _kind(step) == QUEUE else None


def _wrong_path(step: CallStep) -> Wrong:
    path = str(step.request.get("lpwcsPathName", ""))
    return None if _PRIVATE_PATH.fullmatch(path) else {"lpwcsPathName": path}


def is_self_relative(descriptor: Values) -> bool:
    """By the first bytes of a security descriptor, as facts have them."""
    start = bytes.fromhex(descriptor.get("hex") or descriptor.get("head") or "")
    return len(start) >= _DESCRIPTOR_BYTES and start[0] == _REVISION and bool(start[3] & _SELF_RELATIVE)


def wrong_security(step: CallStep) -> Wrong:
    """But for what stands in the descriptor."""
    name = _FLAGS.get(step.call.method)
    flags = step.request.get(name, 0) if name else 0
    if name and flags & ~_SECURITY_FLAGS:
        return {name: hexadecimal(flags)}
    if step.call.method == v.GET_SECURITY or step.request.get("pSecurityDescriptor") is not None:
        return None
    size = step.request.get("SDSize", 0)
    return {"pSecurityDescriptor": "null", "SDSize": size} if size or step.call.method == v.SET_SECURITY else None


def _wrong_security_values(step: CallStep) -> Wrong:
    wrong, descriptor = wrong_security(step), step.request.get("pSecurityDescriptor")
    if wrong is not None or step.call.method != v.SET_SECURITY or descriptor is None:
        return wrong
    shown = descriptor.get("hex") or descriptor.get("head") or ""
    return None if is_self_relative(descriptor) else {"pSecurityDescriptor": shown[: 2 * _DESCRIPTOR_BYTES]}


_client = partial(Rule, document="MS-MQMP", keyword="MUST", party=Party.CLIENT, level=Level.LOW, needs=REQUEST)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqmp-object-type",
        "An object that is not a queue was named",
        section="2.2.3.5, 3.1.4.5, 3.1.4.6, 3.1.4.7, 3.1.4.8, 3.1.4.9, 3.1.4.10, 3.1.4.11, 3.2.4.1",
        requirement="dwObjectType and ObjType are 1; 2 is never sent.",
        operations=(v.CREATE_OBJECT, *v.ON_PRIVATE_QUEUE, v.PATH_TO_FORMAT),
        needs=OPERATION,
        check=_object_type,
        undecidable_when="the request is sealed, or not captured up to that field",
    ),
    _client(
        "mqmp-object-name",
        "An object was named in a way that the call does not take",
        section="2.2.3.5, 3.1.4.6, 3.1.4.7, 3.1.4.8, 3.1.4.9, 3.1.4.10, 3.1.4.11, 3.2.4.2, 3.2.4.3, 3.2.4.4, "
        "3.2.4.5, 3.2.4.6, 3.2.4.13",
        requirement="pQueueFormat is a private or direct format name; to be told one it is there, of type unknown.",
        operations=(*v.ON_PRIVATE_QUEUE, v.PATH_TO_FORMAT),
        check=_object_name,
    ),
    _client(
        "mqmp-private-path",
        "A path is not that of a private queue",
        section="3.1.4.5, 3.1.4.11, 3.2.4.1, 3.2.4.13",
        requirement=r"lpwcsPathName has the form computer\private$\queue.",
        operations=(v.CREATE_OBJECT, v.PATH_TO_FORMAT),
        check=kept_unless(_wrong_path),
    ),
    _client(
        "mqmp-security-values",
        "A security descriptor or its flags are not what the call takes",
        section="3.1.4.5, 3.1.4.6, 3.1.4.7, 3.2.4.3",
        requirement="Without a descriptor SDSize is 0; who sets security has one, self-relative. The flags are made "
        "of those for owner, group and the two access lists.",
        operations=(v.CREATE_OBJECT, v.SET_SECURITY, v.GET_SECURITY),
        check=kept_unless(_wrong_security_values),
    ),
)
