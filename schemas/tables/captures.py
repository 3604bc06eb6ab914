"""captures: the inputs of a run."""

from __future__ import annotations

from typing import TypedDict

import pyarrow as pa

from schemas.model import LONG, STRING, TIMESTAMP, Column, Table
from schemas.relations import NotAbove, Reference
from schemas.shared_columns import CAPTURE_ID, PATH
from schemas.vocabulary import CAPTURE_FORMATS, CAPTURE_STATES, COMPRESSIONS


class CaptureRow(TypedDict):
    capture_id: str | None
    path: str
    format: str | None
    compression: str | None
    bytes: int
    packets: int
    first_ts: int | None
    first_ts_ns: int | None
    last_ts: int | None
    last_ts_ns: int | None
    link_types: list[int]
    duplicate_of: str | None
    state: str


CAPTURES = Table(
    "captures",
    "One input file, readable or not.",
    (
        CAPTURE_ID.optional(),
        PATH,
        Column("format", STRING, "`pcap` or `pcapng`; null where the file could not be read.", values=CAPTURE_FORMATS),
        Column("compression", STRING, "`none`, `gzip` or `zstd`.", values=COMPRESSIONS),
        Column("bytes", LONG, "Size of the file as it is on disk.", required=True, low=0),
        Column("packets", LONG, "Packets read from it.", required=True, low=0),
        Column("first_ts", TIMESTAMP, "Time of the earliest packet."),
        Column("first_ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("last_ts", TIMESTAMP, "Time of the latest packet."),
        Column("last_ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column(
            "link_types",
            pa.list_(LONG),
            "Link types of its interfaces (numbers as in the file format), sorted.",
            required=True,
        ),
        Column(
            "duplicate_of",
            STRING,
            "Path of an earlier input with the same bytes; such a file is listed and not analysed again.",
        ),
        Column(
            "state",
            STRING,
            "`complete`; `truncated`: read up to a damaged place; `unreadable`: nothing was read. `issues` says why.",
            required=True,
            values=CAPTURE_STATES,
        ),
    ),
    key=("path", "capture_id"),
    relations=(NotAbove("first_ts_ns", "last_ts_ns"), Reference("duplicate_of", "captures", "path")),
)
