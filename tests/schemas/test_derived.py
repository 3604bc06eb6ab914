"""Columns of typed tables in people's words."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from decoders.interfaces import INTERFACES, mqmp, mqmq, qmmgmt
from decoders.ndr.model import Direction, Pointer, Type
from schemas.tables.derived import DERIVED
from tests.decoders.msmq.values import queue_format, variant

DIRECT = queue_format(3, m_pDirectID="OS:srv01\\private$\\orders")
NAME = "DIRECT=OS:srv01\\private$\\orders"
Values = dict[str, Any]


def derived(interface: str, operation: str, request: Values, response: Values | None = None) -> Values:
    """By column, as the table would hold it."""
    found = {}
    for one in DERIVED[interface, operation]:
        value = one.of(request, response or {})
        (found[one.column.name],) = pa.array([value], one.column.type).to_pylist()
        assert list(one.problems(value)) == []
    return found


QUEUES = {mqmq.QUEUE_FORMAT, mqmp.OBJECT_FORMAT, qmmgmt.MGMT_OBJECT}
OPERATIONS = {
    (interface.name, operation.name): (interface, operation)
    for interface in INTERFACES.values()
    for operation in interface.all_operations
}


@pytest.mark.parametrize(("interface", "operation"), DERIVED)
def test_operations_are_there_and_nothing_captured_is_nothing_said(interface: str, operation: str) -> None:
    assert (interface, operation) in OPERATIONS
    assert not any(derived(interface, operation, {}, {}).values())


def _behind_pointers(declared: Type) -> Type:
    return _behind_pointers(declared.to) if isinstance(declared, Pointer) else declared


def test_every_queue_and_every_list_of_properties_is_put_in_words() -> None:
    for key, (_, operation) in OPERATIONS.items():
        columns = {one.column.name for one in DERIVED.get(key, ())}
        members = operation.on_the_wire(Direction.IN)
        names = {member.name for member in members}
        types = {_behind_pointers(member.type) for member in members}
        assert not types & QUEUES or "format_name" in columns, key
        assert ({"aProp", "apVar"} <= names) == ("properties" in columns), key
        assert ("dwObjectType" in names and key[0].startswith("dscomm")) <= ("object_type" in columns), key


@pytest.mark.parametrize(
    ("interface", "operation"),
    [
        ("qmcomm", "R_QMOpenRemoteQueue"),
        ("qmcomm", "rpc_QMOpenQueueInternal"),
        ("qmcomm2", "QMSendMessageInternalEx"),
        ("RemoteRead", "R_OpenQueue"),
        ("RemoteRead", "R_QMEnlistRemoteTransaction"),
    ],
)
def test_a_queue_has_its_format_name(interface: str, operation: str) -> None:
    assert derived(interface, operation, {"pQueueFormat": DIRECT})["format_name"] == NAME


def test_a_queue_behind_an_object_too() -> None:
    request = {"pObjectFormat": {"ObjType": 1, "pQueueFormat": DIRECT}}
    assert derived("qmcomm", "R_QMDeleteObject", request)["format_name"] == NAME


def test_a_format_that_is_asked_for_is_that_of_the_answer() -> None:
    unknown = {"pObjectFormat": {"ObjType": 1, "pQueueFormat": queue_format(0)}}
    answer = {"pObjectFormat": {"ObjType": 1, "pQueueFormat": DIRECT}}
    assert derived("qmcomm", "R_QMObjectPathToObjectFormat", unknown, answer)["format_name"] == NAME
    assert derived("qmcomm", "R_QMObjectPathToObjectFormat", answer, {})["format_name"] == NAME


def test_a_name_in_a_buffer_ends_at_its_terminator() -> None:
    found = derived("qmcomm", "rpc_ACHandleToFormatName", {}, {"lpwcsFormatName": f"{NAME}\0what was there before"})
    assert found["format_name"] == NAME


def test_queues_that_a_message_names() -> None:
    send = {"pAdminQueueFormat": DIRECT, "pResponseQueueFormat": None}
    found = derived("qmcomm2", "rpc_ACSendMessageEx", {"ptb": {"old": {"Send": send}}})
    assert found == {"admin_queue": NAME, "response_queue": None}


def test_properties_given() -> None:
    values = [variant("VT_UI1", 1), variant("VT_LPWSTR", "orders"), variant("VT_UI4", 7), variant("VT_UI1", 9)]
    found = derived("qmcomm", "R_QMCreateObjectInternal", {"aProp": [104, 108, 9999, 104], "apVar": values})
    assert [(row["propid"], row["name"], row["vt"], row["text"]) for row in found["properties"]] == [
        (104, "PROPID_Q_JOURNAL", "VT_UI1", "MQ_JOURNAL (1)"),
        (108, "PROPID_Q_LABEL", "VT_LPWSTR", "orders"),
        (9999, None, "VT_UI4", "7"),
        (104, "PROPID_Q_JOURNAL", "VT_UI1", "9"),
    ]


def test_properties_asked_for_have_the_values_of_the_answer() -> None:
    request = {"dwObjectType": 2, "aProp": [220, 203], "apVar": [variant("VT_NULL")] * 2}
    answer = {"apVar": [variant("VT_UI4", 0x400)]}
    found = derived("dscomm2", "S_DSGetPropsEx", request, answer)
    assert found["object_type"] == "MQDS_MACHINE"
    assert [row["text"] for row in found["properties"]] == ["MSMQ_OS_NTS (1024)", None]


def test_a_search_reads_as_a_search() -> None:
    restriction = {
        "cRes": 3,
        "paPropRes": [
            {"rel": 4, "prop": 108, "prval": variant("VT_LPWSTR", "orders")},
            {"rel": 3, "prop": 113, "prval": variant("VT_UI1", 1)},
            {"rel": 77, "prop": 9, "prval": None},
        ],
    }
    request = {
        "pRestriction": restriction,
        "pColumns": {"cCol": 2, "aCol": [101, 9]},
        "pSort": {"cCol": 2, "aCol": [{"propColumn": 103, "dwOrder": 1}, {"propColumn": 101, "dwOrder": 8}]},
    }
    assert derived("dscomm", "S_DSLookupBegin", request) == {
        "restriction": [
            "PROPID_Q_LABEL = orders",
            "PROPID_Q_TRANSACTION >= MQ_TRANSACTIONAL (1)",
            "property 9 relation 77",
        ],
        "columns": ["PROPID_Q_INSTANCE", "property 9"],
        "sort": ["PROPID_Q_PATHNAME descending", "PROPID_Q_INSTANCE in unknown order"],
    }
    everything = {"pRestriction": None, "pColumns": {"cCol": 0, "aCol": None}, "pSort": None}
    assert derived("dscomm", "S_DSLookupBegin", everything) == {"restriction": None, "columns": None, "sort": None}
