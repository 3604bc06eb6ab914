"""What the wire does to COM calls: sealing, byte order, contexts dealt anew, bytes behind the end, other RPC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders.dcom.orpc import write_implicit
from decoders.ndr.model import Direction, Syntax
from tests.builders import com_values as c
from tests.builders.com_talk import ComTalk
from tests.pipelines.com import story as s

if TYPE_CHECKING:
    from pathlib import Path

    from decoders.ndr.interpreter import ByteOrder
    from tests.local import Local

MANAGEMENT = "afa8bd80-7d8a-11c9-bef4-08002b102989"
NOBODYS = "11111111-2222-3333-4444-555555555555"
RPC_E_DISCONNECTED = 0x8001_0108


def test_sealed_calls_keep_their_object_and_nothing_else(tmp_path: Path) -> None:
    talk = s.created(s.exporter()).raw(c.DISPATCH, 6, bytes(64), bytes(48), of=s.DISPATCH, sealed=True)
    local = s.captured(tmp_path, s.activation(), talk)
    calls, objects = s.rows(local)
    made = s.by_oid(objects)[s.OBJECT_OID]
    call = calls[-1]
    assert (call["iid"], call["interface"], call["ipid"]) == (c.DISPATCH, "IDispatch", s.DISPATCH)
    assert (call["object_uid"], call["doubt"], call["outcome"]) == (made["object_uid"], None, "answered")
    assert (call["member"], call["via"]) == ("Invoke", "direct")
    assert (call["arguments"], call["result"], call["hresult"]) == ([], None, None)
    assert (call["causality_id"], call["exception"]) == (None, None)
    (row,) = [row for row in local.tables["calls"] if row["call_uid"] == call["call_uid"]]
    assert (row["encrypted"], row["decode_state"], row["object_uuid"]) == (True, "opaque", s.DISPATCH)
    assert not local.tables["issues"]


@pytest.mark.parametrize("bound", [c.DISPATCH, NOBODYS], ids=["an interface of COM", "nobody's"])
def test_sealed_calls_of_an_interface_nobody_listed_prove_nothing(tmp_path: Path, bound: str) -> None:
    """Whether they are of COM could only their first bytes tell."""
    talk = ComTalk(s.EXPORTER_ENDS).bind(bound).raw(bound, 6, bytes(64), bytes(48), of=s.DISPATCH, sealed=True)
    calls, _ = s.rows(s.captured(tmp_path, talk))
    assert len(calls) == (bound == c.DISPATCH)


def told(local: Local) -> list[list[s.Row]]:
    return [
        [{name: value for name, value in row.items() if name != "capture_id"} for row in rows] for rows in s.rows(local)
    ]


def test_big_endian_says_the_same(tmp_path: Path) -> None:
    orders: tuple[ByteOrder, ByteOrder] = ("<", ">")
    found = []
    for order in orders:
        local = s.captured(tmp_path, s.activation(order=order), s.whole_life(order))
        assert not local.tables["issues"]
        found.append(told(local))
    assert found[0] == found[1]
    assert len(found[0][0]) == 8


def test_parameters_in_ndr64_behind_an_argument_in_ndr(tmp_path: Path) -> None:
    """[MS-DCOM] 2.2.13: ORPCTHIS and ORPCTHAT are NDR whatever was negotiated."""
    found = []
    for syntax in Syntax:
        talk = ComTalk(s.EXPORTER_ENDS, "<", syntax).bind(c.FACTORY, c.REMOTE_UNKNOWN2, c.DISPATCH)
        that = c.that(extensions=c.error_extension("MSMQ", "Not open."))
        asked = {"riid": c.NULL, "rgszNames": ["Quit", "Odd"], "cNames": 2, "lcid": 1033}
        s.counted(s.created(talk), "RemAddRef", dispatch=2)
        talk.orpc(c.DISPATCH, "GetIDsOfNames", s.DISPATCH, asked, {"rgDispId": [8, 0]}, that=that)
        local = s.captured(tmp_path, s.activation(), talk)
        assert not local.tables["issues"]
        assert {row["transfer_syntax"] for row in local.tables["calls"] if row["object_uuid"]} == {str(syntax)}
        calls, objects = s.rows(local)
        found.append([(row["member"], row["arguments"], row["hresult"], row["exception"]) for row in calls])
        assert {oid: row["references_given"] for oid, row in s.by_oid(objects).items()} == {
            None: 0,
            s.FACTORY_OID: 5,
            s.OBJECT_OID: 12,
        }
    assert found[0] == found[1]
    assert found[0][-1][-1] == "MSMQ: Not open."


def test_the_last_acceptance_of_a_context_counts(tmp_path: Path) -> None:
    """As Windows deals them: a refused one, another interface under the same id, then a third."""
    talk = (
        ComTalk(s.EXPORTER_ENDS).bind(c.REMOTE_UNKNOWN2).bind(c.FACTORY, first=1, refused=True).bind(c.FACTORY, first=1)
    )
    s.created(talk)
    talk.bind(c.DISPATCH, first=1)
    s.executed(s.named(talk, "ExecuteShellCommand"))
    local = s.captured(tmp_path, s.activation(), talk)
    calls, _ = s.rows(local)
    assert [(row["interface"], row["member"]) for row in calls] == [
        ("IClassFactory", "CreateInstance"),
        ("IRemUnknown2", "RemQueryInterface"),
        ("IDispatch", "GetIDsOfNames"),
        ("IDispatch", "ExecuteShellCommand"),
    ]
    assert not [row for row in calls if row["doubt"]]


@pytest.mark.parametrize("behind", [bytes(4), b"\xcd" * 12, bytes(range(1, 40))], ids=len)
def test_bytes_of_old_windows_behind_the_last_parameter(tmp_path: Path, behind: bytes) -> None:
    """[MS-DCOM] 3.2.4.2, note 47: they mean nothing, and the HRESULT is not the last four bytes."""
    talk = s.created(s.exporter())
    asked = {"riid": c.NULL, "rgszNames": ["Quit"], "cNames": 1, "lcid": 1033}
    answered = {"rgDispId": [8], "return_value": 1}
    talk.orpc(c.DISPATCH, "GetIDsOfNames", s.DISPATCH, asked, answered, behind=behind)
    local = s.captured(tmp_path, s.activation(), talk)
    call = s.rows(local)[0][-1]
    assert (call["hresult"], call["hresult_name"]) == (1, "S_FALSE")
    assert [one["value"] for one in call["arguments"]] == [c.NULL, "Quit", "1", "1033", "8"]
    assert not local.tables["issues"]
    assert {row["decode_state"] for row in local.tables["calls"]} == {"full"}


def test_native_calls_with_an_object_uuid_are_none_of_com(tmp_path: Path) -> None:
    """The field is everybody's. Not even a stub that begins like ORPCTHIS makes the resolver's interface COM's."""
    this = write_implicit(Direction.IN, c.this(), "<")
    talk = ComTalk(s.EXPORTER_ENDS).bind(MANAGEMENT, version=1).raw(MANAGEMENT, 0, bytes(8), bytes(8), of=s.OBJECT)
    talk.bind(c.RESOLVER).raw(c.RESOLVER, 3, this, bytes(4), of=s.OBJECT)
    local = s.captured(tmp_path, talk)
    assert s.rows(local) == ([], [])
    assert [row["object_uuid"] for row in local.tables["calls"]] == [s.OBJECT] * 2


