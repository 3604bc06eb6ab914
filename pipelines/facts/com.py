"""What a call of DCOM says beside its values: of which object it is, and which objects it hands on."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

Direction: TypeAlias = Literal["in", "out", "in_out"]
Kind: TypeAlias = Literal["method", "get", "put", "putref", "method_or_get"]
About: TypeAlias = Literal["objref", "iid", "blob", "properties", "results", "bindings", "bstr", "safearray"]


class _Part(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    pass


class Argument(_Part, frozen=True):
    name: str | None
    direction: Direction
    type: str
    value: str | None


class Reference(_Part, frozen=True, kw_only=True):
    """An OBJREF that travels: [MS-DCOM] 2.2.18. Of an object by value there is none."""

    given: bool
    """By the server, in an answer; otherwise by the client, in a request."""
    iid: str
    oxid: int
    oid: int
    ipid: str
    public_refs: int = 0
    flags: int = 0
    clsid: str | None = None
    """Class of the object, where an activation says so."""
    resolvers: tuple[str, ...] = ()
    """Addresses of the host that the object is at; none of one that a server gives of itself. Names stand there too."""


class Exporter(_Part, frozen=True, kw_only=True):
    """What an object resolver says of a server process: [MS-DCOM] 3.1.2.5.1.4, 2.2.22.2.8.1."""

    oxid: int
    remote_unknown: str
    """IPID."""
    bindings: tuple[tuple[str, int], ...] = ()
    """Hosts as they stand there, names or addresses, and TCP ports."""
    principal: str | None = None
    version: tuple[int, int] | None = None
    """COMVERSION of the process; ResolveOxid does not tell it."""


class Activation(_Part, frozen=True, kw_only=True):
    """What was asked of a resolver: [MS-DCOM] 3.1.2.5.2."""

    clsid: str | None = None
    iids: tuple[str, ...] = ()
    server_name: str | None = None
    """As the client typed it."""
    factory: bool = False
    """A class factory, not an object."""


class Counted(_Part, frozen=True, kw_only=True):
    """References that a client takes or gives back: REMINTERFACEREF, [MS-DCOM] 2.2.23."""

    ipid: str
    public_refs: int
    private_refs: int = 0


class Invoked(_Part, frozen=True, kw_only=True):
    """[MS-OAUT] 3.1.4.4."""

    dispid: int
    flags: int
    named: int = 0
    cut: bool = False
    """How many arguments there are was not captured."""


class Checked(_Part, frozen=True, kw_only=True):
    """Parts of one kind that a request or an answer holds, looked at where all their bytes are at hand."""

    about: About
    given: bool
    """By the server, in an answer; otherwise by the client, in a request."""
    problems: tuple[str, ...] = ()
    """None: all of them are as they should be."""


class Com(_Part, frozen=True, kw_only=True):
    iid: str
    """Empty where no bind tells it."""
    version: str = "0.0"
    """Of the interface, as it was bound."""
    object: str | None = None
    """IPID that the call is made on; None of calls of the object resolver, which are native RPC."""
    cid: str | None = None
    """Causality id; None where the beginning of the request was not read."""
    major: int | None = None
    minor: int | None = None
    flags: int = 0
    """Of ORPCTHIS."""
    arguments: tuple[Argument, ...] = ()
    result: str | None = None
    references: tuple[Reference, ...] = ()
    exporters: tuple[Exporter, ...] = ()
    activation: Activation | None = None
    counted: tuple[Counted, ...] = ()
    names: tuple[str, ...] = ()
    """GetIDsOfNames, GetNames: names in the order of `dispids`."""
    dispids: tuple[int, ...] = ()
    invoked: Invoked | None = None
    exception: str | None = None
    """EXCEPINFO or the error information of an extension, in a sentence."""
    scode: int | None = None
    checked: tuple[Checked, ...] = ()
