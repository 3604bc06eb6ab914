"""What a call of MSMQ's objects means, whichever revision of an interface it comes by and however it is made.

A Purge is a Purge by IMSMQQueue3 or IMSMQQueue4, by its opnum or by Invoke:

    by_opnum(iid, 37)                              of a call by its own number
    by_dispid(iid, 0x6002001E, DISPATCH_METHOD)    of Invoke, by the type library
    by_name(iid, "purge", DISPATCH_METHOD)         of Invoke, by what GetIDsOfNames told

give a Member, whose `meaning` is ("MSMQQueue", "Purge", method) each time and whose `operation` is the slot with its
parameters. None: the interface has no such member, or nobody knows its number. An object that is called by IDispatch
alone has the members of its class: `interface_of_class("MSMQQueue")` is the one to ask then.

The class is that of the interface which declares the member: FormatName is MSMQManagement's also where it is asked of
an MSMQOutgoingQueueManagement. Names lose what sets revisions apart: Receive_v1 is Receive, IsOpen2 is IsOpen.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.interfaces.mqac import INTERFACES
from decoders.ndr.model import MemberKind
from decoders.registry import REGISTRY, lineage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoders.ndr.model import Automation, Operation


class Meaning(NamedTuple):
    object_class: str
    member: str
    kind: MemberKind


class Member(NamedTuple):
    meaning: Meaning
    operation: Operation
    automation: Automation
    """The operation's: its name in this revision, and its DISPID."""


_DECLARED: Final = {interface.name: interface for interface in INTERFACES}
_REVISIONS: Final = ("4", "3", "2", "")
_OLD: Final = re.compile(r"_v[12]$|2$")
"""No member has a name of its own that ends so."""
_CLASSES: Final = {
    "IMSMQPrivateDestination": "MSMQDestination",
    "IMSMQPrivateEvent": "MSMQEvent",
    "_DMSMQEventEvents": "MSMQEvent",
}
"""[MC-MQAC] section 6: whose coclass is not named as they are."""
_BITS: Final[Mapping[MemberKind, int]] = {
    MemberKind.METHOD: 1,
    MemberKind.GET: 2,
    MemberKind.PUT: 4,
    MemberKind.PUTREF: 8,
}
_READS: Final = 1 | 2
"""A script language that cannot know sends both, or the one for the other: a member is never both."""
_WRITES: Final = 4 | 8


def by_opnum(iid: str, opnum: int) -> Member | None:
    return next((one for one in _members(iid) if one.operation.opnum == opnum), None)


def by_operation(iid: str, name: str) -> Member | None:
    """By the operation's name, as `calls` has it."""
    return next((one for one in _members(iid) if one.operation.name == name), None)


def by_dispid(iid: str, dispid: int, flags: int) -> Member | None:
    """`flags`: dwFlags of Invoke. Numbers that no document tells are not taken for known."""
    return _chosen([one for one in _members(iid) if one.automation.dispid == dispid and one.automation.proven], flags)


def by_name(iid: str, name: str, flags: int) -> Member | None:
    """[MS-OAUT] 3.1.4.3: upper and lower case are the same."""
    return _chosen([one for one in _members(iid) if one.automation.member.lower() == name.lower()], flags)


@cache
def interface_of_class(object_class: str) -> str | None:
    """UUID of its default interface, which is the newest revision; None: no class of MSMQ's."""
    names = (f"I{object_class}{revision}" for revision in _REVISIONS)
    return next((_DECLARED[name].uuid for name in names if name in _DECLARED), None)


def class_of_interface(name: str) -> str:
    return _CLASSES.get(name) or name.removeprefix("I").rstrip("234")


@cache
def _members(iid: str) -> tuple[Member, ...]:
    """Those of its bases too."""
    known = REGISTRY.get(iid)
    named = lineage(known.name) if known is not None else ()
    return tuple(one for name in named if name in _DECLARED for one in _own(name))


def _own(interface: str) -> Iterator[Member]:
    for operation in _DECLARED[interface].operations:
        if (automation := operation.automation) is not None:
            name = _OLD.sub("", automation.member)
            yield Member(Meaning(class_of_interface(interface), name, automation.kind), operation, automation)


def _chosen(found: list[Member], flags: int) -> Member | None:
    """The kind that was asked for goes before one that stands for it."""
    meant = flags | (_READS if flags & _READS else 0) | (_WRITES if flags & _WRITES else 0)
    for wanted in (flags, meant):
        for one in found:
            if _BITS[one.meaning.kind] & wanted:
                return one
    return None
