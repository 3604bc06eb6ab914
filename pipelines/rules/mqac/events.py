"""[MC-MQAC] 3.16: who is called back when a message arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.registry import BY_NAME
from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import ConnectionPointState
from pipelines.rules.model import BOTH, RESPONSE, Broken
from pipelines.rules.mqac.demands import Demand, doubt, known, of_server, refused, settled
from pipelines.rules.object_members import asked, methods

if TYPE_CHECKING:
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_POINT: Final = "ConnectionPoint"
_CALLBACK: Final = BY_NAME["_DMSMQEventEvents"].uuid
_CONNECT_E_NOCONNECTION: Final = 0x8004_0200
_CONNECT_E_CANNOTCONNECT: Final = 0x8004_0202
_E_POINTER: Final = 0x8000_4003
_AS_PRINTED: Final = 0x8000_0005
"""The value that 3.16.4.5 prints for E_POINTER."""


def _another(step: MqacStep) -> bool:
    asked_for = step.text("riid")
    return asked_for is not None and asked_for.lower() != _CALLBACK


def _no_sink(step: MqacStep) -> bool:
    sink = step.arguments.get("pUnkSink")
    return sink is not None and sink.reference is None and sink.value is None


def _not_advised(step: MqacStep) -> bool | Reason:
    """A cookie that no Advise gave, or that was given back."""
    point, cookie = step.state, step.number("dwCookie")
    if not isinstance(point, ConnectionPointState) or point.event is None or cookie is None:
        return False
    if cookie in point.event.advised or point.event.unseen is not None:
        return False
    return Reason.LIMIT if point.event.is_crowded else known(step, holds=True)


def _told(step: MqacStep) -> Answer:
    told = step.result
    if not step.succeeded or told is None or told.value is None:
        return None
    return True if told.value.lower() == _CALLBACK else Broken({**asked(step), "told": told.value})


def _new(step: MqacStep) -> Answer:
    point, cookie = step.state, step.result
    if not isinstance(point, ConnectionPointState) or point.event is None or not step.succeeded:
        return None
    if cookie is None or cookie.number is None:
        return None
    before = point.event.advised.get(cookie.number)
    if before is None:
        return True
    return doubt(step) or settled(step, before) or Broken({**asked(step), "cookie": cookie.number})


def _none(step: MqacStep) -> Answer:
    """Of one that could not be asked for the interface that is called back."""
    told = step.result.number if step.result else None
    if step.code != _CONNECT_E_CANNOTCONNECT or told is None:
        return None
    return Broken({**asked(step), "cookie": told}) if told else True


RULES: Final = (
    of_server(
        "mqac-connection-point",
        "A connection point was handed out for an interface that is not called back",
        section="3.16.4.6.2",
        requirement="FindConnectionPoint with any other interface than _DMSMQEventEvents is answered "
        "CONNECT_E_NOCONNECTION.",
        members=methods("MSMQEvent", "FindConnectionPoint"),
        check=refused(Demand(_another, (_CONNECT_E_NOCONNECTION,))),
    ),
    of_server(
        "mqac-connection-interface",
        "A connection point told another interface than the one that is called back",
        section="3.16.4.5.1",
        requirement="GetConnectionInterface tells the IID of _DMSMQEventEvents.",
        members=methods(_POINT, "GetConnectionInterface"),
        needs=RESPONSE,
        check=_told,
    ),
    of_server(
        "mqac-advise-sink",
        "A callback was registered that is none",
        section="3.16.4.5.3",
        requirement="Advise without a sink is answered E_POINTER, which the document prints with the value of another "
        "error: both are right.",
        members=methods(_POINT, "Advise"),
        check=refused(Demand(_no_sink, (_E_POINTER, _AS_PRINTED))),
    ),
    of_server(
        "mqac-advise-cookie",
        "Two callbacks got the same cookie",
        section="3.16.4.5.3",
        requirement="Advise registers each callback under a cookie of its own.",
        members=methods(_POINT, "Advise"),
        needs=BOTH,
        check=_new,
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-advise-refused",
        "A callback that was refused got a cookie",
        section="3.16.4.5.3",
        requirement="Advise of a sink without the interface that is called back, which is answered "
        "CONNECT_E_CANNOTCONNECT, tells the cookie 0.",
        members=methods(_POINT, "Advise"),
        needs=RESPONSE,
        check=_none,
    ),
    of_server(
        "mqac-unadvise-cookie",
        "A cookie was given back that nobody had, or twice",
        section="3.16.3, 3.16.4.5.4",
        requirement="Unadvise with a cookie that is not registered is answered CONNECT_E_NOCONNECTION.",
        members=methods(_POINT, "Unadvise"),
        check=refused(Demand(_not_advised, (_CONNECT_E_NOCONNECTION,))),
        undecidable_when="the object's history was not captured whole, or it has more callbacks than are kept in mind",
    ),
)
