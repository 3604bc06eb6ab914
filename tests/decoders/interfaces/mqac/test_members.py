"""One meaning, whichever revision, opnum, number or name a call of MSMQ's objects comes by: [MC-MQAC] section 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders.dcom.classes import MSMQ_CLASSES
from decoders.interfaces.mqac import INTERFACES
from decoders.interfaces.mqac.members import Meaning, by_dispid, by_name, by_opnum, interface_of_class
from decoders.ndr.model import MemberKind
from decoders.registry import BY_NAME

if TYPE_CHECKING:
    from decoders.ndr.model import Interface

METHOD, GET, PUT, PUTREF = MemberKind.METHOD, MemberKind.GET, MemberKind.PUT, MemberKind.PUTREF
DUAL = [one for one in INTERFACES if one.name != "ITransaction"]
FLAGS = {METHOD: 1, GET: 2, PUT: 4, PUTREF: 8}


def iid(name: str) -> str:
    return BY_NAME[name].uuid


@pytest.mark.parametrize("interface", ["IMSMQQueue3", "IMSMQQueue4"])
def test_a_purge_is_a_purge(interface: str) -> None:
    meant = Meaning("MSMQQueue", "Purge", METHOD)
    told = [
        by_opnum(iid(interface), 37),
        by_dispid(iid(interface), 0x6002001E, 1),
        by_dispid(iid(interface), 0x6002001E, 3),
        by_name(iid(interface), "pURGE", 1),
    ]
    assert [one.meaning if one else None for one in told] == [meant] * 4


def test_the_first_revisions_cannot_purge() -> None:
    for name in ("IMSMQQueue", "IMSMQQueue2"):
        assert by_opnum(iid(name), 37) is by_dispid(iid(name), 0x6002001E, 1) is by_name(iid(name), "Purge", 1) is None


@pytest.mark.parametrize(
    ("interface", "opnum", "name"), [("", 13, "Receive"), ("4", 13, "Receive_v1"), ("4", 20, "Receive")]
)
def test_a_receive_is_a_receive(interface: str, opnum: int, name: str) -> None:
    found = by_opnum(iid(f"IMSMQQueue{interface}"), opnum)
    assert found
    assert (found.meaning, found.automation.member) == (Meaning("MSMQQueue", "Receive", METHOD), name)


@pytest.mark.parametrize("interface", DUAL, ids=lambda interface: interface.name)
def test_each_member_is_found_by_opnum_name_and_proven_number(interface: Interface) -> None:
    for operation in interface.operations:
        automation, uuid = operation.automation, interface.uuid
        assert automation
        found = by_opnum(uuid, operation.opnum)
        assert found
        assert found.operation is operation
        assert by_name(uuid, automation.member, FLAGS[automation.kind]) == found
        told = by_dispid(uuid, automation.dispid, FLAGS[automation.kind])
        assert told == (found if automation.proven else None)


@pytest.mark.parametrize("interface", DUAL, ids=lambda interface: interface.name)
def test_revisions_have_one_meaning_for_an_opnum(interface: Interface) -> None:
    newest = interface_of_class(interface.name.removeprefix("I").rstrip("234")) or interface.uuid
    for operation in interface.operations:
        assert _meaning(interface.uuid, operation.opnum) == _meaning(newest, operation.opnum)
        assert _meaning(interface.uuid, operation.opnum)


def _meaning(uuid: str, opnum: int) -> Meaning | None:
    found = by_opnum(uuid, opnum)
    return found.meaning if found else None


def test_what_is_inherited_is_the_bases() -> None:
    told = by_opnum(iid("IMSMQOutgoingQueueManagement"), 8)
    assert told
    assert told.meaning == Meaning("MSMQManagement", "FormatName", GET)
    assert _meaning(iid("IMSMQApplication3"), 7) == Meaning("MSMQApplication", "MachineIdOfMachineName", METHOD)
    assert _meaning(iid("IMSMQEvent3"), 7) == Meaning("MSMQEvent", "Properties", GET)


def test_numbers_that_nobody_proves_name_nothing() -> None:
    """[MS-OAUT] 2.2.32.1 has -4 for _NewEnum; the rest of a collection's are hearsay."""
    collection = iid("IMSMQCollection")
    assert by_dispid(collection, 0, 3) is None
    assert by_dispid(iid("IMSMQManagement"), 0, 1) is None
    told = by_dispid(collection, -4, 1)
    assert told
    assert told.meaning.member == "_NewEnum"


def test_the_default_member_and_one_that_there_is_not() -> None:
    """[MS-OAUT] 2.2.32.1: 0 is the default."""
    body = by_dispid(iid("IMSMQMessage4"), 0, 2)
    assert body
    assert body.meaning == Meaning("MSMQMessage", "Body", GET)
    assert by_dispid(iid("IMSMQMessage4"), 4711, 3) is by_dispid(iid("IMSMQMessage4"), -4, 3) is None
    assert by_dispid("00000000-0000-0000-0000-000000000000", 0, 3) is None


@pytest.mark.parametrize(
    ("flags", "kind"), [(2, GET), (3, GET), (1, GET), (4, PUT), (8, PUT), (12, PUT), (0, None), (0x10, None)]
)
def test_kinds_stand_for_each_other_where_a_script_cannot_know(flags: int, kind: MemberKind | None) -> None:
    found = by_dispid(iid("IMSMQMessage4"), 12, flags)
    assert (found.meaning.kind if found else None) == kind
    info = by_dispid(iid("IMSMQMessage4"), 44, 4)
    assert info
    assert info.meaning.kind == PUTREF


def test_default_interfaces_are_the_newest() -> None:
    assert interface_of_class("MSMQQueue") == iid("IMSMQQueue4")
    assert interface_of_class("MSMQApplication") == iid("IMSMQApplication3")
    assert interface_of_class("MSMQCollection") == iid("IMSMQCollection")
    assert interface_of_class("Excel.Application") is None
    assert {interface_of_class(name) for name in MSMQ_CLASSES.values()} <= {one.uuid for one in INTERFACES}
