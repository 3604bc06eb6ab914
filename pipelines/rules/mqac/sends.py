"""[MC-MQAC] 3.17.4.1.48: Send, and what a message tells of itself after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import MessageState, QueueState
from pipelines.rules.model import Broken, Level
from pipelines.rules.mqac.demands import (
    E_INVALIDARG,
    E_INVALIDARG_PRINTED,
    Demand,
    doubt,
    known,
    of_server,
    refused,
    settled,
)
from pipelines.rules.mqac.values import is_transaction, no_object
from pipelines.rules.object_members import asked, gets, methods

if TYPE_CHECKING:
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_MESSAGE: Final = "MSMQMessage"
_SEND: Final = methods(_MESSAGE, "Send")
_DESTINATION: Final = "DestinationQueue"
_SEND_ACCESS: Final = 2
_MQ_ERROR_INSUFFICIENT_PROPERTIES: Final = 0xC00E_003F
_MQ_ERROR_MISSING_CONNECTOR_TYPE: Final = 0xC00E_0055
_OF_CONNECTORS: Final = (
    *("MsgClass", "SenderId", "DestinationSymmetricKey", "Signature", "AuthenticationProviderName"),
)
_CONNECTOR, _PROVIDER, _PROVIDER_TYPE = "ConnectorTypeGuid", "AuthenticationProviderName", "AuthenticationProviderType"
_UNSIGNED: Final = 0xFFFF_FFFF


def _of_client(step: MqacStep) -> MessageState | None:
    """A message that a client made: what it did not put has its first value."""
    state = step.state
    return state if isinstance(state, MessageState) and state.read is None else None


def _has_connector(message: MessageState) -> bool:
    put = message.put.get(_CONNECTOR)
    return put is not None and bool((put.text or "").strip("{}-0"))


def _no_connector(step: MqacStep) -> bool | Reason:
    message = _of_client(step)
    if message is None or _has_connector(message):
        return False
    return known(step, any(name in message.put for name in _OF_CONNECTORS))


def _half_provider(step: MqacStep) -> bool | Reason:
    """3.17.3: both have values at first, so that one alone is missing only where it was put away."""
    message = _of_client(step)
    if message is None or _PROVIDER not in message.put:
        return False
    name, kind = message.put[_PROVIDER], message.put.get(_PROVIDER_TYPE)
    has_type = kind is None or bool(kind.value.number)
    return bool(name.text) != has_type and known(step, holds=True)


def _not_to_send(step: MqacStep) -> bool | Reason:
    """2.2.2.3: who may insert messages.

    Of an MSMQDestination that is closed nothing is said. What Send asks a closed queue refuses by 3.11.1.1, and answers
    by its own section.
    """
    target = step.given.get(_DESTINATION)
    if not isinstance(target, QueueState) or target.opened is None or target.unseen is not None:
        return False
    if target.closed is not None:
        return settled(step, target.closed) or Reason.TEXTS_CONTRADICT
    return target.access is not None and not target.access & _SEND_ACCESS


_NOWHERE: Final = Demand(lambda step: no_object(step, _DESTINATION), (E_INVALIDARG, E_INVALIDARG_PRINTED))
_NO_CONNECTOR: Final = Demand(_no_connector, (_MQ_ERROR_MISSING_CONNECTOR_TYPE,))
_HALF_PROVIDER: Final = Demand(_half_provider, (_MQ_ERROR_INSUFFICIENT_PROPERTIES,))
_NO_TRANSACTION: Final = Demand(lambda step: not is_transaction(step))
_NOT_TO_SEND: Final = Demand(_not_to_send)
_DEMANDS: Final = (_NOWHERE, _NO_CONNECTOR, _HALF_PROVIDER, _NO_TRANSACTION, _NOT_TO_SEND)


def _identified(step: MqacStep) -> Answer:
    state, told = step.state, step.result
    if not isinstance(state, MessageState) or state.sent is None or not step.succeeded:
        return None
    if not state.sent.succeeded:
        return None
    text = (told.value if told else None) or ""
    if text.strip("{}-0 "):
        return True
    return doubt(step) or settled(step, state.sent.call) or Broken({**asked(step), "told": text})


def _times(step: MqacStep) -> Answer:
    """What was put before Send, and not since."""
    state = step.state
    if not isinstance(state, MessageState) or state.sent is None or not state.sent.succeeded or not step.succeeded:
        return None
    reach, receive = (state.put.get(name) for name in ("MaxTimeToReachQueue", "MaxTimeToReceive"))
    if reach is None or receive is None or step.result is None or max(reach.at, receive.at) > state.sent.call.began:
        return None
    numbers = [one.value.number for one in (reach, receive)] + [step.result.number]
    wanted, kept, told = (None if one is None else one & _UNSIGNED for one in numbers)
    if wanted is None or kept is None or told is None or wanted <= kept:
        return None
    if told == wanted:
        return True
    return doubt(step) or Broken({**asked(step), "to reach the queue": wanted, "to be received": told})


RULES: Final = (
    of_server(
        "mqac-send-destination",
        "A message was sent to no destination",
        section="3.17.4.1.48",
        requirement="Send without a destination is answered E_INVALIDARG, which the document prints with the value of "
        "another error: both are right.",
        members=_SEND,
        check=refused(_NOWHERE, _DEMANDS),
    ),
    of_server(
        "mqac-send-connector",
        "A message was sent with what only connectors set, and without a connector type",
        section="3.17.4.1.48",
        requirement="Send of a message whose class, sender, symmetric key, signature or provider name was put, and no "
        "connector type, is answered MQ_ERROR_MISSING_CONNECTOR_TYPE.",
        level=Level.MEDIUM,
        members=_SEND,
        check=refused(_NO_CONNECTOR, _DEMANDS),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-send-provider",
        "A message was sent with half of what names its provider",
        section="3.17.4.1.48",
        requirement="Send of a message of which one of provider type and provider name was put away is answered "
        "MQ_ERROR_INSUFFICIENT_PROPERTIES.",
        members=_SEND,
        check=refused(_HALF_PROVIDER, _DEMANDS),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-send-transaction",
        "A message was sent in a transaction of a type that holds none",
        section="3.17.4.1.48",
        requirement="Send whose Transaction is neither VT_DISPATCH nor VT_I4 fails.",
        level=Level.INFORMATIONAL,
        members=_SEND,
        check=refused(_NO_TRANSACTION, _DEMANDS),
    ),
    of_server(
        "mqac-send-open",
        "A message was sent to a queue that was not open to send",
        section="3.17.4.1.48",
        requirement="Send fails where the queue was opened for something else than to send.",
        members=_SEND,
        check=refused(_NOT_TO_SEND, _DEMANDS),
        undecidable_when="the queue was closed, of which two sentences say different things, or its opening was not "
        "captured",
    ),
    of_server(
        "mqac-sent-identified",
        "A message that was sent had no identifier, or none of a machine",
        section="3.17.4.1.19, 3.17.4.1.25, 3.17.4.1.48",
        requirement="After Send a message tells an Id and a SourceMachineGuid that are not null.",
        members=gets(_MESSAGE, "Id", "SourceMachineGuid"),
        check=_identified,
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-sent-times",
        "A message that was sent may be received for less time than it may travel",
        section="3.17.4.1.48",
        requirement="Send raises the time to be received to the time to reach the queue where that is more.",
        members=gets(_MESSAGE, "MaxTimeToReceive"),
        check=_times,
        undecidable_when="the object's history was not captured whole",
    ),
)
