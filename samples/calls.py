"""The calls of the story, each built from what a person would say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from impacket.dcerpc.v5.ndr import NDR, NDRULONG, NULL

from samples import mgmt_ndr, msmq_ndr

if TYPE_CHECKING:
    import uuid

    from samples.client import Conversation
    from samples.queues import Queue


def describe(queue: Queue, action: int, request_id: int, timeout: int = 0) -> NDR:
    """What the client sets of a REMOTEREADDESC ([MS-MQQP] 2.2.2.1); dwSize 0 and a null lpBuffer are required."""
    description = msmq_ndr.REMOTEREADDESC()
    description["hRemoteQueue"] = description["dwQueue"] = queue.handle
    description["ulAction"] = action
    description["ulTimeout"] = timeout
    description["dwRequestID"] = request_id
    description["eAckNack"] = 0
    description["lpBuffer"] = NULL
    return description


def describe2(description: NDR) -> NDR:
    outer = msmq_ndr.REMOTEREADDESC2()
    outer.fields["pRemoteReadDesc"].fields["Data"] = description
    return outer


def open_queue(talk: Conversation, queue: Queue, client: uuid.UUID) -> NDR:
    request = msmq_ndr.RemoteQMOpenQueue()
    request["pLicGuid"] = client.bytes_le
    request["hQueue"] = request["pQueue"] = request["dwpContext"] = queue.handle
    return talk.call(request)["phContext"]


def close_queue(talk: Conversation, handle: NDR) -> None:
    request = msmq_ndr.RemoteQMCloseQueue()
    request["pphContext"] = handle
    talk.call(request)


def start_receive(talk: Conversation, description: NDR) -> NDR:
    request = msmq_ndr.RemoteQMStartReceive()
    request["lpRemoteReadDesc"] = description
    return talk.call(request)


def start_receive2(talk: Conversation, description: NDR) -> NDR:
    request = msmq_ndr.RemoteQMStartReceive2()
    request["lpRemoteReadDesc2"] = describe2(description)
    return talk.call(request)


def start_receive_by_lookup_id(talk: Conversation, lookup_id: int, description: NDR) -> NDR:
    request = msmq_ndr.RemoteQMStartReceiveByLookupId()
    request["LookupId"] = lookup_id
    request["lpRemoteReadDesc2"] = describe2(description)
    return talk.call(request)


def end_receive(talk: Conversation, read: NDR, acknowledgement: int) -> None:
    request = msmq_ndr.RemoteQMEndReceive()
    request["pphContext"] = read["pphContext"]
    request["dwAck"] = acknowledgement
    talk.call(request)


def cancel_receive(talk: Conversation, queue: Queue, request_id: int) -> None:
    request = msmq_ndr.RemoteQMCancelReceive()
    request["hQueue"] = request["pQueue"] = queue.handle
    request["dwRequestID"] = request_id
    talk.call(request)


def purge_queue(talk: Conversation, queue: Queue) -> None:
    request = msmq_ndr.RemoteQMPurgeQueue()
    request["hQueue"] = queue.handle
    talk.call(request)


def ask_port(talk: Conversation, port_type: int) -> None:
    request = msmq_ndr.RemoteQMGetQMQMServerPort()
    request["dwPortType"] = port_type
    talk.call(request)


def get_info(talk: Conversation, target: NDR, properties: list[int]) -> None:
    """ApVar goes out as VT_NULL in every element ([MS-MQMR] 3.1.4.1)."""
    request = mgmt_ndr.R_QMMgmtGetInfo()
    request["pObjectFormat"] = target
    request["cp"] = len(properties)
    request["aProp"] = [mgmt_ndr.element(NDRULONG, each) for each in properties]
    request["apVar"] = [mgmt_ndr.variant(mgmt_ndr.VT_NULL) for _ in properties]
    talk.call(request)


def act(talk: Conversation, target: NDR, verb: str) -> None:
    request = mgmt_ndr.R_QMMgmtAction()
    request["pObjectFormat"] = target
    request["lpwszAction"] = f"{verb}\0"
    talk.call(request)
