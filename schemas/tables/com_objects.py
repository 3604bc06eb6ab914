"""com_objects: COM objects that calls reached or handed out."""

from __future__ import annotations

from typing import TypedDict

import pyarrow as pa

from schemas.model import INT, LONG, STRING, TIMESTAMP, Column, Table
from schemas.relations import NotAbove
from schemas.shared_columns import CAPTURE_ID, DOMAIN, DOUBT, OF_CAPTURE, USERNAME
from schemas.vocabulary import COM_ENDS

INTERFACE = pa.struct([pa.field(name, STRING) for name in ("ipid", "iid", "interface", "given_by")])
EXPORTER = pa.struct([pa.field("host", STRING), pa.field("port", INT)])


class ExporterRow(TypedDict):
    """The column `exporter`."""

    host: str
    port: int | None


class GivenInterface(TypedDict):
    """Of the column `interfaces`."""

    ipid: str
    iid: str
    interface: str | None
    given_by: str | None


ComObjectRow = TypedDict(
    "ComObjectRow",
    {
        "object_uid": str,
        "oxid": str | None,
        "oid": str | None,
        "class": str | None,
        "clsid": str | None,
        "exporter": ExporterRow,
        "runs_as": str | None,
        "interfaces": list[GivenInterface],
        "given_by": str | None,
        "parent_object_uid": str | None,
        "client": str | None,
        "username": str | None,
        "domain": str | None,
        "ts": int | None,
        "ts_ns": int | None,
        "last_ts": int | None,
        "calls_made": int,
        "references_given": int,
        "references_returned": int,
        "end": str,
        "doubt": str | None,
        "capture_id": str,
    },
)

COM_OBJECTS = Table(
    "com_objects",
    "One COM object at a server, over all connections to it.",
    (
        Column("object_uid", STRING, "Id, derived from its server and numbers: the same in every run.", required=True),
        Column("oxid", STRING, "Number of the server process, in hexadecimal; null where its birth was not captured."),
        Column("oid", STRING, "Number of the object."),
        Column("class", STRING, "Name of its class, where it is known."),
        Column("clsid", STRING, "UUID of its class, where an activation says so."),
        Column(
            "exporter",
            EXPORTER,
            "Where its process listens; the port is null where nothing tells it.",
            required=True,
        ),
        Column("runs_as", STRING, "Account of its process, as the resolver announced it."),
        Column(
            "interfaces",
            pa.list_(INTERFACE),
            "What calls can be made on: `ipid`, `iid`, its name, and `given_by`, the `call_uid` that handed it out.",
            required=True,
        ),
        Column("given_by", STRING, "`call_uid` that first handed the object out; null where that was not captured."),
        Column("parent_object_uid", STRING, "The object whose call that was; null of an activation's."),
        Column("client", STRING, "Address that it was first handed to."),
        USERNAME,
        DOMAIN,
        Column("ts", TIMESTAMP, "When it was first handed out or called."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("last_ts", TIMESTAMP, "Its last call or reference."),
        Column("calls_made", LONG, "Calls on it.", required=True, low=0),
        Column("references_given", LONG, "Public references that were handed out.", required=True, low=0),
        Column("references_returned", LONG, "Those that the server took back.", required=True, low=0),
        Column(
            "end",
            STRING,
            "`released`: all references that were seen were given back, and it did not answer since; `unpinged`: all "
            "its clients took it out of their ping sets; `pinged_out`: they stopped to ping, so that the server let it "
            "go; `exporter_replaced`: another process was announced at its port, and nothing of its own was there "
            "since; `open_at_end` of the captures.",
            required=True,
            values=COM_ENDS,
        ),
        DOUBT,
        CAPTURE_ID,
    ),
    key=("object_uid",),
    relations=(NotAbove("ts", "last_ts"), OF_CAPTURE),
)
