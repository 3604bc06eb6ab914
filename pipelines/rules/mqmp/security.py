"""[MS-MQMP], the server: what it tells of a queue's security, and what a purge leaves."""

from __future__ import annotations

from functools import partial
from struct import unpack_from
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule
from pipelines.rules.mqmp.objects import is_self_relative
from pipelines.rules.purged import PurgedGone
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_PARTS: Final = {"owner": (0x01, 4), "group": (0x02, 8), "SACL": (0x08, 12), "DACL": (0x04, 16)}
"""With its flag of SECURITY_INFORMATION, and where a self-relative descriptor says where it is: [MS-DTYP] 2.4.6."""


def _security_asked(step: CallStep) -> Answer:
    descriptor = step.response.get("pSecurityDescriptor") or {}
    if not step.succeeded or not is_self_relative(descriptor):
        return None
    start = bytes.fromhex(descriptor.get("hex") or descriptor.get("head") or "")
    asked = step.request.get("RequestedInformation", 0)
    more = [name for name, (flag, place) in _PARTS.items() if not asked & flag and unpack_from("<I", start, place)[0]]
    return not more or Broken({"RequestedInformation": hexadecimal(asked), "given as well": ", ".join(more)})


_server = partial(Rule, document="MS-MQMP", keyword="MUST", party=Party.SERVER)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqmp-security-asked",
        "Parts of a security descriptor were given that had not been asked for",
        section="3.1.4.7",
        requirement="Owner, group and access lists are copied into the answer where their flag is in "
        "RequestedInformation, and only then.",
        level=Level.MEDIUM,
        operations=(v.GET_SECURITY,),
        needs=BOTH,
        check=_security_asked,
    ),
    _server(
        "mqmp-purged-gone",
        "A message was given that a purge had removed",
        section="3.1.4.22",
        requirement="rpc_ACPurgeQueue removes the messages of the queue: what was peeked at before is not given again.",
        level=Level.HIGH,
        operations=(v.AC_SEND, v.AC_PURGE, v.AC_RECEIVE),
        needs=BOTH,
        watch=partial(PurgedGone, operations=(v.AC_SEND, v.AC_PURGE, v.AC_RECEIVE)),
        undecidable_when="the queue was not opened exclusively: somebody may have moved the message out of it and "
        "back; the calls may have crossed, or anything was missed since the opening; or the message was not seen to be "
        "sent: to two names of one queue, it is there twice",
    ),
)
