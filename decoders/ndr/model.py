r"""IDL as frozen values: an interface is declared once, everything else is made from the declaration.

What a decoded value looks like in Python, whichever decoder made it:

| declared | value |
|---|---|
| Scalar, Enum | int, or float |
| Guid | lower-case text |
| ContextHandle | its UUID as lower-case text; None for the null handle |
| Struct | dict, one entry a member in declaration order; the arms of an unnamed union stand among them |
| Union | dict with every arm's name; the arm on the wire holds its value, the others None, or are absent if `sparse` |
| EncapsulatedUnion | dict of two entries: the tag, and the union |
| Pointer | the referent's value; None for a null pointer |
| InterfacePointer | the OBJREF as ObjrefBytes; None for a null pointer |
| Array of `byte`, `unsigned char`, or `raw` | bytes; CutBytes where the stub's end was not captured |
| Array of `wchar_t` | str without the null characters at its end: buffers are filled up with them |
| other Array | list |
| String | str without its terminator; a lone surrogate is written as the six characters \udXXX |

A member that could not be reached is None.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping


class CutBytes(bytes):
    """The captured beginning of an array of octets."""


class ObjrefBytes(bytes):
    """A marshaled object reference, [MS-DCOM] 2.2.18: told from other bytes, whose first four may be the same."""


class CutObjref(ObjrefBytes):
    """Its captured beginning."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A base type under the name the IDL uses for it. Aligned by its size in both transfer syntaxes."""

    name: str
    size: int
    signed: bool = False
    floating: bool = False
    character: bool = False
    """Of two bytes: arrays of it are text."""
    range: tuple[int, int] | None = None
    """[range] of the typedef; a member's own stands before it."""
    int3264: bool = False
    """`__int3264`: `size` bytes in NDR64, four in NDR."""


@dataclass(frozen=True, slots=True)
class Enum:
    """16 bits in NDR unless `v1_enum`, always 32 in NDR64: [MS-RPCE] 2.2.4.6, 2.2.5.2."""

    name: str
    members: tuple[tuple[str, int], ...]
    tag: str = ""
    v1_enum: bool = False


@dataclass(frozen=True, slots=True)
class Guid:
    """16 bytes, aligned 4: u32, u16, u16 in the PDU's byte order, then eight bytes."""

    name: str = "GUID"


@dataclass(frozen=True, slots=True)
class ContextHandle:
    """u32 attributes and a UUID, 20 bytes aligned 4 in both syntaxes: [C706] appendix N."""

    name: str


@dataclass(frozen=True, slots=True)
class Named:
    """A type declared elsewhere, possibly around this very member: resolved through Interface.types."""

    name: str


class PointerKind(enum.StrEnum):
    REF = "ref"
    UNIQUE = "unique"
    FULL = "ptr"


@dataclass(frozen=True, slots=True)
class Pointer:
    to: Type
    kind: PointerKind = PointerKind.UNIQUE
    written: bool = False
    """The attribute stands in the IDL; otherwise it follows from where the pointer stands ([MS-RPCE] 2.2.4.9)."""


@dataclass(frozen=True, slots=True)
class Array:
    """Fixed by `bound`; conformant with `size_is`; varying with `length_is`; conformant varying with both."""

    of: Type
    bound: int | None = None
    size_is: str | None = None
    """As the IDL writes it, e.g. `cp` or `*num_ents`: compared with the wire's count, never used in its place."""
    length_is: str | None = None
    raw: bool = False
    """Its value is the elements' bytes as they were sent: what they mean is told elsewhere, and a list costs more."""

    @property
    def conformant(self) -> bool:
        return self.bound is None

    @property
    def varying(self) -> bool:
        return self.length_is is not None


@dataclass(frozen=True, slots=True)
class String:
    """[string]: conformant varying, or varying where `bound` is given. `of` is CHAR or WCHAR."""

    of: Scalar
    bound: int | None = None
    written: bool = True
    """False: peers send a string although the published IDL lacks [string]. As the last parameter of a whole stub in
    which exactly one character is left it is read as the IDL has it."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a structure, an arm of a union or, through Parameter, an argument."""

    name: str
    """Empty for an unnamed union."""
    type: Type
    range: tuple[int, int] | None = None
    switch_is: str | None = None
    payload: bool = False
    """Message bytes: tables hold their size and SHA-256, and the bytes only if the user asks for them."""


@dataclass(frozen=True, slots=True)
class Struct:
    name: str
    """Empty where it is declared in the place of its only use."""
    members: tuple[Member, ...]
    tag: str = ""
    little_endian: bool = False
    """With all it contains, whatever the PDU's byte order: types that [MS-OAUT] marshals as they lie in memory."""


@dataclass(frozen=True, slots=True)
class Arm:
    cases: tuple[int, ...]
    member: Member | None
    labels: tuple[str, ...] = ()
    """The cases as the IDL writes them, where it does not write numbers."""


