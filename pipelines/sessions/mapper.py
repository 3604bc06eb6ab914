"""What clients ask the endpoint mapper for, as far as it decides how they go on: [MS-MQRR] 3.2.4.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.msmq.towers import parse_tower
from decoders.registry import REMOTE_READ
from decoders.status.ept import EPT
from pipelines.facts import vocabulary as v

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.shared_state import OnAnswered, OnAsked, SharedState
    from pipelines.sessions.steps import CallStep, Values

_NOT_REGISTERED: Final = next(code for code, name in EPT.items() if name == "ept_s_not_registered")


class MapperCall(NamedTuple):
    call: CallFact
    refused: bool
    """It is not registered there."""


class Mapper:
    def __init__(self, _: SharedState) -> None:
        self.asked: OnAsked = {}
        self.answered: OnAnswered = {v.EPT_MAP: self._mapped}

    def _mapped(self, step: CallStep, _: Moment) -> None:
        if asked_for(step.request) == REMOTE_READ.uuid and step.call.status in (v.MQ_OK, _NOT_REGISTERED):
            step.pair.remote_read_mapped = MapperCall(step.call, step.call.status == _NOT_REGISTERED)


def asked_for(request: Values) -> str | None:
    """UUID in the first floor of the tower that is asked for."""
    octets = ((request.get("map_tower") or {}).get("tower_octet_string") or {}).get("hex")
    tower = parse_tower(bytes.fromhex(octets)) if octets else None
    return tower.interface.uuid if tower is not None and tower.interface is not None else None
