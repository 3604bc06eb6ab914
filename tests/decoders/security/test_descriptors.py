"""Security descriptors that impacket builds and reads, and damaged ones."""

from __future__ import annotations

import struct
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from impacket.ldap import ldaptypes

from decoders.security.descriptors import PROBLEMS, Acl, SecurityDescriptor, parse_descriptor
from decoders.security.queue_access import QUEUE_RIGHTS, queue_rights
from decoders.security.sddl import SID_ALIASES, descriptor_sddl
from tests.decoders.interfaces import specifications
from tests.timing import quickest

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"
OTHER = "11111111-2222-3333-4444-555555555555"
USER = "S-1-5-21-1-2-3-1000"
PRESENT = 0x8014


def sid(text: str) -> ldaptypes.LDAP_SID:
    made = ldaptypes.LDAP_SID()
    made.fromCanonical(text)
    return made


def ace(kind: int, mask: int, who: str, flags: int = 0, *, types: tuple[str, str] = ("", ""), data: bytes = b"") -> Any:  # noqa: ANN401
    made = ldaptypes.ACE()
    made["AceType"], made["AceFlags"] = kind, flags
    inner = ldaptypes.ACE_TYPE_MAP[kind]()
    inner["Mask"] = ldaptypes.ACCESS_MASK()
    inner["Mask"]["Mask"] = mask
    inner["Sid"] = sid(who)
    if "Flags" in [field[0] for field in inner.structure]:
        inner["Flags"] = 0
        for field, value in zip(("ObjectType", "InheritedObjectType"), types, strict=True):
            inner[field] = uuid.UUID(value).bytes_le if value else b""
    if "ApplicationData" in [field[0] for field in inner.structure]:
        inner["ApplicationData"] = data
    made["Ace"] = inner
    return made


def acl(*aces: object) -> Any:  # noqa: ANN401
    made = ldaptypes.ACL()
    made["AclRevision"], made["Sbz1"], made["Sbz2"] = 4, 0, 0
    made.aces = list(aces)
    return made


def built(control: int = PRESENT, owner: str = "", group: str = "", dacl: Any = b"", sacl: Any = b"") -> bytes:  # noqa: ANN401
    made = ldaptypes.SR_SECURITY_DESCRIPTOR()
    made["Revision"], made["Sbz1"], made["Control"] = b"\1", b"\0", control
    made["OwnerSid"], made["GroupSid"] = (sid(owner) if owner else b""), (sid(group) if group else b"")
    made["Dacl"], made["Sacl"] = dacl, sacl
    return bytes(made.getData())


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (built(0x8000), ""),
        (built(0x8000, "S-1-5-32-544", "S-1-5-18"), "O:BAG:SY"),
        (built(0x8000, USER, "S-1-5-21-1-2-3-513"), f"O:{USER}G:S-1-5-21-1-2-3-513"),
        (built(0x8004), "D:NO_ACCESS_CONTROL"),
        (built(0x8004, dacl=acl()), "D:"),
        (built(0x9504, dacl=acl()), "D:PARAI"),
        (built(0xAA10, sacl=acl()), "S:PARAI"),
        (built(0x8004, dacl=acl(ace(0, 0x10000000, "S-1-1-0"))), "D:(A;;GA;;;WD)"),
        (built(0x8004, dacl=acl(ace(1, 0xF0000000, "S-1-5-7"))), "D:(D;;GAGRGWGX;;;AN)"),
        (built(0x8004, dacl=acl(ace(0, 0x000F0000, "S-1-5-11", 0x1F))), "D:(A;OICINPIOID;SDRCWDWO;;;AU)"),
        # Everyone may write messages and read the queue's properties and permissions.
        (built(0x8004, dacl=acl(ace(0, 0x00020024, "S-1-1-0"))), "D:(A;;0x20024;;;WD)"),
        (
            built(0x8014, dacl=acl(ace(0, 0xF003F, USER), ace(0, 4, "S-1-5-7")), sacl=acl(ace(2, 1, "S-1-1-0", 0xC0))),
            f"D:(A;;0xf003f;;;{USER})(A;;0x4;;;AN)S:(AU;SAFA;0x1;;;WD)",
        ),
        (built(0x8004, dacl=acl(ace(5, 0x100, USER, types=(GUID, "")))), f"D:(OA;;0x100;{GUID};;{USER})"),
        (built(0x8004, dacl=acl(ace(6, 0x20000, USER, types=("", OTHER)))), f"D:(OD;;RC;;{OTHER};{USER})"),
        (built(0x8010, sacl=acl(ace(7, 1, USER, 0x40, types=(GUID, OTHER)))), f"S:(OU;SA;0x1;{GUID};{OTHER};{USER})"),
        (built(0x8010, sacl=acl(ace(0x11, 1, "S-1-16-12288"))), "S:(ML;;0x1;;;HI)"),
        (built(0x8010, sacl=acl(ace(0x13, 0, "S-1-17-1"))), "S:(SP;;;;;S-1-17-1)"),
        (built(0x8004, dacl=acl(ace(9, 0x10000000, USER, data=b"artx"))), f"D:(XA;;GA;;;{USER};(#61727478))"),
        (built(0x8004, dacl=acl(ace(0x0C, 1, USER))), f"D:(0x0C;;0x1;;;{USER})"),
    ],
)
def test_sddl(raw: bytes, text: str) -> None:
    assert descriptor_sddl(raw) == (text, ())


