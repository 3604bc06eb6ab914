"""Interfaces and ports that make a conversation ours: views of the registry, names by UUID.

They go by UUID alone: who binds to another version of ours tried to reach it. What a call is goes by `registered`.
"""

from __future__ import annotations

from typing import Final

from decoders.registry import EPM, REGISTRY, Family


def _names(*families: Family) -> dict[str, str]:
    return {uuid: one.name for uuid, one in REGISTRY.items() if one.family in families}


ENDPOINT_MAPPER: Final = _names(Family.ENDPOINT_MAPPER)
MSMQ: Final = _names(Family.MSMQ)
MSMQ_COM: Final = _names(Family.MSMQ_COM)
OURS: Final = _names(*(family for family in Family if family is not Family.COM))
"""What a conversation is kept for."""
INTERFACES: Final = _names(*Family)
"""All that have a name."""

ENDPOINT_MAPPER_PORT: Final = EPM.port
_BASE_PORTS: Final = {one.port for one in REGISTRY.values() if one.family is Family.MSMQ and one.port} | {2107}
"""2107 is message queuing's too, and no document says whose."""
_STEPS: Final = 10
"""[MS-MQRR] 3.1.4.1: a port that is taken moves up by 11, repeatedly; ten managers on one address are plenty."""
PORTS: Final = frozenset((ENDPOINT_MAPPER_PORT, *(port + 11 * step for port in _BASE_PORTS for step in range(_STEPS))))
