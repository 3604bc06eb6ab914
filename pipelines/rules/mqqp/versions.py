"""[MS-MQQP], the client: what it calls, and where, by the server's version and port."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import REQUEST, Broken, Level, Party, Rule

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_FIRST_WITH_START2: Final = (5, 1, 951)
_FIRST_WITH_VERSION: Final = (5, 1, 0)


def _start_by_version(step: CallStep) -> Answer:
    if step.server_version is None:
        return Reason.SERVER_VERSION_UNKNOWN
    # A server that told two versions has none, and one answer may be missing.
    if step.asked_version is not None and (reason := step.blind_since(step.asked_version.until)) is not None:
        return reason
    old = step.server_version < _FIRST_WITH_START2
    if (step.call.operation == v.START) == old:
        return True
    values = {"server version": step.server_version, "called": step.call.operation}
    if old:
        return Broken(values)
    # <28>: clients of Windows NT and 2000 never ask for the version and always call this one.
    newer = step.asked_version is not None or (step.client_version or (0, 0, 0)) >= _FIRST_WITH_VERSION
    return Broken(values) if newer else Reason.CLIENT_VERSION_UNKNOWN


def _version_asked(step: CallStep) -> Answer:
    born = step.connection.association.born if step.connection else None
    if step.asked_version is not None and (born is None or step.asked_version.began >= born):
        return True
    if (reason := step.association_incomplete()) is not None:
        return reason
    if step.call.operation == v.START and (step.client_version or (0, 0, 0)) < _FIRST_WITH_VERSION:
        return Reason.CLIENT_VERSION_UNKNOWN
    return Broken({"called": step.call.operation})


def _port_followed(step: CallStep) -> Answer:
    told = step.port_answer
    port = (told.response or {}).get("return_value") if told else None
    if told is None or not port:
        return None
    if step.call.ends.resp_p == port:
        return True
    if told.uid != step.call.uid:
        return Reason.OTHERS_NOT_SEEN
    if (reason := step.blind_since(told.until)) is not None:
        return reason
    return Broken({"port told": port, "port used": step.call.ends.resp_p})


_client = partial(Rule, document="MS-MQQP", party=Party.CLIENT)
_OLD: Final = "or the client may be Windows NT or 2000 (notes <28> to <31>)"

RULES: Final = (
    _client(
        "mqqp-start-by-version",
        "The start does not fit the server's version",
        section="3.2.4.2, 3.2.4.3, 3.2.4.5, 3.2.4.6",
        requirement="RemoteQMStartReceive is for servers older than 5.1.951, RemoteQMStartReceive2 for all others. "
        "(The document prints the third of its three conditions with a slip: minor version below 1 instead of 1.)",
        keyword="MUST",
        level=Level.LOW,
        operations=v.BY_POSITION,
        needs=REQUEST,
        check=_start_by_version,
        undecidable_when=f"the server's version was not seen, {_OLD}",
    ),
    _client(
        "mqqp-version-asked",
        "The server's version was not asked for before a read",
        section="3.2.4.2, 3.2.4.3, 3.2.4.5, 3.2.4.6",
        requirement="A client asks for the server's version before it reads by position; once an association will do.",
        keyword="SHOULD",
        level=Level.INFORMATIONAL,
        operations=v.BY_POSITION,
        needs=REQUEST,
        check=_version_asked,
        undecidable_when=f"the association began out of sight, {_OLD}",
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
        undecidable_when="the queue is opened on another connection: another program of that client may have done it",
    ),
)
