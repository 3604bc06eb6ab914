"""Members of MSMQ's objects by number alone: what their type library has, and where it stays silent."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from decoders.oaut.building import bstr, byte_array, variant
from decoders.oaut.names import VT
from decoders.registry import BY_NAME
from pipelines.calls.com_arguments import invoked_arguments
from tests.builders import com_values as c
from tests.pipelines.com import story as s

if TYPE_CHECKING:
    from pathlib import Path

    from tests.builders.com_talk import ComTalk

QUEUE, QUEUE_OID = c.ipid(0x40), 0x40
OPEN, PURGE, RECEIVE, PATH_NAME, CREATE = 0x6002_001B, 0x6002_001E, 0x6002_000D, 3, 0x6002_0019
METHOD, GET, PUT, EITHER = 1, 2, 4, 3
LEFT_OUT = variant(VT["VT_ERROR"], 0x8002_0004)
MANAGEMENT = "39ce96fe-f4c5-4484-a143-4c2d5d324229"
COLLECTION = "f72b9031-2f0c-43e8-924e-e6052cdc493f"


def number(of: int) -> dict[str, Any]:
    return variant(VT["VT_I4"], of)


def text(of: str) -> dict[str, Any]:
    return variant(VT["VT_BSTR"], bstr(of))


def made(talk: ComTalk | None = None) -> ComTalk:
    return s.created(talk or s.exporter())


def invoke(talk: ComTalk, dispid: int, *arguments: Any, of: str = s.DISPATCH, **more: Any) -> ComTalk:  # noqa: ANN401
    result = more.pop("result", None)
    return talk.orpc(c.DISPATCH, "Invoke", of, c.invoked(dispid, *arguments, **more), c.returned(result))


def told(folder: Path, talk: ComTalk, clsid: str = c.QUEUE_INFO) -> tuple[list[s.Row], list[s.Row]]:
    local = s.captured(folder, s.activation(clsid), talk)
    assert not local.tables["issues"]
    calls, objects = s.rows(local)
    return [row for row in calls if row["via"] == "invoke"], objects


def shown(row: s.Row) -> list[tuple[str | None, str | None, str | None]]:
    return [(one["name"], one["value"], one["value_name"]) for one in row["arguments"]]


def test_a_script_that_asked_for_no_name_is_understood(tmp_path: Path) -> None:
    """What Open gives is a queue although its reference says IDispatch: the type library says so."""
    queue = variant(VT["VT_DISPATCH"], c.interface(c.objref(c.DISPATCH, s.OXID, QUEUE_OID, QUEUE)))
    talk = invoke(made(), PATH_NAME, text(".\\private$\\orders"), flags=PUT, named=(-3,))
    invoke(talk, OPEN, number(0), number(0x81), result=queue)
    invoke(talk, PURGE, of=QUEUE)
    invoke(talk, 1, of=QUEUE, flags=GET, result=number(0xA0))
    calls, objects = told(tmp_path, talk)
    assert [(row["member"], row["kind"]) for row in calls] == [
        ("PathName", "put"),
        ("Open", "method"),
        ("Purge", "method"),
        ("Access", "get"),
    ]
    assert shown(calls[0]) == [("bstrPathName", ".\\private$\\orders", None)]
    assert shown(calls[1]) == [
        ("Access", "129", "MQ_RECEIVE_ACCESS|MQ_ADMIN_ACCESS"),
        ("ShareMode", "0", "MQ_DENY_NONE"),
    ]
    assert (calls[3]["result"], calls[3]["result_name"]) == ("160", "MQ_PEEK_ACCESS|MQ_ADMIN_ACCESS")
    assert s.by_oid(objects)[QUEUE_OID]["class"] == "MSMQQueue"
    assert s.by_oid(objects)[QUEUE_OID]["clsid"] is None


@pytest.mark.parametrize(
    ("dispid", "flags", "member", "kind"),
    [(0, EITHER, "QueueGuid", "get"), (PATH_NAME, 12, "PathName", "put"), (CREATE, EITHER, "Create", "method")],
)
def test_what_a_language_leaves_open_the_library_knows(
    tmp_path: Path, dispid: int, flags: int, member: str, kind: str
) -> None:
    (call,), _ = told(tmp_path, invoke(made(), dispid, flags=flags))
    assert (call["member"], call["kind"]) == (member, kind)


@pytest.mark.parametrize("dispid", [4711, -4, -1, -(2**31), 4])
def test_a_number_that_it_lacks_has_no_name(tmp_path: Path, dispid: int) -> None:
    (call,), _ = told(tmp_path, invoke(made(), dispid, number(1)))
    assert (call["member"], call["kind"], shown(call)) == (None, "method", [(None, "1", None)])


@pytest.mark.parametrize("clsid", [MANAGEMENT, COLLECTION])
def test_numbers_that_no_document_tells_are_named_by_the_wire_only(tmp_path: Path, clsid: str) -> None:
    talk = invoke(made(), 0, text("host"))
    invoke(s.named(talk, "INIT" if clsid == MANAGEMENT else "ITEM", 0), 0, text("host"))
    (before, after), _ = told(tmp_path, talk, clsid)
    assert before["member"] is None
    assert after["member"] == ("Init" if clsid == MANAGEMENT else "Item")
    assert shown(after)[0] == ("Machine" if clsid == MANAGEMENT else "Index", "host", None)


def test_the_enumerator_of_a_collection_has_a_number_of_its_own(tmp_path: Path) -> None:
    (call,), _ = told(tmp_path, invoke(made(), -4, flags=EITHER), COLLECTION)
    assert (call["member"], call["kind"]) == ("_NewEnum", "method")


def test_what_the_wire_told_goes_before_what_the_library_has(tmp_path: Path) -> None:
    talk = invoke(s.named(made(), "refresh", PATH_NAME), PATH_NAME)
    (call,), _ = told(tmp_path, talk)
    assert call["member"] == "Refresh"
    talk = invoke(s.named(made(), "Unheard", PATH_NAME), PATH_NAME, number(2))
    (call,), _ = told(tmp_path, talk)
    assert (call["member"], shown(call)) == ("Unheard", [(None, "2", None)])


def test_named_arguments_are_places_or_what_the_wire_told(tmp_path: Path) -> None:
    """[MS-OAUT] 3.1.4.3: mostly the place; 3.1.4.4: they stand in front, each with its number."""
    talk = invoke(made(), CREATE, variant(VT["VT_BOOL"], -1), named=(1,))
    asked = {"riid": c.NULL, "rgszNames": ["Create", "isworldreadable"], "cNames": 2, "lcid": 1033}
    talk.orpc(c.DISPATCH, "GetIDsOfNames", s.DISPATCH, asked, {"rgDispId": [CREATE, 77]})
    invoke(talk, CREATE, variant(VT["VT_BOOL"], 0), variant(VT["VT_BOOL"], -1), named=(77,))
    (first, second), _ = told(tmp_path, talk)
    assert shown(first) == [("IsTransactional", None, None), ("IsWorldReadable", "true", None)]
    assert shown(second) == [("IsTransactional", "true", None), ("IsWorldReadable", "false", None)]


def test_what_is_left_out_has_no_value(tmp_path: Path) -> None:
    talk = invoke(made(), CREATE, variant(VT["VT_BOOL"], -1), LEFT_OUT)
    invoke(talk, CREATE)
    (first, second), _ = told(tmp_path, talk)
    assert shown(first) == [("IsTransactional", None, None), ("IsWorldReadable", "true", None)]
    assert [one["type"] for one in first["arguments"]] == ["VT_ERROR", "VT_BOOL"]
    assert shown(second) == [("IsTransactional", None, None), ("IsWorldReadable", None, None)]


def test_more_than_was_declared_stays_without_a_name(tmp_path: Path) -> None:
    talk = invoke(made(), OPEN, *(number(of) for of in range(100)))
    invoke(talk, OPEN, number(1), number(2), number(3), named=(0, 0, 2**31 - 1))
    (first, second), _ = told(tmp_path, talk)
    assert len(first["arguments"]) == 64
    assert shown(first)[:3] == [("Access", "99", None), ("ShareMode", "98", None), (None, "97", None)]
    assert shown(second) == [
        ("Access", "2", "MQ_SEND_ACCESS"),
        ("ShareMode", None, None),
        (None, "3", None),
        (None, "1", None),
    ]


def test_arguments_that_were_not_captured_leave_their_places() -> None:
    """Rgvarg begins with the last one."""
    found = invoked_arguments({"pDispParams": {"rgvarg": [number(3)], "cArgs": 3}}, {})
    assert [(one.type, one.value) for one in found] == [("", None), ("", None), ("VT_I4", "3")]
    hostile = invoked_arguments({"pDispParams": {"rgvarg": None, "cArgs": 2**32 - 1}}, {})
    assert len(hostile) == 64


MESSAGE = "d7d6e075-dccd-11d0-aa4b-0060970debae"


@pytest.mark.parametrize("body", ["secret", b"secret"])
def test_a_body_is_told_by_size_and_hash(tmp_path: Path, body: str | bytes) -> None:
    """By Invoke as by its own opnum: its bytes are nobody's business unless somebody asks for them."""
    iid, ipid = BY_NAME["IMSMQMessage4"].uuid, c.ipid(0x30)
    made_of = text(body) if isinstance(body, str) else byte_array(body)
    data = body.encode("utf-16-le") if isinstance(body, str) else body
    talk = made(s.exporter(also=(iid,)))
    s.queried(talk, s.OBJECT, iid, ipid)
    talk.orpc(iid, "put_Body", ipid, {"varBody": made_of}, {})
    talk.orpc(iid, "get_Body", ipid, {}, {"pvarBody": made_of})
    invoke(talk, 0, made_of, flags=PUT, named=(-3,))
    invoke(talk, 0, flags=GET, result=made_of)
    calls, _ = s.rows(s.captured(tmp_path, s.activation(MESSAGE), talk))
    shown_as = f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}"
    bodies = [row for row in calls if row["member"] == "Body"]
    assert [(row["kind"], row["via"]) for row in bodies] == [
        ("put", "direct"),
        ("get", "direct"),
        ("put", "invoke"),
        ("get", "invoke"),
    ]
    assert [row["result"] for row in bodies] == [None, shown_as, None, shown_as]
    assert [shown(row) for row in bodies] == [[("varBody", shown_as, None)], [], [("varBody", shown_as, None)], []]