def test_an_interface_nobody_listed_is_coms_by_its_first_bytes(tmp_path: Path) -> None:
    this = write_implicit(Direction.IN, c.this(), "<")
    talk = ComTalk(s.EXPORTER_ENDS).bind(NOBODYS).raw(NOBODYS, 9, this + bytes(8), bytes(12), of=s.OBJECT)
    talk.raw(NOBODYS, 9, b"\x04" + this[1:], bytes(12), of=s.OBJECT)
    (call,), (one,) = s.rows(s.captured(tmp_path, talk))
    assert (call["iid"], call["interface"], call["member"], call["kind"]) == (NOBODYS, None, None, None)
    assert (call["causality_id"], call["ipid"], call["arguments"]) == (c.CAUSALITY, s.OBJECT, [])
    assert one["interfaces"] == [{"ipid": s.OBJECT, "iid": NOBODYS, "interface": None, "given_by": None}]


def test_a_fault_is_no_answer_of_the_method(tmp_path: Path) -> None:
    """[MS-DCOM] 3.1.1.5.4: an interface that is gone."""
    this = write_implicit(Direction.IN, c.this(), "<")
    talk = s.created(s.exporter()).fault(c.DISPATCH, 3, s.DISPATCH, this, RPC_E_DISCONNECTED)
    local = s.captured(tmp_path, s.activation(), talk)
    call = s.rows(local)[0][-1]
    assert (call["outcome"], call["hresult"], call["member"]) == ("faulted", None, "GetTypeInfoCount")
    (row,) = [row for row in local.tables["calls"] if row["call_uid"] == call["call_uid"]]
    assert (row["fault"], row["fault_name"]) == (RPC_E_DISCONNECTED, "RPC_E_DISCONNECTED")


def test_nobody_answers(tmp_path: Path) -> None:
    talk = s.created(s.exporter()).orpc(c.DISPATCH, "Invoke", s.DISPATCH, c.invoked(s.EXECUTE), None)
    call = s.rows(s.captured(tmp_path, s.activation(), talk))[0][-1]
    assert (call["outcome"], call["hresult"], call["via"]) == ("unanswered", None, "invoke")
