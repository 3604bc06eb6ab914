"""[MS-MQQP], the server: its port, its version, and whom it lets in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.connections import MAX_BINDS
from pipelines.facts.reasons import Reason
from pipelines.facts.versions import said_version
from pipelines.rules.model import BOTH, RESPONSE, Broken, Level, Party, Rule
from pipelines.rules.ports import may_be_told
from pipelines.rules.rpce.authentication import unproven
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_DEFAULT_PORTS: Final = {0: 2103, 1: 2105, 2: 2103, 3: 2105}
"""By dwPortType."""
_ACCESS_DENIED: Final = frozenset((5, v.MQ_ERROR_ACCESS_DENIED, 0x8007_0005))
"""As RPC throws it, as MSMQ returns it, and the first as an HRESULT."""
_FIRST_BUILDS: Final = {(5, 1): 1020, (5, 2): 1716, (6, 0): 6000, (6, 1): 6531}
"""Notes <22> to <24>: Windows XP, Server 2003, Vista and Server 2008, all later ones."""


def _port_answer(step: CallStep) -> Answer:
    default = _DEFAULT_PORTS.get(step.request.get("dwPortType", 0))
    port = step.response.get("return_value")
    if default is None or port is None:
        return None
    shown = {"dwPortType": step.request.get("dwPortType", 0), "return_value": port}
    return may_be_told(port, default) or Broken(shown)


def _port_answer_invalid_type(step: CallStep) -> Answer:
    kind, port = step.request.get("dwPortType", 0), step.response.get("return_value")
    if kind in _DEFAULT_PORTS or port is None:
        return None
    return port == 0 or Broken({"dwPortType": kind, "return_value": port})


def port_query_unrestricted(step: CallStep) -> Answer:
    if step.call.fault is None:
        return True
    # With authentication the refusal may be about that: a wrong password shows only in the first answer.
    if step.call.fault not in _ACCESS_DENIED or not _without_authentication(step):
        return None
    return unproven(step) or Broken({"answer": code_shown(step.call.fault)})


def _without_authentication(step: CallStep) -> bool:
    """Neither the call nor any bind of its connection has any."""
    call, connection = step.call, step.connection
    if call.auth_type is not None or call.auth_level is not None or connection is None:
        return False
    binds = connection.fact.binds
    return len(binds) < MAX_BINDS and all(bind.auth_type is None for bind in binds)


def _version_constant(step: CallStep) -> Answer:
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


def _version_known(step: CallStep) -> Answer:
    version = said_version(step.call)
    if version is None:
        return None
    first = _FIRST_BUILDS.get((version.major, version.minor))
    return True if first is not None and version.build >= first else Broken({"version": version})


def _unauthenticated_refused(step: CallStep) -> Answer:
    if not _without_authentication(step):
        return None
    if step.code in _ACCESS_DENIED:
        return True
    if not step.succeeded:
        return None
    return unproven(step) or Broken({"authentication": "none", "return_value": code_shown(step.call.status)})


_server = partial(Rule, document="MS-MQQP", party=Party.SERVER)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqqp-port-answer",
        "The port that the server tells is neither a default port nor one in steps of 11 above it",
        section="3.1.4.8",
        requirement="The answer is 0 or a port: 2103 or 2105 by dwPortType, moved up by elevens where that is taken.",
        keyword="SHOULD",
        level=Level.LOW,
        operations=(v.PORT,),
        needs=BOTH,
        check=_port_answer,
    ),
    _server(
        "mqqp-port-answer-invalid-type",
        "A port was told for a type that there is not",
        section="3.1.4.8",
        requirement="A dwPortType that is none of the four gets 0.",
        keyword="MUST",
        level=Level.LOW,
        operations=(v.PORT,),
        needs=BOTH,
        check=_port_answer_invalid_type,
    ),
    _server(
        "mqqp-port-query-unrestricted",
        "The query for the port was refused",
        section="5",
        requirement="Access to RemoteQMGetQMQMServerPort is not restricted: clients ask before they authenticate.",
        keyword="MUST NOT",
        level=Level.LOW,
        operations=(v.PORT,),
        needs=BOTH,
        check=port_query_unrestricted,
        undecidable_when="it is refused and bytes of the connection are missing: it may have been authenticated",
    ),
    _server(
        "mqqp-version-constant",
        "The server told two versions on one connection",
        section="3.1.4.9",
        requirement="The version is that of the server's product and build: it does not change while it runs.",
        keyword="SHOULD",
        level=Level.LOW,
        operations=(v.VERSION,),
        needs=RESPONSE,
        check=_version_constant,
        undecidable_when="the answers were on different connections, or bytes are missing between them",
    ),
    _server(
        "mqqp-version-known",
        "The server's version is one that no product has",
        section="3.1.4.9",
        requirement="The version is 6.1; by notes <22> to <24> also 5.1, 5.2 or 6.0, each from its first build on.",
        keyword="SHOULD",
        level=Level.INFORMATIONAL,
        operations=(v.VERSION,),
        needs=RESPONSE,
        check=_version_known,
    ),
    _server(
        "mqqp-unauthenticated-refused",
        "A call without authentication was served",
        section="5",
        requirement="Calls of unauthenticated clients are refused with MQ_ERROR_ACCESS_DENIED.",
        keyword="SHOULD",
        level=Level.MEDIUM,
        operations=v.RETURNING,
        needs=BOTH,
        check=_unauthenticated_refused,
        undecidable_when="it is served and bytes of the connection are missing: it may have been authenticated",
    ),
)
