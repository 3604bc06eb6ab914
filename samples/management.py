"""The qmmgmt server of the sample: answers from a fixed state, [MS-MQMR] 3.1.4."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from samples import mgmt_ndr as ndr
from samples.ndr_base import encode
from samples.queues import MQ_ERROR_INVALID_PARAMETER, MQ_OK

if TYPE_CHECKING:
    from samples.rpc_server import Operations

MQ_ERROR_ILLEGAL_PROPID = 0xC00E0039
MACHINE_ACTIONS = {"CONNECT", "DISCONNECT", "TIDY"}
QUEUE_ACTIONS = {"PAUSE", "RESUME", "EOD_RESEND"}

LAST_ACK_TIME = 1794797400
SENDER = uuid.UUID("6f1d3c52-8a47-4e0b-9c35-2b7e90d4a118")
Properties = dict[int, Callable[[], ndr.PROPVARIANT]]


def machine_properties(names: list[str]) -> Properties:
    """[MS-MQMQ] 2.3.11; without a directory server DSSERVER stays VT_NULL, [MS-MQMR] note 14."""
    return {
        1: lambda: ndr.vector(ndr.VT_LPWSTR, [f"DIRECT={name}" for name in names]),
        2: lambda: ndr.vector(ndr.VT_LPWSTR, [name.removeprefix("OS:") for name in names]),
        3: lambda: ndr.variant(ndr.VT_NULL),
        4: lambda: ndr.variant(ndr.VT_LPWSTR, "CONNECTED"),
        5: lambda: ndr.variant(ndr.VT_LPWSTR, "MSMQ 5.0 sample build 7601"),
        6: lambda: ndr.variant(ndr.VT_I8, 0x1_0000_2A3C),
    }


def queue_properties(name: str) -> Properties:
    """[MS-MQMQ] 2.3.12, one property of each variant type that occurs there."""
    return {
        2: lambda: ndr.variant(ndr.VT_LPWSTR, f"DIRECT={name}"),
        3: lambda: ndr.variant(ndr.VT_LPWSTR, "PRIVATE"),
        7: lambda: ndr.variant(ndr.VT_UI4, 7),
        8: lambda: ndr.variant(ndr.VT_UI4, 26_404),
        11: lambda: ndr.variant(ndr.VT_LPWSTR, "CONNECTED"),
        12: lambda: ndr.vector(ndr.VT_LPWSTR, ["IP=192.0.2.10", "IP=192.0.2.11"]),
        13: lambda: ndr.variant(ndr.VT_BLOB, struct.pack("<qII", 0x6AFA_6F58_0000_0001, 42, 41)),
        14: lambda: ndr.variant(ndr.VT_I4, LAST_ACK_TIME),
        24: lambda: source_info(name),
    }


def source_info(name: str) -> ndr.PROPVARIANT:
    """2.3.12.24: six vectors, one entry in each for every source."""
    return ndr.vector(
        ndr.VT_VARIANT,
        [
            ndr.vector(ndr.VT_LPWSTR, [f"DIRECT={name}"]),
            ndr.vector(ndr.VT_CLSID, [SENDER.bytes_le]),
            ndr.vector(ndr.VT_UI8, [0x6AFA_6F58_0000_0001]),
            ndr.vector(ndr.VT_UI4, [42]),
            ndr.vector(ndr.VT_I4, [LAST_ACK_TIME]),
            ndr.vector(ndr.VT_UI4, [0]),
        ],
    )


class Management:
    def __init__(self, queues: list[str]) -> None:
        self.queues = queues

    def operations(self) -> Operations:
        return {0: self.get_info, 1: self.action}

    def get_info(self, stub: bytes) -> bytes:
        """On an error no [out] parameter is set: apVar goes back as it came."""
        request = ndr.R_QMMgmtGetInfo(stub)
        known = self._properties(request["pObjectFormat"])
        wanted = [each["Data"] for each in request["aProp"]]
        response = ndr.R_QMMgmtGetInfoResponse()
        if set(wanted) <= set(known):
            response["apVar"] = [known[propid]() for propid in wanted]
        else:
            response["apVar"] = request["apVar"]
            response["return_value"] = MQ_ERROR_ILLEGAL_PROPID
        return encode(response)

    def action(self, stub: bytes) -> bytes:
        request = ndr.R_QMMgmtAction(stub)
        allowed = {ndr.MGMT_MACHINE: MACHINE_ACTIONS, ndr.MGMT_QUEUE: QUEUE_ACTIONS}
        verb = request["lpwszAction"].rstrip("\0").upper()
        known = verb in allowed.get(request["pObjectFormat"]["type"], ())
        response = ndr.R_QMMgmtActionResponse()
        response["return_value"] = MQ_OK if known else MQ_ERROR_INVALID_PARAMETER
        return encode(response)

    def _properties(self, target: ndr.MGMT_OBJECT) -> Properties:
        if target["type"] == ndr.MGMT_MACHINE:
            return machine_properties(self.queues)
        name = target["u"].fields["pQueueFormat"].fields["Data"]["u"].fields["m_pDirectID"]["Data"]
        return queue_properties(name.rstrip("\0"))
