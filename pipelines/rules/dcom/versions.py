"""[MS-DCOM] 3.2.4.2, 3.1.1.5.4: a client speaks no later version of DCOM than the server said that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason
from pipelines.rules.com_duties import of_client, of_server
from pipelines.rules.model import BOTH, OPERATION, Broken
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer


def _told(version: tuple[int, int]) -> str:
    return "{}.{}".format(*version)


def _mismatch(step: ComStep) -> bool | Reason | None:
    com, announced = step.com, step.announced
    if com.object is None or com.major is None or com.minor is None or step.repeats:
        return None
    if announced is None or announced.version is None:
        return Reason.SERVER_VERSION_UNKNOWN
    if com.major == announced.version[0] and com.minor <= announced.version[1]:
        return False
    # Another announcement, or of another process, may have said something else out of sight.
    return step.blind() or True


def _values(step: ComStep) -> dict[str, str]:
    announced = step.announced.version if step.announced else None
    client = step.com.major or 0, step.com.minor or 0
    return {"client": _told(client), "server": _told(announced or (0, 0))}


def _negotiated(step: ComStep) -> Answer:
    found = _mismatch(step)
    if found is None or isinstance(found, Reason):
        return found
    return Broken(_values(step)) if found else True


def _refused(step: ComStep) -> Answer:
    found = _mismatch(step)
    if isinstance(found, Reason):
        return found
    if not found:
        return None
    return Broken({**_values(step), "answer": code_shown(step.code)}) if step.succeeded else True


_NOT_TOLD: Final = (
    "nobody was seen to say which version the server process has, or anything between the two hosts was missed"
)

RULES: Final = (
    of_client(
        "dcom-version-negotiated",
        "A call of an object had a later version of DCOM than its server",
        document="MS-DCOM",
        section="3.2.4.2",
        requirement="A call has the version that client and server have in common: not a later one than the "
        "activation or the resolution told of the server. Looked at once a connection and version.",
        needs=OPERATION,
        check=_negotiated,
        undecidable_when=_NOT_TOLD,
    ),
    of_server(
        "dcom-version-refused",
        "A call of a later version of DCOM than the server has succeeded",
        document="MS-DCOM",
        section="3.1.1.5.4",
        requirement="A server answers a call of a later or another major version with RPC_E_VERSION_MISMATCH. "
        "Looked at once a connection and version.",
        needs=BOTH,
        check=_refused,
        undecidable_when=_NOT_TOLD,
    ),
)