KINDS = {0: (0x00, 0x01, 0x05, 0x06, 0x09, 0x0A, 0x0B, 0x0C), 1: (0x02, 0x07, 0x0D, 0x0F, 0x11, 0x12, 0x13)}
SIDS = st.lists(st.integers(0, 0xFFFFFFFF), min_size=1, max_size=15).map(
    lambda parts: "-".join(map(str, ("S-1-5", *parts)))
)
GUIDS = st.just("") | st.uuids().map(str)


def lists(kinds: tuple[int, ...]) -> st.SearchStrategy[Any]:
    entries = st.builds(
        ace,
        st.sampled_from(kinds),
        st.integers(0, 0xFFFFFFFF),
        SIDS,
        st.integers(0, 255),
        types=st.tuples(GUIDS, GUIDS),
        data=st.just(b"") | st.binary(min_size=4, max_size=4),
    )
    return st.lists(entries, max_size=5).map(lambda aces: acl(*aces))


def check_list(ours: Acl | None, theirs: Any) -> None:  # noqa: ANN401
    assert ours is not None
    assert len(ours.aces) == len(theirs.aces)
    for mine, their in zip(ours.aces, theirs.aces, strict=True):
        inner = their["Ace"]
        assert (mine.AceType, mine.AceFlags) == (their["AceType"], their["AceFlags"])
        assert (mine.Mask, mine.Sid) == (inner["Mask"]["Mask"], inner["Sid"].formatCanonical())
        if "ObjectType" in inner.fields:
            types = (inner["ObjectType"], inner["InheritedObjectType"])
            spelled = tuple(str(uuid.UUID(bytes_le=each)) if each else None for each in types)
            assert (mine.ObjectType, mine.InheritedObjectType) == spelled


@given(st.none() | SIDS, st.none() | SIDS, lists(KINDS[0]), lists(KINDS[1]))
def test_impacket_reads_the_same(owner: str | None, group: str | None, dacl: object, sacl: object) -> None:
    raw = built(PRESENT, owner or "", group or "", dacl, sacl)
    ours, theirs = parse_descriptor(raw), ldaptypes.SR_SECURITY_DESCRIPTOR(data=raw)
    assert (ours.problems, ours.owner, ours.group, ours.Control) == ((), owner, group, PRESENT)
    assert theirs["Control"] == PRESENT
    check_list(ours.dacl, theirs["Dacl"])
    check_list(ours.sacl, theirs["Sacl"])
    text, _ = descriptor_sddl(raw)
    assert text.count("(") == text.count(")") >= len(theirs["Dacl"].aces) + len(theirs["Sacl"].aces)


RAW = built(PRESENT, USER, "S-1-5-18", acl(ace(0, 1, USER), ace(5, 2, USER, types=(GUID, OTHER))), acl(ace(2, 1, USER)))


def patched(at: int, raw: bytes) -> SecurityDescriptor:
    return parse_descriptor(RAW[:at] + raw + RAW[at + len(raw) :])


@pytest.mark.parametrize(
    ("code", "descriptor"),
    [
        ("descriptor-cut", parse_descriptor(b"")),
        ("descriptor-cut", parse_descriptor(RAW[:19])),
        ("descriptor-header", patched(0, b"\2")),
        ("descriptor-header", patched(3, b"\0")),
        ("descriptor-sid", patched(4, b"\3\0\0\0")),
        ("descriptor-sid", patched(4, b"\xff\xff\xff\xff")),
        ("descriptor-sid", parse_descriptor(RAW[:-1])),
        ("descriptor-acl", patched(12, b"\4\0\0\0")),
        ("descriptor-acl", patched(16, b"\xff\xff\xff\xff")),
        ("descriptor-acl", patched(20 + 2, b"\xff\xff")),
        ("descriptor-ace", patched(20 + 4, b"\xff\xff")),
        ("descriptor-ace", patched(20 + 8 + 2, b"\0\0")),
        ("descriptor-ace", patched(20 + 8 + 2, b"\x0f\0")),
        ("descriptor-ace", patched(20 + 8 + 2, b"\xff\xff")),
        ("descriptor-ace-type", patched(20 + 8, b"\x14")),
        ("descriptor-sid", patched(20 + 8 + 8, b"\2")),
        (
            "descriptor-problems-omitted",
            parse_descriptor(
                struct.pack("<BxHIIII", 1, 0x8004, 0, 0, 0, 20)
                + struct.pack("<BxHHxx", 2, 8 + 16 * 4_000, 4_000)
                + struct.pack("<BBHIQ", 0, 0, 16, 0, 0) * 4_000
            ),
        ),
    ],
)
def test_damaged(code: str, descriptor: SecurityDescriptor) -> None:
    assert code in [problem.code for problem in descriptor.problems]
    assert len(descriptor.problems) <= 65


