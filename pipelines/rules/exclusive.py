"""A queue that somebody has open for himself alone: what [MS-MQMP] and [MS-MQRR] have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcerpc.call_model import BindingSource
from pipelines.facts.reasons import Reason
from pipelines.rules.model import Broken
from pipelines.sessions.mqmp_opens import SHARING_VIOLATIONS

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.model import Session

_OF_ONE_QUEUE: Final = ("PUBLIC=", "PRIVATE=")
"""Names with an identifier: a queue that is deleted and created anew gets another."""


def let_in(session: Session, other: CallFact, crossing_ns: int) -> Reason | Broken | None:
    """Of a session that is over, and of another open which does not go with it; None: that was refused."""

    def cross(first: Moment, then: Moment) -> bool:
        return then.ts_ns - first.ts_ns < crossing_ns

    if other.status in SHARING_VIOLATIONS or other.fault in SHARING_VIOLATIONS:
        return None
    opened, name = session.opened, session.queue_name or ""
    if opened is None or session.association is None:
        return Reason.OPEN_NOT_SEEN
    if {opened.source, other.source} != {BindingSource.BIND}:
        return Reason.BIND_NOT_SEEN
    if (reason := session.doubt or session.blind_since(opened.until)) is not None:
        return reason
    if session.association.born is None:
        return Reason.STARTED_MIDSTREAM
    if session.closed is None:
        # A server that was started again meanwhile had forgotten it; only its close shows that it was open to the end.
        return Reason.CAPTURE_ENDED if session.closed_at is None else Reason.OTHERS_NOT_SEEN
    if cross(opened.until, other.began) or cross(other.until, session.closed.began):
        return Reason.TIMES_CROSS
    if not name.upper().startswith(_OF_ONE_QUEUE):
        return Reason.OTHERS_NOT_SEEN
    return Broken({"queue": name, "also opened by": other.call_uid, "from": other.client})
