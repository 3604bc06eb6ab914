"""What an investigator asks for: servers that let anybody in, or are not what they seem. Nobody is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.facts.versions import said_version
from pipelines.rules.authentication import level_shown, nobody_shown, unproven
from pipelines.rules.model import BOTH, OPERATION, RESPONSE, Broken, Level
from pipelines.rules.plans import unreadable
from pipelines.rules.ports import ACCESS_DENIED, without_authentication
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.rules.watching import detection

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep


def _version_changed(step: CallStep) -> Answer:
    before, now = step.asked_version, said_version(step.call)
    told = None if before is None else said_version(before)
    if before is None or told is None or now is None:
        return None
    if told == now:
        return True
    if before.uid != step.call.uid:
        # Meanwhile the server may have been updated, or another machine have taken its address.
        return Reason.OTHERS_NOT_SEEN
    return step.blind_since(before.began) or Broken({"version before": told, "version now": now})


def _unauthenticated_served(step: CallStep) -> Answer:
    nobody = step.call.authenticated is False
    if step.call.given_up or not (nobody or without_authentication(step)):
        return None
    if (reason := unreadable(step.call, BOTH)) is not None:
        return reason
    if step.code in ACCESS_DENIED:
        return True
    if not step.succeeded:
        return None
    level = level_shown(step.call.auth_level)
    shown = {"authentication": level, "return_value": code_shown(step.call.status)}
    return (None if nobody else unproven(step)) or Broken(shown | nobody_shown(step.call))


def _message_size(step: CallStep) -> Answer:
    desc = step.answered_desc
    if desc is None:
        return None
    size = desc.get("dwSize", 0)
    return size <= v.MAX_MESSAGE_BYTES or Broken({"dwSize": hexadecimal(size)})


RULES: Final = (
    detection(
        "detect-version-changed",
        "The server told two versions on one connection",
        document="MS-MQQP",
        section="3.1.4.9",
        requirement="Reported is a server that tells two versions on one connection: the version is that of its "
        "product, and does not change while it runs.",
        level=Level.LOW,
        operations=(v.VERSION,),
        needs=RESPONSE,
        check=_version_changed,
        attack=("T1557",),
        undecidable_when="the answers were on different connections, or bytes are missing between them",
    ),
    detection(
        "detect-unauthenticated-served",
        "A call without authentication was served",
        document="MS-MQQP",
        section="5",
        requirement="Reported is a call of qm2qm that succeeded without authentication, or with that of the anonymous "
        "user or a guest. "
        "The document advises servers to refuse it with MQ_ERROR_ACCESS_DENIED.",
        level=Level.MEDIUM,
        operations=v.RETURNING,
        needs=OPERATION,
        check=_unauthenticated_served,
        attack=("T1078",),
        undecidable_when="what it asks or its answer cannot be read, or it is served and bytes of the connection are "
        "missing: it may have been authenticated",
    ),
    detection(
        "detect-message-size",
        "The size of a message is beyond the limit",
        document="MS-MQQP",
        section="2.2.2.1",
        requirement="Reported is a dwSize above 0x00420000, the end of the range that the structure is declared with.",
        level=Level.MEDIUM,
        operations=v.STARTS,
        needs=RESPONSE,
        check=_message_size,
        attack=("T1499",),
    ),
)
