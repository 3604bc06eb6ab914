"""Conversations about MSMQ's objects: each is played by their own numbers, and late-bound as scripts do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from decoders.registry import BY_NAME
from tests.local import Local
from tests.scripts.mqac import member
from tests.scripts.player import capture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Row = dict[str, Any]
TOLD: Final = (
    *("sessions", "reads", "sends", "transactions", "admin_actions", "message_sightings", "queues", "hosts"),
    "findings",
)
_DIFFER: Final = ("_ts", "_seen", "_uid", "_uids", "_frames")
_MORE: Final = frozenset(("ts", "ts_ns", "uid", "id", "capture_id", "transaction"))
_SPEAKS: Final = re.compile(r"^\s*(\w+)\.", re.MULTILINE)


def conversation(body: str, *classes: str, late: bool = False, also: tuple[str, ...] = ()) -> str:
    """`body` after its objects were made: `MSMQQueueInfo=I` is one of that class, with that IPID.

    `also`: interfaces that are bound beside those of the body.
    """
    made = [one.partition("=") for one in classes]
    lines = ["connect r interface IRemoteSCMActivator"]
    for cls, _, name in made:
        iid = "IDispatch" if late else _newest(cls)
        lines.append(f"RemoteCreateInstance class={cls} iids=[{iid}] -> gives=[{name}]")
    spoken = ["IDispatch"] if late else list(dict.fromkeys((*_SPEAKS.findall(body), *also)))
    lines += ["close r", f"connect o interface {spoken[0]}"]
    lines += [f"alter interface {one}" for one in (*spoken[1:], "IRemUnknown")]
    said = _asked_for(body) if late else body.strip().splitlines()
    return "\n".join((*lines, *said, "close"))


def _asked_for(body: str) -> Iterator[str]:
    """Numbers that no document tells have to be asked for."""
    for line in body.strip().splitlines():
        operation, *rest = line.split()
        if "." in operation and not (of := member(operation).automation).proven:
            yield f'GetIDsOfNames {rest[0]} rgszNames=["{of.member}"] -> rgDispId=[{of.dispid}]'
        yield line


def _newest(cls: str) -> str:
    return next(f"I{cls}{revision}" for revision in ("4", "3", "") if f"I{cls}{revision}" in BY_NAME)


def told(folder: Path, script: str, **more: Any) -> dict[str, list[Row]]:  # noqa: ANN401 - of Local
    return Local(capture(folder, script), **more).judged()


def compared(tables: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Without what differs between two captures of the same: times, places and what is derived from them."""
    return {name: sorted(map(_bare, tables[name]), key=str) for name in TOLD}


def _bare(row: Row) -> Row:
    found: Row = {}
    for name, value in row.items():
        if name in _MORE or name.endswith(_DIFFER):
            # Whether there is one is told all the same.
            found[name] = value is not None
        elif isinstance(value, list):
            found[name] = [_bare(one) if isinstance(one, dict) else one for one in value]
        else:
            found[name] = _bare(value) if isinstance(value, dict) else value
    return found
