"""[MS-MQQP], the client: arguments of the calls around the reads. One request is enough."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import Broken, Level, Party, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_KINDS: Final = range(2)
_DECLARED: Final = range(17)
_PORT_TYPES: Final = range(4)
_NIL: Final = "00000000-0000-0000-0000-000000000000"


def _argument(name: str, allowed: Container[int]) -> Callable[[CallStep], Answer]:
    def check(step: CallStep) -> Answer:
        number = step.request.get(name, 0)
        return number in allowed or Broken({name: number})

    return check


def _mqs(step: CallStep) -> Answer:
    number = step.request.get("dwMQS", 0)
    if number in _KINDS:
        return True
    # 3.2.4.1 knows 0 and 1, the declaration of the method in 3.1.4.3 everything up to 16.
    return Reason.TEXTS_CONTRADICT if number in _DECLARED else Broken({"dwMQS": number})


def _client_id(step: CallStep) -> Answer:
    said = str(step.request.get("pLicGuid", _NIL))
    return said != _NIL or Broken({"pLicGuid": said})


def _null_handle(step: CallStep) -> Answer:
    if step.request.get("pphContext") is not None:
        return True
    if (reason := step.association_incomplete()) is not None:
        return reason
    # A client that was given null has nothing else to give back.
    given = step.connection is not None and step.connection.association.null_given
    return None if given else Broken({"pphContext": "null"})


_client = partial(Rule, document="MS-MQQP", keyword="MUST", party=Party.CLIENT)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqqp-ack-value",
        "A receive was ended neither with RR_ACK nor with RR_NACK",
        section="3.2.4.3, 3.2.4.6",
        requirement="dwAck is 2 (RR_ACK), or 1 (RR_NACK) for a packet that did not arrive.",
        level=Level.MEDIUM,
        operations=(v.END,),
        check=_argument("dwAck", (v.RR_NACK, v.RR_ACK)),
    ),
    _client(
        "mqqp-null-handle",
        "A null handle was ended or closed",
        section="3.2.4.3, 3.2.4.6, 3.2.4.9",
        requirement="RemoteQMEndReceive and RemoteQMCloseQueue take the handle that the server gave.",
        level=Level.MEDIUM,
        operations=(v.END, v.CLOSE),
        check=_null_handle,
        undecidable_when="anything of the association was missed: the server may have given it",
    ),
    _client(
        "mqqp-client-id",
        "A queue was opened by a client that does not say who it is",
        section="3.2.4.1",
        requirement="pLicGuid is the identifier of the client's queue manager, so it is not the nil GUID.",
        level=Level.LOW,
        operations=(v.OPEN,),
        check=_client_id,
    ),
    _client(
        "mqqp-mqs-value",
        "A queue was opened with a dwMQS that stands for no kind of client",
        section="3.2.4.1",
        requirement="dwMQS is 1 where the client is a routing or directory server, and otherwise 0.",
        level=Level.LOW,
        operations=(v.OPEN,),
        check=_mqs,
        undecidable_when="it is 2 to 16: the method is declared to take such values",
    ),
    _client(
        "mqqp-port-type-range",
        "A port was asked for that there is no type for",
        section="3.1.4.8",
        requirement="dwPortType lies between 0 and 3.",
        level=Level.LOW,
        operations=(v.PORT,),
        check=_argument("dwPortType", _PORT_TYPES),
    ),
)
