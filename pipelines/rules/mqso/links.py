"""How the protocols of one server go together: what must lie behind an open of qm2qm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, REQUEST, Broken, Level
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.rules.watching import detection

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep


def _open_without_remote_open(step: CallStep) -> Answer:
    if step.behind is not None:
        return True
    if step.remote_opens_forgotten:
        return Reason.LIMIT
    view, began = step.view, step.call.began
    if not view.remote_opens:
        return Reason.OTHERS_NOT_SEEN
    earliest = began._replace(ts_ns=began.ts_ns - step.settings["handshake_seconds"] * v.NANOSECONDS)
    if view.since is None or view.since > earliest:
        return Reason.STARTED_MIDSTREAM
    if (reason := view.blind_since(earliest)) is not None:
        return reason
    return Broken({"hQueue": hexadecimal(step.request.get("hQueue", 0)), "answer": code_shown(step.code)})


def _older_protocol(step: CallStep) -> Answer:
    behind = step.behind
    if behind is None or behind.pair is not step.pair:
        # A supporting server reads for an application: it has no choice of protocol ([MS-MQSO] 5.3.1).
        return None
    mapped = step.pair.remote_read_mapped
    if mapped is None:
        return Reason.OTHERS_NOT_SEEN
    if mapped.refused:
        return True
    if step.pair.remote_reader not in (None, step.request.get("pLicGuid")):
        # Another queue manager has the address too, and the question may have been that one's.
        return Reason.OTHERS_NOT_SEEN
    if (reason := step.blind_since(mapped.call.began)) is not None:
        return reason
    return Broken({"RemoteRead was mapped by": mapped.call.call_uid})


RULES: Final = (
    detection(
        "detect-open-without-remote-open",
        "A queue was opened for reading that nobody was seen to open before",
        document="MS-MQSO",
        section="5.3.1",
        requirement="qm2qm is called by the processing of qmcomm only: the numbers in RemoteQMOpenQueue are those that "
        "R_QMOpenRemoteQueue answered shortly before. Reported is one with numbers that nobody was seen to be given.",
        level=Level.MEDIUM,
        operations=(v.OPEN,),
        needs=BOTH,
        check=_open_without_remote_open,
        attack=("T1563",),
        settings={"handshake_seconds": 300},
        undecidable_when="the capture shows no R_QMOpenRemoteQueue of this server at all, it began less than "
        "handshake_seconds before, or anything between the server and any client was missed in that time",
    ),
    detection(
        "detect-older-protocol",
        "An older protocol was used although the newer one was offered",
        document="MS-MQSO",
        section="4.5, 5.3.1",
        requirement="Reported is an address that reads for itself by qm2qm although the endpoint mapper told it where "
        "RemoteRead is; a queue manager is asked to fall back where that is not registered ([MS-MQRR] 3.2.4.1). Behind "
        "a translator, who asked and who reads may be two hosts.",
        level=Level.INFORMATIONAL,
        operations=(v.OPEN,),
        needs=REQUEST,
        check=_older_protocol,
        attack=("T1562.010",),
        undecidable_when="the client was not seen to ask for RemoteRead's endpoint, another queue manager at its "
        "address reads by RemoteRead and may have asked, or anything was missed since",
    ),
)
