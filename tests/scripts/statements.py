"""What a script says, line by line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from tests.scripts.ntlm import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Mapping


class ScriptError(ValueError):
    """Names the line, once it has left the parser or the player, and the word."""


@dataclass(frozen=True, slots=True)
class Bare:
    """A word without quotes: what it means depends on where it stands."""

    text: str


Written: TypeAlias = "Bare | str | tuple[Written, ...]"


@dataclass(frozen=True, slots=True)
class Connect:
    line: int
    name: str = "c"
    client: str = "10.0.0.5"
    server: str = "10.0.0.9"
    port: int | None = None
    interface: str = "qm2qm"
    version: tuple[int, int] | None = None
    syntax: str = "ndr"
    offers: tuple[str, ...] = ()
    """Transfer syntaxes; none: `syntax` alone."""
    features: int | None = None
    """Bits of feature negotiation: [MS-RPCE] 3.3.1.5.3."""
    acks: int | None = None
    """Those that the server answers with; None: it rejects that context like any that it does not know."""
    rejects: int | None = None
    auth: str | None = None
    user: str = "alice"
    domain: str = "CORP"
    workstation: str = "BRANCH7"
    password: str = PASSWORD
    ntlm: str = "v2"
    group: str = "new"
    asks: int | None = None
    grants: int | None = None
    source: int | None = None
    cycle: int | None = None
    midstream: bool = False
    lose: frozenset[str] = frozenset()
    refused: bool = False
    reason: int = 8
    tap: str = ""
    """Where its packets are captured."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the arrow."""

    values: Mapping[str, Written] = field(default_factory=dict)
    lost: bool = False
    none: bool = False
    after_us: int | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    line: int
    connection: str | None
    operation: str
    asked: Side
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    line: int
    label: str
    answered: Side


@dataclass(frozen=True, slots=True)
class Call:
    line: int
    ask: Ask
    answered: Side


@dataclass(frozen=True, slots=True)
class Callback:
    """The server asks inside the call that `ask.label` names."""

    line: int
    ask: Ask
    answered: Side


@dataclass(frozen=True, slots=True)
class Alter:
    """Another interface on a connection that is open."""

    line: int
    name: str | None
    interface: str = "qmcomm"
    version: tuple[int, int] | None = None
    syntax: str = "ndr"
    offers: tuple[str, ...] = ()
    grants: int | None = None
    lose: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The client wants no answer any more: co_cancel asks the server to stop, orphaned does not wait for it."""

    line: int
    label: str
    about: str


@dataclass(frozen=True, slots=True)
class Close:
    line: int
    name: str | None
    by_server: bool = False


@dataclass(frozen=True, slots=True)
class Reset:
    line: int
    name: str | None
    by_server: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    line: int
    us: int


Statement: TypeAlias = Connect | Alter | Call | Ask | Answer | Callback | GiveUp | Close | Reset | Wait
