"""[MS-DCOM] 2.1, 2.2.13.3, 3.1.1.5.8: how a call of an object begins, and which operations travel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcom.classes import COM_INTERFACES, com_interface_name
from decoders.registry import DCOM, REGISTRY
from pipelines.rules.com_duties import of_client, of_server
from pipelines.rules.model import BOTH, OPERATION, Broken
from pipelines.rules.shown import code_shown, hexadecimal

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer

_LOCAL: Final = range(3)
"""Opnums of QueryInterface, AddRef and Release."""
_ACTIVATOR: Final = "IRemoteSCMActivator"
_VERSION: Final = "0.0"


def _is_known(iid: str) -> bool:
    """To be COM's: others are taken for it by the look of their requests."""
    return iid in COM_INTERFACES or (iid in REGISTRY and REGISTRY[iid].family in DCOM)


def _bound_version(step: ComStep) -> Answer:
    if not _is_known(step.com.iid):
        return None
    if step.com.version == _VERSION:
        return True
    return Broken({"interface": com_interface_name(step.com.iid), "version": step.com.version})


def _flags(step: ComStep) -> Answer:
    if step.com.object is None or step.com.cid is None:
        # Activations may have any flags; of a header that was not read none are known.
        return None
    return Broken({"flags": hexadecimal(step.com.flags)}) if step.com.flags else True


def _flags_refused(step: ComStep) -> Answer:
    if not isinstance(_flags(step), Broken):
        return None
    if not step.succeeded:
        return True
    return Broken({"flags": hexadecimal(step.com.flags), "answer": code_shown(step.code)})


def _local_operation(step: ComStep) -> Answer:
    if step.call.opnum is None or (step.com.object is None and step.call.endpoint != _ACTIVATOR):
        return None
    if step.com.object is not None and not _is_known(step.com.iid):
        return None
    if step.call.opnum not in _LOCAL:
        return True
    return Broken({"interface": com_interface_name(step.com.iid), "opnum": step.call.opnum})


RULES: Final = (
    of_client(
        "dcom-interface-version",
        "An interface of COM was bound in another version than 0.0",
        document="MS-DCOM",
        section="2.1",
        requirement="Every interface of COM, of objects and of the object resolver, is called as version 0.0.",
        needs=OPERATION,
        check=_bound_version,
    ),
    of_client(
        "dcom-orpcthis-flags",
        "A call of an object began with flags",
        document="MS-DCOM",
        section="2.2.13.3",
        requirement="The flags of ORPCTHIS are 0 in calls of objects. In activations they mean nothing.",
        needs=OPERATION,
        check=_flags,
    ),
    of_server(
        "dcom-orpcthis-flags-refused",
        "A call of an object that began with flags succeeded",
        document="MS-DCOM",
        section="3.1.1.5.4",
        requirement="A server answers a call whose ORPCTHIS has flags with RPC_E_INVALID_HEADER.",
        needs=BOTH,
        check=_flags_refused,
    ),
    of_client(
        "dcom-local-opnums",
        "An operation of IUnknown was sent",
        document="MS-DCOM",
        section="3.1.1.5.8, 3.1.2.5.2.2",
        requirement="Operations 0 to 2 of objects and of IRemoteSCMActivator are for local use and are not sent.",
        keyword="MUST NOT",
        needs=OPERATION,
        check=_local_operation,
    ),
)
