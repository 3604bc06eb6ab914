"""What applications do with private queues themselves: [MS-MQMP] 3.2.4.1 to 3.2.4.6, 3.2.4.13."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.binding import Binding
    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Values

    Doing = Generator[Until | None, None, None]

_ENOUGH: Final = 256
_SETTABLE: Final = (105, 106, 108, 112)
_READABLE: Final = (101, 103, 104, 105, 106, 108, 109, 111, 112, 113)
_DACL, _OWNER = 4, 1


def administer(binding: Binding, server: QueueManager) -> Doing:
    world, part = binding.owner.world, f"{binding.part}/admin"
    path = f"{server.name}\\private$\\{world.one_of(('temp', 'orders', 'audit'))}"
    queue: Values = {"queue": text(f"OS:{path}")}
    if world.likely(0.6):
        described: Values = {"descriptor": "null"} if world.likely(0.3) else {}
        yield from binding.ask("R_QMCreateObjectInternal", {"lpwcsPathName": text(path), **described}, part)
    for _ in range(world.chance.randint(0, 3)):
        act = world.one_of((_look_up, _properties, _change, _security, _protect))
        yield from act(binding, queue, path, part)
    if path.endswith("temp") and world.likely(0.5):
        yield from binding.ask("R_QMDeleteObject", queue, part)


def _look_up(binding: Binding, _: Values, path: str, part: str) -> Doing:
    yield from binding.ask("R_QMObjectPathToObjectFormat", {"lpwcsPathName": text(path)}, part)


def _properties(binding: Binding, queue: Values, _: str, part: str) -> Doing:
    wanted = binding.owner.world.chance.sample(_READABLE, binding.owner.world.chance.randint(1, 4))
    yield from binding.ask("R_QMGetObjectProperties", {**queue, "aProp": str(wanted)}, part)


def _change(binding: Binding, queue: Values, _: str, part: str) -> Doing:
    changed = binding.owner.world.one_of(_SETTABLE)
    yield from binding.ask("R_QMSetObjectProperties", {**queue, "aProp": f"[{changed}]"}, part)


def _security(binding: Binding, queue: Values, _: str, part: str) -> Doing:
    """3.2.4.4: perhaps with too little room at first."""
    wanted = {"RequestedInformation": binding.owner.world.one_of((_OWNER, _DACL, 7))}
    room = binding.owner.world.one_of((0, _ENOUGH))
    reply = yield from binding.ask("R_QMGetObjectSecurityInternal", {**queue, **wanted, "nLength": room}, part)
    if reply is not None and reply.get("status") == "MQ_ERROR_SECURITY_DESCRIPTOR_TOO_SMALL":
        yield from binding.ask("R_QMGetObjectSecurityInternal", {**queue, **wanted, "nLength": _ENOUGH}, part)


def _protect(binding: Binding, queue: Values, _: str, part: str) -> Doing:
    yield from binding.ask("R_QMSetObjectSecurityInternal", {**queue, "SecurityInformation": _DACL}, part)