@dataclass(frozen=True, slots=True)
class Union:
    """Not encapsulated: the discriminant stands in the structure and again before the arm ([MS-RPCE] 2.2.4.8)."""

    name: str
    switch: Scalar | Enum
    arms: tuple[Arm, ...]
    switch_written: bool = False
    """The IDL has [switch_type]."""
    sparse: bool = False
    """Only the arm on the wire stands in its value: for unions with dozens of arms."""
    folded: tuple[int, int] | None = None
    """(flag, mask): a switch_is member that has the flag stands for its bits in the mask only. VARIANT's tag drops the
    type of an array's elements."""

    def expected_tag(self, switch: int) -> int:
        """The tag that belongs to a value of the switch_is member."""
        return switch & self.folded[1] if self.folded and switch & self.folded[0] else switch


@dataclass(frozen=True, slots=True)
class EncapsulatedUnion:
    """`union tag switch(type switch_name) union_name { ... } name`: the discriminant is on the wire once."""

    name: str
    switch_name: str
    union_name: str
    union: Union
    tag: str = ""


@dataclass(frozen=True, slots=True)
class InterfacePointer:
    """A unique pointer to an MInterfacePointer: [MS-DCOM] 2.2.14 and 2.2.16. `IFoo **` is a Pointer to one."""

    name: str
    """Of the interface, as the IDL has it."""
    iid: str | None = None
    """Of the interface; None where the IDL's type says nothing, as in a VARIANT's IUnknown."""
    iid_is: str = ""
    """The parameter that says which interface it is."""


Type: TypeAlias = (
    Scalar
    | Enum
    | Guid
    | ContextHandle
    | Named
    | Pointer
    | InterfacePointer
    | Array
    | String
    | Struct
    | Union
    | EncapsulatedUnion
)


class Direction(enum.Flag):
    IN = enum.auto()
    OUT = enum.auto()


@dataclass(frozen=True, slots=True)
class Parameter:
    """`handle_t` parameters are not on the wire and not declared here."""

    direction: Direction
    member: Member
    const: bool = False
    optional: bool = False
    """A client may leave it out: it then sends a VARIANT that says so."""
    retval: bool = False
    """What the call comes to for a script: Invoke has it in pVarResult."""
    values: Enum | None = None
    """Whose values it has, where the IDL's type is a plain number or a VARIANT."""


class MemberKind(enum.StrEnum):
    """What is done to a member: INVOKEKIND, [MS-OAUT] 2.2.14."""

    METHOD = "method"
    GET = "get"
    PUT = "put"
    PUTREF = "putref"


_PREFIXES = {
    MemberKind.METHOD: "",
    MemberKind.GET: "get_",
    MemberKind.PUT: "put_",
    MemberKind.PUTREF: "putref_",
}


@dataclass(frozen=True, slots=True)
class Automation:
    """How scripts reach an operation by Invoke: [MS-OAUT] 3.1.4.4."""

    member: str
    """As the IDL has it. The operation's own name has get_, put_ or putref_ in front."""
    kind: MemberKind
    dispid: int
    proven: bool = True
    """False: no document that we have tells the number."""

    @property
    def operation(self) -> str:
        return _PREFIXES[self.kind] + self.member


@dataclass(frozen=True, slots=True)
class Operation:
    opnum: int
    name: str
    parameters: tuple[Parameter, ...]
    returns: Scalar | None
    section: str
    """Of the interface's document, e.g. `3.1.4.1`."""
    doc: str
    """What the call does, one sentence of ours."""
    status: str = "return_value"
    """Where the response says how it went: `return_value`, an [out] parameter, or empty where nothing says so."""
    takes_handle_t: bool = True
    """False: a context handle among the parameters, or the call that a callback is made in, says where it goes."""
    automation: Automation | None = None
    """Of an operation of a dual interface."""

    def on_the_wire(self, direction: Direction) -> tuple[Member, ...]:
        """The members of a request (IN) or a response (OUT), the return value last."""
        sent = tuple(parameter.member for parameter in self.parameters if direction in parameter.direction)
        if direction is Direction.OUT and self.returns is not None:
            return (*sent, Member("return_value", self.returns))
        return sent


@dataclass(frozen=True, slots=True)
class Constant:
    name: str
    type: Scalar
    value: int


@dataclass(frozen=True, slots=True)
class Interface:
    name: str
    uuid: str
    version: tuple[int, int]
    document: str
    """Short name of the specification, e.g. `MS-MQQP`."""
    doc: str
    operations: tuple[Operation, ...]
    types: Mapping[str, Type]
    """By name: what Named refers to, and what the rendered IDL declares, in order."""
    binding_handle: str = "hBind"
    """The handle_t parameter's name in the IDL."""
    callbacks: tuple[Operation, ...] = ()
    """[callback]: the server asks, inside a call of the client's. Their opnums are counted apart."""
    constants: tuple[Constant, ...] = ()
    base: str = ""
    """Of a COM interface, the one whose opnums come before its own; empty for all others."""

    @property
    def all_operations(self) -> tuple[Operation, ...]:
        """Callbacks last."""
        return (*self.operations, *self.callbacks)


class Syntax(enum.StrEnum):
    NDR = "ndr"
    NDR64 = "ndr64"
