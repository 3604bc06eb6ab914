"""What is said of a message in a transfer buffer of qmcomm2."""

from __future__ import annotations

import hashlib
import struct
import uuid
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.interfaces.mqmp import CACTransferBufferV2
from decoders.msmq.message import MessageFacts, TransactionFacts, facts_of_properties
from decoders.msmq.message import property_facts as module
from decoders.ndr.model import CutBytes, Member, Struct, Union
from tests.builders.messages import SID
from tests.decoders.msmq.values import queue_format

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"
SID_TEXT = "S-1-5-21-3181267629-1039849782-3663111779-1000"


def members(struct_type: Struct) -> list[Member]:
    """With the arms of the unnamed union among them."""
    found: list[Member] = []
    for member in struct_type.members:
        if isinstance(member.type, Union):
            found += [arm.member for arm in member.type.arms if arm.member]
        else:
            found.append(member)
    return found


OLD = [
    member.name for member in members(next(m.type for m in CACTransferBufferV2.members if isinstance(m.type, Struct)))
]
Values = dict[str, Any]


def buffer(transfer: int, *, first: int | None = None, last: int | None = None, xact: Values | None = None,
           **old: object) -> Values:  # fmt: skip
    assert old.keys() <= set(OLD)
    inner = dict.fromkeys(OLD, None) | {"uTransferType": transfer} | old
    return {"old": inner, "pbFirstInXact": first, "pbLastInXact": last, "ppXactID": xact}


def test_a_message_that_is_sent() -> None:
    facts = facts_of_properties(
        buffer(
            0,
            Send={
                "pAdminQueueFormat": queue_format(3, m_pDirectID="OS:admin"),
                "pResponseQueueFormat": queue_format(1, m_gPublicID=GUID),
            },
            pClass=0,
            pPriority=5,
            pDelivery=1,
            pAcknowledge=5,
            pAuditing=3,
            pApplicationTag=7,
            ppBody=b"body",
            ulBodyBufferSizeInBytes=4,
            ulAllocBodyBufferInBytes=16,
            ppTitle="label\0\0",
            ulAbsoluteTimeToQueue=60,
            ulRelativeTimeToLive=3600,
            pTrace=1,
            pulSenderIDType=1,
            ppSenderID=SID,
            uSenderIDLen=28,
            pulPrivLevel=2,
            pulHashAlg=0x800C,
            pulEncryptAlg=0x6801,
            ppSenderCert=b"c" * 30,
            ulSenderCertLen=30,
            ppwcsProvName="provider",
            bEncrypted=1,
            ppSignature=b"s" * 20,
            ulSignatureSize=20,
            pUow={"rgb": bytes(range(16))},
            ppMsgExtension=b"ext",
            ulMsgExtensionBufferInBytes=3,
            ppConnectorType=GUID,
            pulBodyType=31,
            ppCorrelationID=b"application's bytes.",
        )
    )
    assert facts == MessageFacts(
        complete=True,
        message_class=0,
        message_class_name="MQMSG_CLASS_NORMAL",
        label="label",
        priority=5,
        delivery="recoverable",
        time_to_reach_queue=60,
        time_to_be_received=3600,
        admin_queue="DIRECT=OS:admin",
        response_queue=f"PUBLIC={GUID}",
        connector_type=GUID,
        correlation_id=b"application's bytes.".hex(),
        body_type=31,
        body_type_name="VT_LPWSTR",
        body_size=4,
        body_sha256=hashlib.sha256(b"body").hexdigest(),
        extension_size=3,
        application_tag=7,
        acknowledge=("positive_arrival", "negative_arrival"),
        journaling=("deadletter", "journal"),
        tracing=True,
        sender_id_type="sid",
        sender_id=SID_TEXT,
        signature_size=20,
        certificate_size=30,
        privacy_level="128-bit",
        encryption_algorithm="RC4",
        body_encrypted=True,
        hash_algorithm="SHA-256",
        provider_name="provider",
        transaction=TransactionFacts(unit_of_work=bytes(range(16)).hex()),
    )