def test_an_event_comes_by_number(tmp_path: Path) -> None:
    """[MC-MQAC] section 6: the sink is declared for Invoke alone."""
    sink, ipid = BY_NAME["_DMSMQEventEvents"].uuid, c.ipid(0x50)
    talk = made(s.exporter(also=(sink,)))
    s.queried(talk, s.OBJECT, sink, ipid)
    queue = variant(VT["VT_DISPATCH"], c.interface(c.objref(c.DISPATCH, s.OXID, QUEUE_OID, QUEUE)))
    talk.orpc(sink, "Invoke", ipid, c.invoked(1, number(2), number(-1072824293), queue), c.returned())
    (call,), _ = told(tmp_path, talk)
    assert (call["member"], call["kind"], call["interface"]) == ("ArrivedError", "method", "_DMSMQEventEvents")
    assert shown(call) == [
        ("Queue", f"IDispatch {QUEUE}", None),
        ("ErrorCode", "-1072824293", None),
        ("Cursor", "2", "MQMSG_NEXT"),
    ]


def test_errors_of_msmq_have_names(tmp_path: Path) -> None:
    iid = BY_NAME["IMSMQQueueInfo4"].uuid
    talk = made(s.exporter(also=(iid,)))
    s.queried(talk, s.OBJECT, iid, c.ipid(0x30))
    for code in (0xC00E_0003, 0x400E_0006):
        asked = {"Access": 1, "ShareMode": 0}
        talk.orpc(iid, "Open", c.ipid(0x30), asked, {"ppq": None, "return_value": code})
    local = s.captured(tmp_path, s.activation(c.QUEUE_INFO), talk)
    names = [row["hresult_name"] for row in s.rows(local)[0] if row["iid"] == iid]
    assert names == ["MQ_ERROR_QUEUE_NOT_FOUND", "MQ_INFORMATION_OPERATION_PENDING"]
