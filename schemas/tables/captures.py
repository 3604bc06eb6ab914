"""captures: the inputs of a run."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import LONG, STRING, TIMESTAMP, Column, Table
from schemas.shared_columns import CAPTURE_ID, PATH

CAPTURES = Table(
    "captures",
    "One input file, readable or not.",
    (
        CAPTURE_ID,
        PATH,
        Column("format", STRING, "`pcap` or `pcapng`; null where the file could not be read."),
        Column("compression", STRING, "`none`, `gzip` or `zstd`."),
        Column("bytes", LONG, "Size of the file as it is on disk."),
        Column("packets", LONG, "Packets read from it."),
        Column("first_ts", TIMESTAMP, "Time of the earliest packet."),
        Column("first_ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("last_ts", TIMESTAMP, "Time of the latest packet."),
        Column("last_ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("link_types", pa.list_(LONG), "Link types of its interfaces (numbers as in the file format), sorted."),
        Column(
            "duplicate_of",
            STRING,
            "Path of an earlier input with the same bytes; such a file is listed and not analysed again.",
        ),
        Column(
            "state",
            STRING,
            "`complete`; `truncated`: read up to a damaged place; `unreadable`: nothing was read. `issues` says why.",
        ),
    ),
)
