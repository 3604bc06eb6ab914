"""MSMQManagement, its two kinds, and MSMQApplication: [MC-MQAC] 3.2 to 3.5. Queue managers and active queues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.facts.model import slim
from pipelines.mqac.admin import act_row
from pipelines.mqac.naming import answered, fill, known
from pipelines.mqac.objects import QueueIdentity

if TYPE_CHECKING:
    from pipelines.mqac.handling import Handlers
    from pipelines.mqac.objects import ApplicationState, ManagementState
    from pipelines.mqac.steps import MqacStep
    from pipelines.mqac.story import Story

_MANAGEMENT, _LOCAL, _OUTGOING = "MSMQManagement", "MSMQQueueManagement", "MSMQOutgoingQueueManagement"
_APPLICATION: Final = "MSMQApplication"
_THIS_MACHINE: Final = "machine"
"""As acts by qmmgmt say it."""
_CONTROLS: Final = {"Pause": "pause", "Resume": "resume", "EodResend": "eod_resend"}
_ACTIONS: Final = {"Connect": "connect", "Disconnect": "disconnect", "Tidy": "tidy"}
_ASKED: Final = (
    *((_MANAGEMENT, one, "get") for one in ("MessageCount", "ForeignStatus", "QueueType", "TransactionalStatus")),
    *((_MANAGEMENT, one, "get") for one in ("BytesInQueue", "Machine")),
    *((_LOCAL, one, "get") for one in ("JournalMessageCount", "BytesInJournal")),
    *((_OUTGOING, one, "get") for one in ("State", "NextHops")),
    (_LOCAL, "EodGetReceiveInfo", "method"),
    (_OUTGOING, "EodGetSendInfo", "method"),
)
_ASKED_OF_MACHINE: Final = (
    *((_APPLICATION, f"MSMQVersion{part}", "get") for part in ("Major", "Minor", "Build")),
    *((_APPLICATION, one, "get") for one in ("IsDsEnabled", "PrivateQueues", "DirectoryServiceServer", "IsConnected")),
    *((_APPLICATION, one, "get") for one in ("BytesInAllQueues", "Machine")),
    (_APPLICATION, "ActiveQueues", "method"),
    (_APPLICATION, "MachineIdOfMachineName", "method"),
    (_APPLICATION, "MachineNameOfMachineId", "method"),
)


def _init(_: Story, step: MqacStep, state: ManagementState) -> None:
    """3.3.4.1.1."""
    if step.failed:
        state.failed_init = slim(step.call)
        return
    state.init, state.is_local = slim(step.call), None
    state.machine = step.text("Machine")
    state.queue = QueueIdentity(path=known(step, "Pathname"), format=known(step, "FormatName"))
    if step.asked_hidden is not None:
        state.queue.doubt = step.asked_hidden


def _ask(story: Story, step: MqacStep, state: ManagementState) -> None:
    changes = story.values.answers(step.member.member, answered(step) if step.succeeded else None)
    story.act(
        act_row(step, "query", "queue", state.queue, changes=changes, detail=_at(state), doubt=_doubt(step, state))
    )
    if step.succeeded:
        story.note("inspected", state.queue, step.call)


def _format_name(story: Story, step: MqacStep, state: ManagementState) -> None:
    found = answered(step)
    if step.succeeded and found is not None and found.text:
        state.queue = fill(step, state, state.queue, "format", found)
    _ask(story, step, state)


def _is_local(story: Story, step: MqacStep, state: ManagementState) -> None:
    if step.succeeded and step.result is not None and step.result.number is not None:
        state.is_local = bool(step.result.number)
    _ask(story, step, state)


def _control(story: Story, step: MqacStep, state: ManagementState) -> None:
    action = _CONTROLS[step.member.member]
    story.act(act_row(step, action, "queue", state.queue, detail=_at(state), doubt=_doubt(step, state)))
    if step.succeeded:
        story.note("controlled", state.queue, step.call)


def _at(state: ManagementState) -> str | None:
    return f"at {state.machine}" if state.machine else None


def _doubt(step: MqacStep, state: ManagementState) -> Any:  # noqa: ANN401 - a reason
    """Its Init was not seen, or another one may have followed."""
    return step.pair.within.blind_since(state.init.began) if state.init is not None else state.unseen


def _put_machine(_: Story, step: MqacStep, state: ApplicationState) -> None:
    if not step.failed:
        state.machine = next((known(step, name) for name in step.arguments), None)


def _act_on_machine(story: Story, step: MqacStep, state: ApplicationState) -> None:
    story.act(
        act_row(step, _ACTIONS[step.member.member], "machine", _machine(state), doubt=_machine_doubt(step, state))
    )


def _ask_machine(story: Story, step: MqacStep, state: ApplicationState) -> None:
    changes = story.values.answers(step.member.member, answered(step) if step.succeeded else None)
    asked = ", ".join(one.value for one in step.arguments.values() if one.value)
    more = {"changes": changes, "detail": asked or None, "doubt": _machine_doubt(step, state)}
    story.act(act_row(step, "query", "machine", _machine(state), **more))


def _register(story: Story, step: MqacStep, state: ApplicationState) -> None:
    """3.2.4.2.1."""
    given = step.arguments.get("ExternalCertificate")
    flags = step.number("Flags")
    told = [
        *([] if flags is None else [f"Flags {flags}"]),
        *([] if given is None else [f"certificate of {given.size} bytes, SHA-256 {given.sha256}"]),
    ]
    story.act(act_row(step, "register_certificate", "MQDS_USER", step.call.username, detail=", ".join(told) or None))
    if step.succeeded:
        state.registered = slim(step.call)


def _machine(state: ApplicationState) -> str:
    return (state.machine.text if state.machine is not None else None) or _THIS_MACHINE


def _machine_doubt(step: MqacStep, state: ApplicationState) -> Any:  # noqa: ANN401 - a reason
    since = state.machine.at if state.machine is not None else state.first.began
    return (state.unseen if state.machine is None else None) or step.pair.within.blind_since(since)


HANDLERS: Final[Handlers] = {
    (_MANAGEMENT, "Init", "method"): _init,
    (_MANAGEMENT, "FormatName", "get"): _format_name,
    (_MANAGEMENT, "IsLocal", "get"): _is_local,
    **dict.fromkeys(_ASKED, _ask),
    **{(_OUTGOING, name, "method"): _control for name in _CONTROLS},
    (_APPLICATION, "Machine", "put"): _put_machine,
    **{(_APPLICATION, name, "method"): _act_on_machine for name in _ACTIONS},
    **dict.fromkeys(_ASKED_OF_MACHINE, _ask_machine),
    (_APPLICATION, "RegisterCertificate", "method"): _register,
}
