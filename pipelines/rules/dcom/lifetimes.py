"""[MS-DCOM] 3.2.4.4: what a client has given back it no longer has, nor what it got without references.

Somebody else may have handed it references: so the server must deny the object too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason
from pipelines.rules.com_duties import of_client
from pipelines.rules.model import Broken, Need
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer

_RPC_E_DISCONNECTED: Final = 0x8001_0108


def _released(step: ComStep) -> Answer:
    if step.com.object is None:
        return None
    held, denied = step.held, step.code == _RPC_E_DISCONNECTED
    if held is None:
        return Reason.OPEN_NOT_SEEN if denied else None
    if not held.is_over or held.released is None:
        return True
    if not denied:
        return Reason.OPEN_NOT_SEEN
    if (reason := step.blind()) is not None:
        return reason
    if step.soon_after(held.released.until):
        return Reason.TIMES_CROSS
    if held.released.uid != step.call.uid:
        # Another process of that host may have it from somebody else, or the server process may be another one.
        return Reason.OTHERS_NOT_SEEN
    return Broken(
        {
            "ipid": step.com.object,
            "references given": held.given,
            "references returned": held.returned,
            "released by": held.released.call_uid,
            "answer": code_shown(step.code),
        }
    )


def _kept_alive(step: ComStep) -> Answer:
    held = step.held
    if held is None or not held.bare:
        return None
    if held.given or held.private:
        return True
    if step.code != _RPC_E_DISCONNECTED:
        return Reason.OPEN_NOT_SEEN
    if (reason := step.blind()) is not None:
        return reason
    if step.soon_after(held.last):
        return Reason.TIMES_CROSS
    return Broken({"ipid": step.com.object, "references given": 0, "answer": code_shown(step.code)})


_ANSWER: Final = frozenset((Need.OPERATION, Need.RESPONSE))
RULES: Final = (
    of_client(
        "dcom-released-called",
        "An object was called whose references had all been given back",
        document="MS-DCOM",
        section="3.2.4.4.2",
        requirement="A client that has given back all references of an IPID forgets it: it calls it no more, unless it "
        "is given again. A violation only where the server, too, does not know the IPID any more.",
        needs=_ANSWER,
        check=_released,
        undecidable_when="its reference was not seen, the server answers all the same, anything between the two hosts "
        "was missed, the call may have crossed the release, or came over another connection: another process may have "
        "it from somebody else",
    ),
    of_client(
        "dcom-references-asked",
        "An object was lost of which the client had asked for no references",
        document="MS-DCOM",
        section="3.2.4.4",
        requirement="A client that gets a reference with a count of 0 asks for some by RemAddRef to keep the object. "
        "A violation only where it calls the object without, and the server does not know it any more.",
        needs=_ANSWER,
        check=_kept_alive,
        undecidable_when="the server answers all the same, anything between the two hosts was missed, or the call "
        "came straight after the reference",
    ),
)
