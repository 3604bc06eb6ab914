"""CACTransferBufferV1 and V2 with what is given, and nothing else."""

from __future__ import annotations

from typing import Any

from decoders.interfaces import mqmp
from decoders.ndr.model import Pointer


def transfer(**given: Any) -> dict[str, Any]:  # noqa: ANN401 - any of them
    """To be sent, unless `given` says otherwise."""
    members = {member.name: member.type for member in mqmp.CACTransferBufferV1.members if member.name}
    nothing = {name: None if isinstance(declared, Pointer) else 0 for name, declared in members.items()}
    send = {"pAdminQueueFormat": None, "pResponseQueueFormat": None}
    return nothing | {"Send": send, "Receive": None, "CreateCursor": None} | given


def transfer2(old: dict[str, Any], **given: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"old": old, "pbFirstInXact": None, "pbLastInXact": None, "ppXactID": None} | given