def test_every_problem_is_tested() -> None:
    marks = test_damaged.pytestmark  # type: ignore[attr-defined]
    assert {code for mark in marks for code, _ in mark.args[1]} == set(PROBLEMS)


def test_what_is_left_of_a_damaged_descriptor() -> None:
    descriptor = patched(20 + 8, b"\x14")
    assert descriptor.owner == USER
    assert descriptor.sacl is not None
    assert (descriptor.sacl.aces[0].Mask, descriptor.sacl.aces[0].Sid) == (None, None)
    assert descriptor.dacl is not None
    assert [entry.Mask for entry in descriptor.dacl.aces] == [1, 2]
    text, _ = descriptor_sddl(RAW[:20] + RAW[20:28] + b"\x14" + RAW[29:])
    assert "S:(0x14;;;;;;(#" in text


def test_a_list_that_is_not_announced_is_not_read() -> None:
    descriptor = patched(2, b"\0\x80")
    assert (descriptor.sacl, descriptor.dacl, descriptor.null_dacl) == (None, None, False)


def test_cut_at_every_byte() -> None:
    whole = parse_descriptor(RAW)
    assert whole.problems == ()
    for size in range(len(RAW)):
        cut = parse_descriptor(RAW[:size])
        assert cut.problems, size
        assert cut.owner in (None, whole.owner)
        assert cut.group in (None, whole.group)
        assert not cut.null_dacl
        for ours, full in ((cut.sacl, whole.sacl), (cut.dacl, whole.dacl)):
            assert full is not None
            assert ours is None or ours.aces == full.aces[: len(ours.aces)]


@given(st.lists(st.tuples(st.integers(0, len(RAW) - 1), st.integers(0, 7)), max_size=8), st.binary(max_size=60))
def test_flipped_bits_and_any_bytes(flips: list[tuple[int, int]], noise: bytes) -> None:
    damaged = bytearray(RAW)
    for at, bit in flips:
        damaged[at] ^= 1 << bit
    for raw in (bytes(damaged), noise):
        text, problems = descriptor_sddl(raw)
        assert text.isascii()
        assert all(problem.code in PROBLEMS for problem in problems)


@pytest.mark.parametrize("sid_bytes", [bytes(8), bytes([1, 0, 0, 0, 0, 0, 0, 5])])
def test_no_descriptor_takes_long(sid_bytes: bytes) -> None:
    """Two lists of 64 KB, of the shortest entries that there are."""
    body = struct.pack("<BxHHxx", 2, 8 + 16 * 4_095, 4_095) + (struct.pack("<BBHI", 0, 0, 16, 1) + sid_bytes) * 4_095
    raw = struct.pack("<BxHIIII", 1, 0x8014, 0, 0, 20, 20) + body
    _, seconds = quickest(lambda: descriptor_sddl(raw), 0.1)
    assert seconds < 0.1


@pytest.mark.parametrize(
    ("mask", "names"),
    [
        (0, ()),
        (0x3, ("MQSEC_DELETE_MESSAGE", "MQSEC_PEEK_MESSAGE")),
        (
            0x80020024,
            ("MQSEC_WRITE_MESSAGE", "MQSEC_GET_QUEUE_PROPERTIES", "MQSEC_GET_QUEUE_PERMISSIONS", "GENERIC_READ"),
        ),
        (0x000000C1, ("MQSEC_DELETE_MESSAGE", "0x000000C0")),
    ],
)
def test_rights_of_queues(mask: int, names: tuple[str, ...]) -> None:
    assert queue_rights(mask) == names


@given(st.integers(0, 0xFFFFFFFF))
def test_every_bit_is_told_once(mask: int) -> None:
    numbers = {name: bit for bit, name in QUEUE_RIGHTS.items()}
    bits = [numbers.get(name) or int(name, 16) for name in queue_rights(mask)]
    assert sum(bits) == mask


def test_aliases_are_of_one_sid_each() -> None:
    assert len(set(SID_ALIASES.values())) == len(SID_ALIASES)
    assert all(len(alias) == 2 and not sid.startswith("S-1-5-21-") for sid, alias in SID_ALIASES.items())


@specifications.needed
def test_rights_are_the_document_s() -> None:
    section = (
        specifications.text_of("MS-MQMQ").split("### 2.2.24 MQQUEUEACCESSMASK")[-1].split("} MQQUEUEACCESSMASK")[0]
    )
    found = [line.strip(", ").split(" = ") for line in section.splitlines() if " = 0x" in line]
    documented = {int(number, 16): name for name, number in found}
    assert {bit: name for bit, name in QUEUE_RIGHTS.items() if name.startswith("MQSEC_")} == documented
