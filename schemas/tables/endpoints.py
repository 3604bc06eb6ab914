"""endpoints: where services say they listen."""

from __future__ import annotations

from typing import TypedDict

from schemas.model import INT, LONG, STRING, TIMESTAMP, U16, Column, Table
from schemas.shared_columns import CALL_UID, CAPTURE_ID, FRAME, ID, OF_CALL, OF_CAPTURE, OF_FLOW, UID, ConnectionId
from schemas.vocabulary import ENDPOINT_NAMES, ENDPOINT_SOURCES


class EndpointRow(TypedDict):
    ts: int | None
    ts_ns: int | None
    uid: str
    call_uid: str
    id: ConnectionId
    interface_uuid: str
    interface_version: str | None
    endpoint: str | None
    transfer_syntax: str | None
    protocol: str | None
    host: str | None
    port: int | None
    named_pipe: str | None
    object_uuid: str | None
    annotation: str | None
    source: str
    frame: int
    capture_id: str


ENDPOINTS = Table(
    "endpoints",
    "One endpoint in an answer of the endpoint mapper or of a port query.",
    (
        Column("ts", TIMESTAMP, "Time of the answer."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        CALL_UID,
        ID,
        Column("interface_uuid", STRING, "Interface that listens there.", required=True),
        Column("interface_version", STRING, "Its version; null where the answer does not say."),
        Column("endpoint", STRING, "Its name, where it is one of ours.", values=ENDPOINT_NAMES),
        Column("transfer_syntax", STRING, "`ndr`, `ndr64` or the UUID offered; null where the answer does not say."),
        Column("protocol", STRING, "Protocol sequence: `ncacn_ip_tcp`, `ncacn_np`, `ncacn_http` ..."),
        Column("host", STRING, "Address announced; the answering server's own where it announced none."),
        Column("port", INT, "TCP or UDP port; null for named pipes.", low=0, high=U16),
        Column("named_pipe", STRING, "Pipe or other text endpoint."),
        Column("object_uuid", STRING, "Object the registration is for."),
        Column("annotation", STRING, "The server's own words about it."),
        Column(
            "source",
            STRING,
            "Operation that told it: one of the endpoint mapper, or a question for a port.",
            required=True,
            values=ENDPOINT_SOURCES,
        ),
        FRAME,
        CAPTURE_ID,
    ),
    no_key="One answer may list an endpoint more than once.",
    relations=(OF_FLOW, OF_CALL, OF_CAPTURE),
)
