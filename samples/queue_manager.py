"""The qm2qm server of the sample: each operation as [MS-MQQP] 3.1.4 orders it, over the queues of the story."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples import msmq_ndr as qm2qm
from samples.ndr_base import NULL_HANDLE, encode
from samples.queues import MQ_ERROR_INVALID_HANDLE, MQ_ERROR_INVALID_PARAMETER, MQ_OK, Queue
from samples.towers import handles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from impacket.dcerpc.v5.ndr import NDRCALL

    from samples.rpc_server import Operations
    from samples.user_message import Message

RECEIVES = {qm2qm.MQ_ACTION_RECEIVE, qm2qm.MQ_LOOKUP_RECEIVE_CURRENT}
VERSION = (6, 1, 7601)


class QueueManager:
    def __init__(self, queues: Iterable[Queue], ports: Mapping[int, int]) -> None:
        self.queues = {queue.handle: queue for queue in queues}
        self.ports = ports
        self.sessions: dict[bytes, Queue] = {}
        self.reads: dict[bytes, tuple[Queue, Message]] = {}
        self.session_handles = handles("rrsession")
        self.read_handles = handles("remoteread")

    def operations(self) -> Operations:
        return {
            0: self.start_receive,
            1: self.end_receive,
            2: self.open_queue,
            3: self.close_queue,
            5: self.cancel_receive,
            6: self.purge_queue,
            7: self.server_port,
            8: self.version,
            9: self.start_receive2,
            10: self.start_receive_by_lookup_id,
        }

    def start_receive(self, stub: bytes) -> bytes:
        response = qm2qm.RemoteQMStartReceiveResponse()
        description = qm2qm.RemoteQMStartReceive(stub)["lpRemoteReadDesc"]
        self._read(response, description)
        response["lpRemoteReadDesc"] = description
        return encode(response)

    def start_receive2(self, stub: bytes) -> bytes:
        return self._read2(qm2qm.RemoteQMStartReceive2(stub)["lpRemoteReadDesc2"], None)

    def start_receive_by_lookup_id(self, stub: bytes) -> bytes:
        request = qm2qm.RemoteQMStartReceiveByLookupId(stub)
        return self._read2(request["lpRemoteReadDesc2"], request["LookupId"])

    def _read2(self, description2: qm2qm.REMOTEREADDESC2, lookup_id: int | None) -> bytes:
        """SequentialId holds the low seven bytes of the message's lookup identifier (3.1.4.10)."""
        response = qm2qm.RemoteQMStartReceive2Response()
        message = self._read(response, description2.fields["pRemoteReadDesc"].fields["Data"], lookup_id)
        if message:
            description2["SequentialId"] = message.lookup_id & 0x00FFFFFFFFFFFFFF
        response["lpRemoteReadDesc2"] = description2
        return encode(response)

    def _read(
        self, response: NDRCALL, description: qm2qm.REMOTEREADDESC, lookup_id: int | None = None
    ) -> Message | None:
        """Fills [in, out] description and the answer; a handle comes back for a receive only, never for a peek."""
        queue = self.queues.get(description["hRemoteQueue"])
        description["Reserved"] = 1
        if queue is None or description["dwQueue"] != queue.handle or queue not in self.sessions.values():
            response["return_value"] = MQ_ERROR_INVALID_PARAMETER
            return None
        if lookup_id is None:
            status, message = queue.front(description["dwRequestID"], description["ulTimeout"])
        else:
            status, message = queue.by_lookup_id(lookup_id)
        response["return_value"] = status
        if message is None:
            return None
        packet = queue.packet(message)
        description["dwSize"] = len(packet)
        description["dwArriveTime"] = message.sent + 1
        description.fields["lpBuffer"] = qm2qm.LPBUFFER()
        description["lpBuffer"] = packet
        if description["ulAction"] in RECEIVES:
            handle = next(self.read_handles)
            self.reads[handle] = (queue, message)
            queue.taken.add(message.lookup_id)
            response["pphContext"].fromString(handle)
        return message

    def end_receive(self, stub: bytes) -> bytes:
        request = qm2qm.RemoteQMEndReceive(stub)
        read = self.reads.pop(request["pphContext"].getData(), None)
        if read:
            read[0].finish(read[1], request["dwAck"] == qm2qm.RR_ACK)
        response = qm2qm.RemoteQMEndReceiveResponse()
        response["return_value"] = MQ_OK if read else MQ_ERROR_INVALID_HANDLE
        return encode(response)

    def open_queue(self, stub: bytes) -> bytes:
        request = qm2qm.RemoteQMOpenQueue(stub)
        response = qm2qm.RemoteQMOpenQueueResponse()
        queue = self.queues.get(request["dwpContext"])
        if queue is None or request["pQueue"] != request["dwpContext"]:
            response["return_value"] = MQ_ERROR_INVALID_PARAMETER
        else:
            handle = next(self.session_handles)
            self.sessions[handle] = queue
            response["phContext"].fromString(handle)
        return encode(response)

    def close_queue(self, stub: bytes) -> bytes:
        closed = self.sessions.pop(qm2qm.RemoteQMCloseQueue(stub)["pphContext"].getData(), None)
        response = qm2qm.RemoteQMCloseQueueResponse()
        response["pphContext"].fromString(NULL_HANDLE)
        response["return_value"] = MQ_OK if closed else MQ_ERROR_INVALID_HANDLE
        return encode(response)

    def cancel_receive(self, stub: bytes) -> bytes:
        request = qm2qm.RemoteQMCancelReceive(stub)
        queue = self.queues.get(request["hQueue"])
        response = qm2qm.RemoteQMCancelReceiveResponse()
        if queue is None or request["pQueue"] != request["hQueue"]:
            response["return_value"] = MQ_ERROR_INVALID_PARAMETER
        else:
            response["return_value"] = queue.cancel(request["dwRequestID"])
        return encode(response)

    def purge_queue(self, stub: bytes) -> bytes:
        queue = self.queues.get(qm2qm.RemoteQMPurgeQueue(stub)["hQueue"])
        response = qm2qm.RemoteQMPurgeQueueResponse()
        if queue is None or queue not in self.sessions.values():
            response["return_value"] = MQ_ERROR_INVALID_HANDLE
        else:
            queue.purge()
        return encode(response)

    def server_port(self, stub: bytes) -> bytes:
        response = qm2qm.RemoteQMGetQMQMServerPortResponse()
        response["return_value"] = self.ports.get(qm2qm.RemoteQMGetQMQMServerPort(stub)["dwPortType"], 0)
        return encode(response)

    def version(self, _stub: bytes) -> bytes:
        response = qm2qm.RemoteQmGetVersionResponse()
        response["pMajor"], response["pMinor"], response["pBuildNumber"] = VERSION
        return encode(response)
