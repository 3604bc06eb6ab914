"""Columns that several tables have: one name, one type, one meaning."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import INT, LONG, STRING, Column

ID_TYPE = pa.struct(
    [pa.field("orig_h", STRING), pa.field("orig_p", INT), pa.field("resp_h", STRING), pa.field("resp_p", INT)]
)

UID = Column(
    "uid",
    STRING,
    "Connection id, derived from addresses, ports and first packet: the same in every run over the same packets.",
)
CALL_UID = Column(
    "call_uid",
    STRING,
    "Call id, derived from the connection and the place of the call's first PDU: the same in every run.",
)
COMMUNITY_ID = Column("community_id", STRING, "Community ID v1 of the connection, seed 0.")
ID = Column("id", ID_TYPE, "Addresses and ports; orig is the RPC client, as in Zeek.")
CAPTURE_ID = Column("capture_id", STRING, "SHA-256 of the capture file.")
PATH = Column("path", STRING, "Path of the capture file as it was read.")
FRAME = Column("frame", LONG, "Frame number in the capture, counted from 1 as Wireshark does.")
SESSION_UID = Column(
    "session_uid",
    STRING,
    "Id of an opened queue, derived from its first call: the same in every run.",
)
DOUBT = Column("doubt", STRING, "Why this row may be wrong, in the words of `findings.reason`; else null.")