def test_a_message_that_is_received() -> None:
    facts = facts_of_properties(
        buffer(
            1,
            Receive={
                "ppDestFormatName": "DIRECT=OS:dest\0garbage",
                "ppAdminFormatName": "",
                "ppResponseFormatName": f"PUBLIC={GUID}",
            },
            pClass=0x8002,
            ppMessageID={"Lineage": GUID, "Uniquifier": 12},
            ppCorrelationID=uuid.UUID(GUID).bytes_le + struct.pack("<I", 11),
            pSentTime=1_000_000,
            ppBody=b"body and what was there before",
            ulBodyBufferSizeInBytes=30,
            pBodySize=4,
            pulRelativeTimeToQueue=0,
            pulRelativeTimeToLive=0xFFFFFFFF,
            pulSenderIDType=1,
            # As large as the client's buffer.
            ppSenderID=SID + bytes(36),
            uSenderIDLen=64,
            pulSenderIDLenProp=28,
            ulSignatureSize=128,
            pulSignatureSizeProp=0,
            ulSenderCertLen=128,
            pulSenderCertLenProp=77,
            bEncrypted=0,
            ppSrcQMID=GUID,
            ulMsgExtensionBufferInBytes=50,
            pMsgExtensionSize=2,
            first=1,
            last=0,
            xact={"Lineage": GUID, "Uniquifier": 5},
        )
    )
    assert facts == MessageFacts(
        complete=True,
        message_id=f"{{{GUID}}}\\12",
        message_class=0x8002,
        message_class_name="MQMSG_CLASS_NACK_REACH_QUEUE_TIMEOUT",
        sent_time=1_000_000,
        time_to_reach_queue=0,
        time_to_be_received=0xFFFFFFFF,
        destination_queue="DIRECT=OS:dest",
        response_queue=f"PUBLIC={GUID}",
        correlation_id=(uuid.UUID(GUID).bytes_le + struct.pack("<I", 11)).hex(),
        acknowledged_message_id=f"{{{GUID}}}\\11",
        body_size=4,
        body_sha256=hashlib.sha256(b"body").hexdigest(),
        extension_size=2,
        sender_id_type="sid",
        sender_id=SID_TEXT,
        signature_size=0,
        certificate_size=77,
        body_encrypted=False,
        source_qm=GUID,
        transaction=TransactionFacts(first=True, last=False, index=5),
    )


DIGEST = hashlib.sha256(b"body").hexdigest()


@pytest.mark.parametrize(
    ("transfer", "body", "told", "size", "digest", "complete"),
    [
        (0, b"body", 4, 4, DIGEST, True),
        (0, CutBytes(b"bo"), 4, 4, None, False),
        (0, {"size": 4, "sha256": DIGEST}, 4, 4, DIGEST, True),
        (0, {"size": 2, "sha256": None}, 4, 4, None, False),
        (0, None, 0, 0, None, True),
        (0, None, 4, 4, None, False),
        (0, None, None, None, None, False),
        (1, None, None, None, None, False),
        (1, None, 4, 4, None, False),
        (1, None, 0, 0, None, True),
        (1, b"body", None, 4, DIGEST, True),
        (1, b"body!", 4, 4, DIGEST, True),
        (1, b"bod", 4, 4, None, False),
        # The hash is that of the whole buffer.
        (1, {"size": 5, "sha256": DIGEST}, 4, 4, None, True),
        (1, {"size": 4, "sha256": DIGEST}, 4, 4, DIGEST, True),
        (1, {"size": 4, "sha256": DIGEST}, None, 4, DIGEST, True),
        (1, "text", 4, 4, None, False),
    ],
)
def test_bodies(
    transfer: int, body: object, told: int | None, size: int | None, digest: str | None, complete: bool
) -> None:
    member = ("ulBodyBufferSizeInBytes", "pBodySize")[transfer]
    values = buffer(transfer, ppBody=body)
    values["old"][member] = told
    facts = facts_of_properties(values)
    assert (facts.body_size, facts.body_sha256, facts.complete) == (size, digest, complete)


def test_what_the_server_is_to_choose_is_not_said() -> None:
    facts = facts_of_properties(buffer(0, ulAbsoluteTimeToQueue=0, pulHashAlg=0, pUow={"rgb": bytes(16)}))
    assert (facts.time_to_reach_queue, facts.hash_algorithm, facts.transaction) == (None, None, None)
    assert (facts.priority, facts.delivery, facts.label, facts.acknowledge) == (None, None, None, None)


def test_null_identifiers_are_none() -> None:
    nil = str(uuid.UUID(int=0))
    facts = facts_of_properties(
        buffer(1, ppMessageID={"Lineage": nil, "Uniquifier": 0}, ppSrcQMID=nil, ppCorrelationID=bytes(20))
    )
    assert (facts.message_id, facts.source_qm, facts.correlation_id) == (None, None, None)


def test_every_member_that_is_read_is_declared() -> None:
    declared = {member.name for member in CACTransferBufferV2.members} | set(OLD)
    for member in members(next(m.type for m in CACTransferBufferV2.members if isinstance(m.type, Struct))):
        if isinstance(member.type, Struct):
            declared |= {inner.name for inner in member.type.members}
    tables = (module._SIZES, module._NUMBERS, module._NAMED, module._ALGORITHMS, module._SETS,
              module._QUEUES_RECEIVED, module._QUEUES_SENT)  # fmt: skip
    read: set[str] = set()
    for table in tables:
        for value in table.values():
            read |= {part for part in ((value,) if isinstance(value, str) else value) if isinstance(part, str)}
    assert len(read) > 20
    assert read <= declared


ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers(-1, 1 << 32) | st.text(max_size=4) | st.binary(max_size=40) | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["rgb", "Lineage", "Uniquifier", "size", "sha256", "m_qft", "pAdminQueueFormat"]), inner
        )
    ),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(OLD), ANYTHING), ANYTHING, ANYTHING, st.booleans())
def test_any_shape_is_taken(old: Values, other: object, first: object, whole: bool) -> None:
    values = {"old": old if whole else other, "pbFirstInXact": first, "ppXactID": other}
    facts = facts_of_properties(values)
    assert {field.name for field in fields(facts)}
    assert isinstance(facts.complete, bool)
    assert facts_of_properties({}) == MessageFacts(complete=False)
