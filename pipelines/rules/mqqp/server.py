"""[MS-MQQP], the server: its port and its version."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.versions import said_version
from pipelines.rules.model import BOTH, RESPONSE, Broken, Level, Party, Rule

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_PORT_TYPES: Final = range(4)
_FIRST_BUILDS: Final = {(5, 1): 1020, (5, 2): 1716, (6, 0): 6000, (6, 1): 0}
"""Notes <22> to <24>: Windows XP, Server 2003, Vista and Server 2008. 6.1 is asked of everybody, with a build of the
implementer's own: that Windows begins at 6531 binds nobody else."""


def _port_answer_invalid_type(step: CallStep) -> Answer:
    kind, port = step.request.get("dwPortType", 0), step.response.get("return_value")
    if kind in _PORT_TYPES or port is None:
        return None
    return port == 0 or Broken({"dwPortType": kind, "return_value": port})


def _version_known(step: CallStep) -> Answer:
    version = said_version(step.call)
    if version is None:
        return None
    first = _FIRST_BUILDS.get((version.major, version.minor))
    return True if first is not None and version.build >= first else Broken({"version": version})


_server = partial(Rule, document="MS-MQQP", party=Party.SERVER)

RULES: Final[tuple[Rule, ...]] = (
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
)
