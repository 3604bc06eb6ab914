"""[MC-MQAC] 3.1.4.2: arguments that a client leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces import INTERFACES
from decoders.oaut.names import VT
from pipelines.rules.model import REQUEST, Broken
from pipelines.rules.mqac.demands import asked, of_client
from pipelines.rules.mqac.every_member import EVERY
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_DISP_E_PARAMNOTFOUND: Final = 0x8002_0004
_OPTIONAL: Final = {
    (interface.name, operation.name): frozenset(one.member.name for one in operation.parameters if one.optional)
    for interface in INTERFACES.values()
    for operation in interface.operations
}
_WITH_OPTIONAL: Final = ("Create", "RegisterCertificate", "Init", "Commit", "Abort", "LookupQueue", "Send")


def _left_out(step: MqacStep) -> Answer:
    """By Invoke an argument has no name; no other than an optional one is VT_ERROR there."""
    errors = [one for one in step.com.arguments if one.direction != "out" and one.vt == VT["VT_ERROR"]]
    if step.com.invoked is None:
        optional = _OPTIONAL.get(step.call.method, frozenset())
        errors = [one for one in errors if one.name in optional]
    if not errors:
        return None
    codes = [(one.number or 0) & 0xFFFF_FFFF for one in errors]
    wrong = [hexadecimal(code) for code in codes if code != _DISP_E_PARAMNOTFOUND]
    return Broken({**asked(step), "scode": ", ".join(wrong)}) if wrong else True


RULES: Final = (
    of_client(
        "mqac-argument-omitted",
        "An argument was left out by another code than the one for that",
        section="3.1.4.2",
        requirement="An optional argument that is not given is VT_ERROR with DISP_E_PARAMNOTFOUND.",
        members=tuple(
            sorted(
                one
                for one in EVERY
                if one.member in _WITH_OPTIONAL or one.member.startswith(("Receive", "Peek", "EnableNotification"))
            )
        ),
        needs=REQUEST,
        check=_left_out,
    ),
)
