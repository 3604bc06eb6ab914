"""[MS-MQQP], the client: what it calls, and where, by the server's version and port."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.well_known import PORTS
from pipelines.facts import vocabulary as v
from pipelines.facts.model import BEGINNING
from pipelines.facts.reasons import Reason
from pipelines.facts.versions import said_version
from pipelines.rules.model import REQUEST, Broken, Level, Party, Rule
from pipelines.rules.stale import own

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_FIRST_WITH_START2: Final = (5, 1, 951)
_FIRST_WITH_VERSION: Final = (5, 1, 0)


def _start_by_version(step: CallStep) -> Answer:
    """By what this client was told, in the association that it reads in: nobody knows what another one said to it.

    Clients of Windows NT and 2000 never ask, and always call the older one (<28>).
    """
    answer = step.version_answer
    told = said_version(answer) if answer is not None else None
    if answer is None or told is None:
        return Reason.SERVER_VERSION_UNKNOWN
    if (reason := step.blind_since(answer.began)) is not None:
        return reason
    if (step.call.method == v.START) == (told < _FIRST_WITH_START2):
        return True
    if _FIRST_WITH_VERSION <= told < _FIRST_WITH_START2:
        # The third condition, as it is printed, never holds; what it must mean leaves these builds to the older method.
        return Reason.TEXTS_CONTRADICT
    return Broken({"server version": told, "called": step.call.operation})


def _version_asked(step: CallStep) -> Answer:
    """On any binding of the session, also the first of the two that 3.2.4.1 demands."""
    if step.asked_version is not None:
        return True
    if (reason := step.association_incomplete() or step.pair_incomplete()) is not None:
        return reason
    if step.session is None or step.session.opened is None or not own(step, step.session):
        return Reason.GIVEN_EARLIER
    if step.call.method == v.START and (step.client_version or (0, 0, 0)) < _FIRST_WITH_VERSION:
        return Reason.CLIENT_VERSION_UNKNOWN
    born = step.connection.association.born if step.connection else None
    earliest = (born or step.call.began).ts_ns - step.settings["handshake_seconds"] * v.NANOSECONDS
    if step.view.since is None or step.view.since.ts_ns > earliest:
        return Reason.STARTED_MIDSTREAM
    return step.blind_since(BEGINNING) or Broken({"called": step.call.operation})


def _port_followed(step: CallStep) -> Answer:
    told = step.port_answer
    port = (told.response or {}).get("return_value") if told else None
    if told is None or not port:
        return None
    if step.call.ends.resp_p == port:
        return True
    # A port that is none of MSMQ's may have been translated on the way.
    if told.uid != step.call.uid or step.call.ends.resp_p not in PORTS:
        return Reason.OTHERS_NOT_SEEN
    if (reason := step.blind_since(told.until)) is not None:
        return reason
    return Broken({"port told": port, "port used": step.call.ends.resp_p})


_client = partial(Rule, document="MS-MQQP", party=Party.CLIENT)

RULES: Final = (
    _client(
        "mqqp-start-by-version",
        "The start does not fit the server's version",
        section="3.2.4.2, 3.2.4.3, 3.2.4.5, 3.2.4.6",
        requirement="RemoteQMStartReceive is for servers older than 5.1, RemoteQMStartReceive2 for those from 5.1.951. "
        "(Of builds between the two nothing is said: the third of the conditions printed can never hold.)",
        keyword="MUST",
        level=Level.LOW,
        operations=v.BY_POSITION,
        needs=REQUEST,
        check=_start_by_version,
        undecidable_when="the client was not told the server's version in the association that it reads in",
    ),
    _client(
        "mqqp-version-asked",
        "The server's version was not asked for before a read",
        section="3.2.4.2, 3.2.4.3, 3.2.4.5, 3.2.4.6",
        requirement="A client asks for the server's version before it reads by position; once will do.",
        keyword="SHOULD",
        level=Level.INFORMATIONAL,
        operations=v.BY_POSITION,
        needs=REQUEST,
        check=_version_asked,
        undecidable_when="the capture began less than handshake_seconds before the association, anything between the "
        "two hosts was missed, or the client may be Windows NT or 2000 (notes <28> to <31>)",
    ),
    _client(
        "mqqp-port-followed",
        "The port that the server told was not used",
        section="3.2.4.1",
        requirement="After asking for the port a client binds anew to it before it opens the queue.",
        keyword="MUST",
        level=Level.INFORMATIONAL,
        operations=(v.OPEN,),
        needs=REQUEST,
        check=_port_followed,
        undecidable_when="the queue is opened on another connection: another program of that client may have done it; "
        "or the port is none of MSMQ's: it may have been translated on the way",
    ),
)
