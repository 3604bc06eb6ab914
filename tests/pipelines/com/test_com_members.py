"""Members by number: where their names come from, what they were called with, and how they failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders.oaut.building import bstr, variant
from decoders.registry import BY_NAME
from tests.builders import com_values as c
from tests.pipelines.com import story as s

if TYPE_CHECKING:
    from pathlib import Path

    from tests.builders.com_talk import ComTalk

UNKNOWN_EXTENSION = "11111111-2222-3333-4444-555555555555"
VT_DISPATCH = 9
OTHER_DUAL = BY_NAME["IMSMQQueueInfo2"].uuid


def invoked_of(folder: Path, talk: ComTalk) -> list[s.Row]:
    local = s.captured(folder, s.activation(), talk)
    assert not local.tables["issues"]
    return [row for row in s.rows(local)[0] if row["via"] == "invoke"]


def test_a_number_that_nobody_told_has_no_name(tmp_path: Path) -> None:
    (call,) = invoked_of(tmp_path, s.executed(s.created(s.exporter())))
    assert (call["member"], call["kind"], call["interface"]) == (None, "method", "IDispatch")


def test_named_by_the_object(tmp_path: Path) -> None:
    talk = s.named(s.named(s.created(s.exporter()), "Quit", 8), "ExecuteShellCommand")
    (call,) = invoked_of(tmp_path, s.executed(talk))
    assert call["member"] == "ExecuteShellCommand"
    assert call["arguments"] == [
        {"name": None, "direction": "in", "type": "VT_BSTR", "value": "calc.exe", "value_name": None},
        {"name": None, "direction": "in", "type": "VT_I4", "value": "7", "value_name": None},
    ], "in the order of the declaration"


def described(talk: ComTalk, operation: str) -> ComTalk:
    """As PowerShell learns members: no GetIDsOfNames at all."""
    info = c.interface(c.objref(c.TYPE_INFO, s.OXID, s.INFO_OID, s.INFO))
    talk.orpc(c.DISPATCH, "GetTypeInfo", s.DISPATCH, {"iTInfo": 0, "lcid": 0}, {"ppTInfo": info})
    talk.bind(c.TYPE_INFO)
    if operation == "GetNames":
        names = [bstr("ExecuteShellCommand"), bstr("Command")]
        asked = {"memid": s.EXECUTE, "cMaxNames": 2}
        return talk.orpc(c.TYPE_INFO, operation, s.INFO, asked, {"rgBstrNames": names, "pcNames": 2})
    texts = {"pBstrName": bstr("ExecuteShellCommand"), "pBstrDocString": bstr(None), "pBstrHelpFile": bstr(None)}
    asked = {"memid": s.EXECUTE, "refPtrFlags": 15}
    return talk.orpc(c.TYPE_INFO, operation, s.INFO, asked, texts | {"pdwHelpContext": 0})


@pytest.mark.parametrize("operation", ["GetNames", "GetDocumentation"])
def test_named_by_its_description(tmp_path: Path, operation: str) -> None:
    talk = described(s.created(s.exporter()), operation)
    (call,) = invoked_of(tmp_path, s.executed(talk))
    assert call["member"] == "ExecuteShellCommand"


def test_objects_of_one_class_share_their_names(tmp_path: Path) -> None:
    talk = s.named(s.created(s.exporter()), "ExecuteShellCommand")
    other, oid = c.ipid(0x20), 0x20
    made = c.pointer(c.objref(c.DISPATCH, s.OXID, oid, other))
    talk.orpc(c.FACTORY, "CreateInstance", s.FACTORY, {"riid": c.DISPATCH}, {"ppUnknown": made})
    talk.orpc(c.DISPATCH, "Invoke", other, c.invoked(s.EXECUTE), c.returned())
    (call,) = invoked_of(tmp_path, talk)
    assert call["member"] == "ExecuteShellCommand"


def test_each_interface_has_numbers_of_its_own(tmp_path: Path) -> None:
    """[MS-OAUT] 3.1.4.3."""
    talk = s.named(s.created(s.exporter()), "ExecuteShellCommand").bind(OTHER_DUAL)
    s.queried(talk, s.OBJECT, OTHER_DUAL, c.ipid(0x30))
    talk.orpc(OTHER_DUAL, "Invoke", c.ipid(0x30), c.invoked(s.EXECUTE), c.returned())
    (call,) = invoked_of(tmp_path, talk)
    assert (call["interface"], call["member"]) == ("IMSMQQueueInfo2", None)


@pytest.mark.parametrize(("status", "member"), [(0x8002_0001, None), (0x8002_0006, "Quit")])
def test_a_number_of_a_refused_question_is_none(tmp_path: Path, status: int, member: str | None) -> None:
    """DISP_E_UNKNOWNNAME has the numbers of names that are known."""
    talk = s.created(s.exporter())
    asked = {"riid": c.NULL, "rgszNames": ["Quit", "x"], "cNames": 2, "lcid": 1033}
    answered = {"rgDispId": [s.EXECUTE, -1], "return_value": status}
    talk.orpc(c.DISPATCH, "GetIDsOfNames", s.DISPATCH, asked, answered)
    (call,) = invoked_of(tmp_path, s.executed(talk))
    assert call["member"] == member


@pytest.mark.parametrize(
    ("flags", "kind"), [(1, "method"), (2, "get"), (3, "method_or_get"), (4, "put"), (8, "putref"), (0, None)]
)
def test_what_was_done_with_it(tmp_path: Path, flags: int, kind: str | None) -> None:
    value = variant(s.VT_BSTR, bstr(".\\private$\\orders"))
    put = c.invoked(3, value, flags=flags, named=(-3,))
    talk = s.named(s.created(s.exporter()), "PathName", 3).orpc(c.DISPATCH, "Invoke", s.DISPATCH, put, c.returned())
    (call,) = invoked_of(tmp_path, talk)
    assert (call["member"], call["kind"]) == ("PathName", kind)
    told = {"name": "DISPID_PROPERTYPUT", "direction": "in", "type": "VT_BSTR", "value": ".\\private$\\orders"}
    assert call["arguments"] == [told | {"value_name": None}]


def test_what_comes_back_by_reference_and_as_the_result(tmp_path: Path) -> None:
    """[MS-OAUT] 3.1.4.4: the argument stands as VT_EMPTY in its place, its value elsewhere, before and after."""
    before, after = (variant(s.VT_I4 | s.BY_REFERENCE, number) for number in (1, 2))
    asked = c.invoked(9, variant(0), variant(s.VT_BSTR, bstr("in")), by_reference={0: before})
    answered = c.returned(variant(s.VT_BSTR, bstr("back")), by_reference=(after,))
    talk = s.created(s.exporter()).orpc(c.DISPATCH, "Invoke", s.DISPATCH, asked, answered)
    (call,) = invoked_of(tmp_path, talk)
    assert [(one["direction"], one["value"]) for one in call["arguments"]] == [("in", "in"), ("in_out", "2")]
    assert call["result"] == "back"


def test_an_object_that_comes_as_the_result(tmp_path: Path) -> None:
    given, oid = c.ipid(0x30), 0x30
    document = variant(VT_DISPATCH, c.interface(c.objref(c.DISPATCH, s.OXID, oid, given)))
    talk = s.created(s.exporter()).orpc(c.DISPATCH, "Invoke", s.DISPATCH, c.invoked(5, flags=2), c.returned(document))
    s.counted(talk, "RemRelease", dispatch=1)
    calls, objects = s.rows(s.captured(tmp_path, s.activation(), talk))
    (call,) = [row for row in calls if row["via"] == "invoke"]
    assert call["result"] == f"IDispatch {given}"
    found = s.by_oid(objects)
    assert found[oid]["parent_object_uid"] == found[s.OBJECT_OID]["object_uid"]
    assert found[oid]["given_by"] == call["call_uid"]
    assert (found[oid]["clsid"], found[oid]["doubt"], found[oid]["calls_made"]) == (None, None, 0)


def test_an_exception_tells_the_methods_own_code(tmp_path: Path) -> None:
    talk = s.executed(
        s.created(s.exporter()),
        status=s.DISP_E_EXCEPTION,
        scode=s.ACCESS_DENIED,
        source="MSMQQueueInfo",
        description="Access is denied.",
    )
    (call,) = invoked_of(tmp_path, talk)
    assert (call["hresult"], call["hresult_name"]) == (s.ACCESS_DENIED, "MQ_ERROR_ACCESS_DENIED")
    assert call["exception"] == "MSMQQueueInfo: Access is denied."


def test_what_stands_in_excepinfo_without_an_exception_means_nothing(tmp_path: Path) -> None:
    (call,) = invoked_of(tmp_path, s.executed(s.created(s.exporter()), scode=s.ACCESS_DENIED, source="old memory"))
    assert (call["hresult"], call["exception"]) == (0, None)


def test_error_information_in_an_extension(tmp_path: Path) -> None:
    """[MS-DCOM] 2.2.21.1. The request has one that nobody listed, which is passed over."""
    talk = s.created(s.exporter())
    this = c.this(extensions=c.extension(UNKNOWN_EXTENSION, b"whatever"))
    that = c.that(extensions=c.error_extension("MSMQ", "The queue is not open."))
    asked = {"riid": c.NULL, "rgszNames": ["Quit"], "cNames": 1, "lcid": 1033}
    answered = {"rgDispId": [-1], "return_value": 0x8002_0006}
    talk.orpc(c.DISPATCH, "GetIDsOfNames", s.DISPATCH, asked, answered, this=this, that=that)
    local = s.captured(tmp_path, s.activation(), talk)
    call = s.rows(local)[0][-1]
    assert call["exception"] == "MSMQ: The queue is not open."
    assert call["hresult_name"] == "DISP_E_UNKNOWNNAME"
    assert call["causality_id"] == c.CAUSALITY
    assert call["arguments"][1]["value"] == "Quit"
    assert not local.tables["issues"]
