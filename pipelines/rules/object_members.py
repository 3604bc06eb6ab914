"""Members of MSMQ's objects, and calls of them as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.interfaces.mqac.members import Meaning
from decoders.ndr.model import MemberKind
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from pipelines.mqac.steps import MqacStep

_WORDS: Final = {
    MemberKind.METHOD: "",
    MemberKind.GET: "get ",
    MemberKind.PUT: "put ",
    MemberKind.PUTREF: "put ",
}


def methods(cls: str, *names: str) -> tuple[Meaning, ...]:
    return tuple(Meaning(cls, name, MemberKind.METHOD) for name in names)


def gets(cls: str, *names: str) -> tuple[Meaning, ...]:
    return tuple(Meaning(cls, name, MemberKind.GET) for name in names)


def puts(cls: str, *names: str) -> tuple[Meaning, ...]:
    return tuple(Meaning(cls, name, MemberKind.PUT) for name in names)


def asked(step: MqacStep) -> dict[str, Any]:
    """The call as people read it: its member and what was given."""
    given = {name: one.value for name, one in step.arguments.items()}
    return {"member": f"{_WORDS[step.member.kind]}{step.member.object_class}.{step.member.member}", **given}


def answered(step: MqacStep) -> dict[str, Any]:
    return {**asked(step), "answer": code_shown(step.code)}
