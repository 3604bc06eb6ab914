"""What an investigator asks for: ports that are told or kept back. Nobody is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.model import BOTH, OPERATION, Broken, Level
from pipelines.rules.ports import DEFAULT_PORTS, may_be_announced, port_query_unrestricted
from pipelines.rules.watching import detection

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep


def _port_told(step: CallStep) -> Answer:
    kind, port = step.request.get("dwPortType", 0), step.response.get("return_value")
    if kind not in range(len(DEFAULT_PORTS)) or port is None:
        return None
    return may_be_announced(port, DEFAULT_PORTS[kind]) or Broken({"dwPortType": kind, "return_value": port})


RULES: Final = (
    detection(
        "detect-port-told",
        "The port that the server tells is neither a default port nor one in steps of 11 above it",
        document="MS-MQQP",
        section="3.1.4.8",
        requirement="Reported is a port other than 2103 or 2105, moved up by elevens where that is taken. "
        "The document lets the port vary, so an administrator may have chosen it.",
        level=Level.LOW,
        operations=(v.PORT,),
        needs=BOTH,
        check=_port_told,
        attack=("T1571",),
    ),
    detection(
        "detect-port-query-refused",
        "The query for the port was refused",
        document="MS-MQQP",
        section="5",
        requirement="Reported is a query for the port, made without authentication, that the server refused. "
        "The document asks servers to leave it open to everybody.",
        level=Level.LOW,
        operations=(v.PORT,),
        needs=OPERATION,
        check=port_query_unrestricted,
        attack=("T1046",),
        undecidable_when="it is refused and bytes of the connection are missing: it may have been authenticated",
    ),
)
