"""[MS-MQRR]: which operations there are, and at which port."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from decoders.registry import REMOTE_READ
from pipelines.facts import vocabulary as v
from pipelines.rules.model import OPERATION, RESPONSE, Broken, Level, Party, Rule
from pipelines.rules.ports import may_be_announced

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_RESERVED: Final = 1


def _opnum_reserved(step: CallStep) -> Answer:
    if step.call.endpoint != REMOTE_READ.name or step.call.opnum is None:
        return None
    return step.call.opnum != _RESERVED or Broken({"opnum": step.call.opnum})


def _port_answer(step: CallStep) -> Answer:
    port = step.response.get("return_value")
    if port is None:
        return None
    return may_be_announced(port, REMOTE_READ.port) or Broken({"return_value": port})


_rule = partial(Rule, document="MS-MQRR")

RULES: Final[tuple[Rule, ...]] = (
    _rule(
        "mqrr-opnum-reserved",
        "An operation was called that is not for the wire",
        section="3.1.4",
        requirement="Operation 1 is not called: it is reserved, and by note <12> Windows does not even have it.",
        keyword="MUST NOT",
        party=Party.CLIENT,
        level=Level.LOW,
        needs=OPERATION,
        check=_opnum_reserved,
    ),
    _rule(
        "mqrr-port-answer",
        "The port that the server tells is neither the default port nor one in steps of 11 above it",
        section="3.1.4.1",
        requirement="The answer is 0 for an error, or a port: 2103, moved up by elevens where that is taken.",
        keyword="SHOULD",
        party=Party.SERVER,
        level=Level.LOW,
        operations=(v.REMOTE_PORT,),
        needs=RESPONSE,
        check=_port_answer,
    ),
)
