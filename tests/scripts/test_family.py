"""Scripts over all of MSMQ's interfaces, and what the decoders make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from decoders.dcerpc.well_known import MSMQ
from decoders.msmq.message import Section, facts_of, from_sections
from tests.local import Local
from tests.scripts.defaults import RECIPES
from tests.scripts.identities import APPLICATION, LICENCE
from tests.scripts.messages import SENT, SOURCE, body, sections
from tests.scripts.player import capture
from tests.scripts.tape import START_US
from tests.scripts.typed_rows import typed
from tests.scripts.words import BY_NAME, handle, unit_of_work

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
ORDERS = "hq\\private$\\orders"
ARRIVED = START_US // 1_000_000 - 60


@pytest.mark.parametrize("interface", sorted(MSMQ.values()))
def test_every_operation_has_a_recipe(interface: str) -> None:
    declared = {operation.name for operation in BY_NAME[interface].all_operations}
    assert declared == {name for name, (spoken_by, _) in RECIPES.items() if spoken_by == interface}


@pytest.mark.parametrize(
    ("call", "request_has", "response_has"),
    [
        (
            "R_QMOpenRemoteQueue dwMQS=0x200 -> phQueue=9 pphContext=P1",
            {"dwMQS": 0x200, "dwDesiredAccess": 1, "pLicGuid": APPLICATION},
            {"pphContext": handle("P1"), "phQueue": 9, "dwpQueue": 9, "pdwContext": 9},
        ),
        (
            "R_QMOpenRemoteQueue pQueueFormat=null -> status=MQ_ERROR_QUEUE_NOT_FOUND",
            {"pQueueFormat": None},
            {"pphContext": None, "phQueue": 0, "dwpQueue": 0, "pdwContext": 0, "return_value": 0xC00E0003},
        ),
        (
            "rpc_QMOpenQueueInternal hRemoteQueue=9",
            {"hRemoteQueue": 9, "dwpQueue": 9, "dwpRemoteContext": 9, "lplpRemoteQueueName": None},
            {"phQueue": handle("Q"), "pdwQMContext": 5, "lplpRemoteQueueName": None},
        ),
        (
            f'rpc_QMOpenQueueInternal dwDesiredAccess=MQ_PEEK_ACCESS|MQ_ADMIN_ACCESS -> lplpRemoteQueueName="{ORDERS}"',
            {"dwDesiredAccess": 0xA0, "hRemoteQueue": 0},
            {"phQueue": None, "pdwQMContext": 0, "lplpRemoteQueueName": ORDERS},
        ),
        ("rpc_QMOpenQueueInternal -> status=MQ_ERROR_ACCESS_DENIED", {}, {"phQueue": None, "pdwQMContext": 0}),
        ("R_QMGetRTQMServerPort fIP=1", {"fIP": 1}, {"return_value": 2105}),
        ("R_QMQueryQMRegistryInternal dwQueryType=4", {"dwQueryType": 4}, {"lplpMQISServer": LICENCE}),
        (
            "rpc_ACHandleToFormatName dwFormatNameRPCBufferLen=40",
            {"dwFormatNameRPCBufferLen": 40, "lpwcsFormatName": "", "pdwLength": 40},
            {"lpwcsFormatName": f"DIRECT=OS:{ORDERS}", "pdwLength": 29},
        ),
        ("R_QMEnlistInternalTransaction -> status=MQ_ERROR_TRANSACTION_SEQUENCE", {}, {"phIntXact": None}),
        ("R_QMCommitTransaction phIntXact=X1", {"phIntXact": handle("X1")}, {"phIntXact": None}),
        ("R_OpenQueue dwAccess=MQ_PEEK_ACCESS", {"dwAccess": 0x20, "Major": 6}, {"pphContext": handle("RR")}),
        ("R_OpenQueueForMove", {"dwAccess": 4}, {"pphContext": handle("MV"), "pMoveContext": 0x7001}),
        ("R_EndReceive dwAck=RR_NACK", {"dwAck": 1, "dwRequestId": 1}, {"return_value": 0}),
        ("S_DSGetServerPort", {"fIP": 1}, {"return_value": 2101}),
        ("S_DSCreateObject dwObjectType=MQDS_MACHINE", {"dwObjectType": 2}, {"pObjGuid": handle("orders")}),
        ("S_DSCreateObject pObjGuid=null", {"pObjGuid": None}, {"pObjGuid": None}),
        ("S_DSValidateServer -> status=MQ_ERROR_DS_ERROR", {"dwClientBuffSize": 40}, {"pphServerAuth": None}),
        (
            "S_DSGetComputerSites -> ppguidSites=[one, two]",
            {"pwcsPathName": "hq", "phServerAuth": handle("A")},
            {"ppguidSites": [handle("one"), handle("two")], "pdwNumberOfSites": 2, "pdwServerSignatureSize": 32},
        ),
        ("S_DSIsServerGC -> status=0", {}, {"return_value": 0}),
    ],
)
@pytest.mark.parametrize("syntax", ["ndr", "ndr64"])
def test_values_come_back(tmp_path: Path, call: str, request_has: Row, response_has: Row, syntax: str) -> None:
    (row,) = typed(tmp_path, call, syntax=syntax)
    assert request_has.items() <= (row["request"] or {}).items()
    assert response_has.items() <= row["response"].items()


def test_numbers_and_handles_lead_from_one_protocol_to_the_next(tmp_path: Path) -> None:
    opened, again, session = typed(
        tmp_path, "R_QMOpenRemoteQueue", "rpc_QMOpenQueueInternal hRemoteQueue=7", "RemoteQMOpenQueue"
    )
    told, repeated, joined = opened["response"], again["request"], session["request"]
    assert told["phQueue"] == repeated["hRemoteQueue"] == joined["hQueue"]
    assert told["dwpQueue"] == repeated["dwpQueue"] == joined["pQueue"]
    assert told["pdwContext"] == repeated["dwpRemoteContext"] == joined["dwpContext"]
    assert joined["pLicGuid"] != repeated["pLicGuid"] == opened["request"]["pLicGuid"]
    read, closed = typed(tmp_path, "rpc_ACReceiveMessageEx", "rpc_ACCloseHandle")
    assert read["request"]["hQMContext"] == again["response"]["pdwQMContext"]
    assert closed["request"]["phQueue"] == again["response"]["phQueue"]


def test_transactions_are_sixteen_bytes(tmp_path: Path) -> None:
    first, second = (unit_of_work(handle(name)) for name in ("T", "U"))
    calls = "R_QMEnlistInternalTransaction", "rpc_ACReceiveMessageEx transaction=U", "rpc_ACReceiveMessageEx"
    enlisted, read, alone = typed(tmp_path, *calls)
    assert bytes(enlisted["request"]["pUow"]["rgb"]) == first
    assert bytes(read["response"]["ptb"]["old"]["pUow"]["rgb"]) == second
    assert alone["request"]["ptb"]["old"]["pUow"] is None
    moves = typed(tmp_path, "R_MoveMessage transaction=U", "R_MoveMessage transaction=null")
    assert [bytes(move["request"]["pTransactionId"]["rgb"]) for move in moves] == [second, bytes(16)]


def test_received_messages_as_properties(tmp_path: Path) -> None:
    whole, without_body, failed = typed(
        tmp_path,
        "rpc_ACReceiveMessageEx -> message=412/9",
        'rpc_ACReceiveMessageEx ppBody=null ulBodyBufferSizeInBytes=0 -> ppTitle="other" message=2000',
        "rpc_ACReceiveMessageEx -> status=MQ_ERROR_IO_TIMEOUT after 2s",
    )
    found = whole["response"]["ptb"]["old"]
    assert found["ppMessageID"] == {"Lineage": SOURCE, "Uniquifier": 9}
    assert (found["pSentTime"], found["pArrivedTime"], found["pPriority"]) == (SENT, ARRIVED, 3)
    assert (found["pBodySize"], found["ulBodyBufferSizeInBytes"], found["ppBody"]["size"]) == (412, 1_024, 1_024)
    assert found["ppBody"]["bytes"] == body(412, 9).ljust(1_024, b"\0")
    assert (found["ppTitle"], found["pulTitleBufferSizeInWCHARs"], found["ulTitleBufferSizeInWCHARs"]) == (
        "order",
        6,
        6,
    )
    assert found["Receive"]["ppDestFormatName"] == f"DIRECT=OS:{ORDERS}"
    assert found["pulVersion"] is None
    found = without_body["response"]["ptb"]["old"]
    assert (found["ppBody"], found["pBodySize"], found["ppTitle"]) == (None, 2_000, "other")
    assert found["ppMessageID"]["Uniquifier"] == 0x1402
    assert failed["response"]["ptb"] == failed["request"]["ptb"]


def test_sent_messages_as_properties(tmp_path: Path) -> None:
    sent, in_transaction = typed(
        tmp_path,
        r'rpc_ACSendMessageEx message=30/4 pPriority=5 pResponseQueueFormat="OS:branch7\private$\answers"',
        "rpc_ACSendMessageEx transaction=T pMessageID=null",
    )
    found = sent["request"]["ptb"]["old"]
    assert (found["uTransferType"], found["pPriority"], found["pDelivery"], found["ppTitle"]) == (0, 5, 0, "order")
    assert found["ppBody"]["bytes"] == body(30, 4)
    assert found["Send"]["pAdminQueueFormat"] is None
    assert found["Send"]["pResponseQueueFormat"]["m_pDirectID"] == "OS:branch7\\private$\\answers"
    assert sent["response"]["pMessageID"] == {"Lineage": LICENCE, "Uniquifier": 4}
    assert in_transaction["request"]["ptb"]["old"]["pDelivery"] == 1
    assert in_transaction["response"]["pMessageID"] is None


@pytest.mark.parametrize(
    ("call", "kinds", "complete"),
    [
        ("R_StartReceive -> message=300/7", [0], True),
        ("R_StartReceive dwMaxBodySize=300 -> message=300/7", [0], True),
        ("R_StartReceive dwMaxBodySize=299 -> message=300/7", [1, 2], False),
        ("R_StartTransactionalReceive -> message=300/7 cut=0", [1, 2], False),
    ],
)
def test_messages_in_sections(tmp_path: Path, call: str, kinds: list[int], complete: bool) -> None:
    (row,) = typed(tmp_path, call)
    found = row["response"]["ppPacketSections"]
    assert row["response"]["pdwNumberOfSections"] == len(found)
    assert [one["SectionBufferType"] for one in found] == kinds
    message = from_sections(
        [Section(one["SectionBufferType"], one["SectionSizeAlloc"], one["pSectionBuffer"]["bytes"]) for one in found]
    )
    facts = facts_of(message)
    assert message.problems == ()
    assert (facts.complete, facts.body_size, facts.label) == (complete, 300, "order")
    assert facts.message_id == f"{{{SOURCE}}}\\7"
    assert sections(300, 7, 10) == sections(300, 7, 10) != sections(300, 8, 10)


def test_sections_by_hand(tmp_path: Path) -> None:
    script = 'connect interface RemoteRead\nR_StartReceive -> ppPacketSections=[[stSrmpSecondSection, 9, "00ff"]]'
    (row,) = Local(capture(tmp_path, script), keep_payload=True).tables["RemoteRead_R_StartReceive"]
    assert row["response"]["pdwNumberOfSections"] == 1
    (found,) = row["response"]["ppPacketSections"]
    assert (found["SectionBufferType"], found["SectionSizeAlloc"], found["SectionSize"]) == (4, 9, 2)
    assert found["pSectionBuffer"]["bytes"] == b"\x00\xff"


def test_a_failed_start_gives_nothing(tmp_path: Path) -> None:
    (row,) = typed(tmp_path, "R_StartReceive ulTimeout=2000 -> status=MQ_ERROR_IO_TIMEOUT after 2s")
    assert row["response"] == {
        "pdwArriveTime": 0,
        "pSequenceId": 0,
        "pdwNumberOfSections": 0,
        "ppPacketSections": None,
        "return_value": 0xC00E001B,
    }


@pytest.mark.parametrize(
    ("call", "action", "lookup_id", "sequential"),
    [
        ("R_StartReceive", 0, 0, 0x1401),
        ("R_StartReceive LookupId=0x77", 0x4000_0020, 0x77, 0x77),
        ("R_StartReceive ulAction=LOOKUP_PEEK_NEXT", 0x4000_0011, 0x1401, 0x1402),
        ("R_StartReceive -> pSequenceId=5", 0, 0, 5),
    ],
)
def test_lookup_and_sequence_identifiers(
    tmp_path: Path, call: str, action: int, lookup_id: int, sequential: int
) -> None:
    (row,) = typed(tmp_path, call)
    assert (row["request"]["ulAction"], row["request"]["LookupId"]) == (action, lookup_id)
    assert row["response"]["pSequenceId"] == sequential


def test_void_operations_fail_by_faults(tmp_path: Path) -> None:
    script = "connect interface RemoteRead\nR_OpenQueue -> fault=MQ_ERROR_ACCESS_DENIED"
    (call,) = Local(capture(tmp_path, script)).tables["calls"]
    assert (call["outcome"], call["fault"], call["fault_name"]) == ("faulted", 0xC00E0025, "MQ_ERROR_ACCESS_DENIED")
