"""[MS-MQQP], the client: arguments of the calls around the reads. One request is enough."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import Broken, Level, Party, Rule
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_MQS: Final = range(17)
_PORT_TYPES: Final = range(4)
_NIL: Final = "00000000-0000-0000-0000-000000000000"
_FIRST_WITH_EQUAL_VALUES: Final = (5, 2, 0)


def _argument(name: str, allowed: Container[int], known: Container[int] | None = None) -> Callable[[CallStep], Answer]:
    """A number among those allowed; where `known` is given, others than those are another rule's matter."""

    def check(step: CallStep) -> Answer:
        number = step.request.get(name, 0)
        if known is not None and number not in known:
            return None
        return number in allowed or Broken({name: number})

    return check


def _client_id(step: CallStep) -> Answer:
    said = str(step.request.get("pLicGuid", _NIL))
    return said != _NIL or Broken({"pLicGuid": said})


def _null_handle(step: CallStep) -> Answer:
    return step.request.get("pphContext") is not None or Broken({"pphContext": "null"})


def _open_values(step: CallStep) -> Answer:
    queue, context = step.request.get("pQueue", 0), step.request.get("dwpContext", 0)
    if queue and queue == context:
        return True
    if queue and context:
        # <14>: Windows XP and older take values that differ.
        if step.server_version is None:
            return Reason.SERVER_VERSION_UNKNOWN
        if step.server_version < _FIRST_WITH_EQUAL_VALUES:
            return None
    return Broken({"pQueue": hexadecimal(queue), "dwpContext": hexadecimal(context)})


def _cancel_values(step: CallStep) -> Answer:
    handle, queue = step.request.get("hQueue", 0), step.request.get("pQueue", 0)
    if queue and queue == handle:
        return True
    return Broken({"hQueue": hexadecimal(handle), "pQueue": hexadecimal(queue)})


_client = partial(Rule, document="MS-MQQP", keyword="MUST", party=Party.CLIENT)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqqp-ack-value",
        "A receive was ended neither with RR_ACK nor with RR_NACK",
        section="3.1.4.2",
        requirement="dwAck is 1 (RR_NACK) or 2 (RR_ACK).",
        level=Level.MEDIUM,
        operations=(v.END,),
        check=_argument("dwAck", (v.RR_NACK, v.RR_ACK)),
    ),
    _client(
        "mqqp-null-handle",
        "A null handle was ended or closed",
        section="3.1.4.2, 3.1.4.4",
        requirement="RemoteQMEndReceive and RemoteQMCloseQueue take a handle that is not null.",
        level=Level.MEDIUM,
        operations=(v.END, v.CLOSE),
        check=_null_handle,
    ),
    _client(
        "mqqp-client-id",
        "A queue was opened by a client that does not say who it is",
        section="3.1.4.3, 3.2.4.1",
        requirement="pLicGuid is the identifier of the client's queue manager, so it is not the nil GUID.",
        level=Level.LOW,
        operations=(v.OPEN,),
        check=_client_id,
    ),
    _client(
        "mqqp-mqs-range",
        "A queue was opened with a dwMQS out of range",
        section="3.1.4.3",
        requirement="dwMQS lies between 0 and 16.",
        level=Level.MEDIUM,
        operations=(v.OPEN,),
        check=_argument("dwMQS", _MQS),
    ),
    _client(
        "mqqp-mqs-value",
        "A queue was opened with a dwMQS that stands for no kind of client",
        section="3.2.4.1",
        requirement="dwMQS is 1 where the client is a routing or directory server, and otherwise 0.",
        level=Level.LOW,
        operations=(v.OPEN,),
        check=_argument("dwMQS", (0, 1), known=_MQS),
    ),
    _client(
        "mqqp-open-values",
        "A queue was opened with values that do not fit",
        section="3.1.4.3",
        requirement="pQueue and dwpContext are not 0, and equal unless the server is Windows XP or older (note <14>).",
        level=Level.LOW,
        operations=(v.OPEN,),
        check=_open_values,
        undecidable_when="the two differ and the server's version was not seen",
    ),
    _client(
        "mqqp-cancel-values",
        "A request was cancelled on a queue named by values that do not fit",
        section="3.1.4.6",
        requirement="pQueue is not 0 and the same as hQueue.",
        level=Level.LOW,
        operations=(v.CANCEL,),
        check=_cancel_values,
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
