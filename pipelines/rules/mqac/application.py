"""[MC-MQAC] 3.2: the queue manager, here or on another computer that a client chose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.mqac.objects import ApplicationState
from pipelines.rules.model import BOTH, RESPONSE, Broken
from pipelines.rules.mqac.demands import E_NOTIMPL, Demand, doubt, known, of_server, refused
from pipelines.rules.mqac.values import NULLS, TEXTS, is_given, same_name
from pipelines.rules.object_members import answered, asked, gets, methods

if TYPE_CHECKING:
    from pipelines.facts.reasons import Reason
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_APPLICATION: Final = "MSMQApplication"
_IF_NOT_EXIST: Final = 2
_CERTIFICATE_THERE: Final = 0x400E_000A
_GUID: Final = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def _elsewhere(step: MqacStep) -> bool | Reason:
    """Another computer was chosen."""
    state = step.state
    if not isinstance(state, ApplicationState):
        return False
    if state.machine is not None:
        return known(step, bool(state.machine.text))
    return state.unseen or False


def _kept_and_given(step: MqacStep) -> bool | Reason:
    return step.number("Flags") == _IF_NOT_EXIST and is_given(step, "ExternalCertificate")


_REMOTE: Final = Demand(_elsewhere, (E_NOTIMPL,))
_FLAGS: Final = Demand(_kept_and_given, (v.MQ_ERROR_INVALID_PARAMETER,))
_OF_CERTIFICATES: Final = (_REMOTE, _FLAGS)
_LOCAL: Final = Demand(_elsewhere, (v.MQ_ERROR_INVALID_PARAMETER,))


def _there(step: MqacStep) -> Answer:
    if step.code != _CERTIFICATE_THERE:
        return None
    return True if step.number("Flags") == _IF_NOT_EXIST and not _kept_and_given(step) else Broken(answered(step))


def _machine(step: MqacStep) -> Answer:
    state = step.state
    if not isinstance(state, ApplicationState) or state.machine is None or not step.succeeded:
        return None
    chosen, told = state.machine.text, step.result.value if step.result else None
    if not chosen:
        return None
    if same_name(told, chosen):
        return True
    return doubt(step) or Broken({**asked(step), "chosen": chosen, "told": told})


def _guid(step: MqacStep) -> Answer:
    told = step.result.value if step.succeeded and step.result else None
    return None if told is None else (True if _GUID.fullmatch(told) else Broken({**asked(step), "told": told}))


def _lists(step: MqacStep) -> Answer:
    if not step.succeeded or step.result is None:
        return None
    return True if step.result.vt in (*TEXTS, *NULLS) else Broken({**asked(step), "told": step.result.type})


def _directory(step: MqacStep) -> Answer:
    told = step.result.value if step.succeeded and step.result else None
    return None if not told else (True if told.startswith("\\") else Broken({**asked(step), "told": told}))


RULES: Final = (
    of_server(
        "mqac-certificate-remote",
        "A certificate was registered by an object that stands for another computer",
        section="3.2.4.2.1",
        requirement="RegisterCertificate of an application object whose Machine was set is answered E_NOTIMPL.",
        members=methods(_APPLICATION, "RegisterCertificate"),
        check=refused(_REMOTE, _OF_CERTIFICATES),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-certificate-flags",
        "A certificate of the client was taken though it was to be kept only if there was none",
        section="3.2.4.2.1",
        requirement="RegisterCertificate with MQCERT_REGISTER_IF_NOT_EXIST and a certificate is answered "
        "MQ_ERROR_INVALID_PARAMETER.",
        members=methods(_APPLICATION, "RegisterCertificate"),
        check=refused(_FLAGS, _OF_CERTIFICATES),
    ),
    of_server(
        "mqac-certificate-kept",
        "A client heard that a certificate is there already, though it had not asked to keep that",
        section="3.2.4.2.1",
        requirement="MQ_INFORMATION_INTERNAL_USER_CERT_EXIST answers only who gave MQCERT_REGISTER_IF_NOT_EXIST and no "
        "certificate.",
        members=methods(_APPLICATION, "RegisterCertificate"),
        check=_there,
    ),
    of_server(
        "mqac-application-local",
        "A version, or whether there is a directory, was told of another computer",
        section="3.2.4.2.3, 3.2.4.2.4, 3.2.4.2.5, 3.2.4.2.6",
        requirement="MSMQVersionMajor, Minor and Build and IsDsEnabled of an application object whose Machine was set "
        "are answered MQ_ERROR_INVALID_PARAMETER.",
        members=gets(_APPLICATION, "MSMQVersionMajor", "MSMQVersionMinor", "MSMQVersionBuild", "IsDsEnabled"),
        check=refused(_LOCAL),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-machine-kept",
        "An application object told another computer than the client had chosen",
        section="3.2.4.3.6, 3.2.4.3.7",
        requirement="Get Machine tells the name that was put last.",
        members=gets(_APPLICATION, "Machine"),
        check=_machine,
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-machine-id",
        "The identifier of a machine was not told as a GUID without braces",
        section="3.2.4.1.1",
        requirement="MachineIdOfMachineName tells a GUID as text, without braces.",
        members=methods(_APPLICATION, "MachineIdOfMachineName"),
        needs=RESPONSE,
        check=_guid,
    ),
    of_server(
        "mqac-queue-lists",
        "Names of queues were not told as an array of strings",
        section="3.2.4.3.1, 3.2.4.3.2",
        requirement="ActiveQueues and PrivateQueues tell an array of strings.",
        members=(*methods(_APPLICATION, "ActiveQueues"), *gets(_APPLICATION, "PrivateQueues")),
        needs=RESPONSE,
        check=_lists,
    ),
    of_server(
        "mqac-directory-server",
        "The directory server was told without backslashes before its name",
        section="3.2.4.3.3",
        requirement="The name that DirectoryServiceServer tells begins with backslashes.",
        members=gets(_APPLICATION, "DirectoryServiceServer"),
        needs=BOTH,
        check=_directory,
    ),
)
