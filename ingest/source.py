"""The Spark data source `pcap`: packets of captures as rows.

    ingest.register(spark)
    spark.read.format("pcap").load("captures/")                            # folders, files, globs
    spark.read.format("pcap").schema("ts timestamp, src_h string").load(path)   # reads no payload
    spark.read.format("pcap").option("headersOnly", True).load(path)

Options: `headersOnly` (default false) leaves out the column payload; `splitBytes` (default 64 MiB) is how much of a
file one task reads; `maxInflatedBytes` and `maxInflation` say how much is read of what a compressed capture holds, in
bytes and in times its size. Files that are no captures raise an error; a damaged capture gives its packets up to the
damage.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from ingest.bounds import BOUNDS, Bounds
from schemas.model import ddl, ddl_type
from schemas.tables.packets import PACKETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from ingest.splits import Split


_TRAVELS_AS: Final = "mqtrail.source"
"""Where workers look for a class. By the name `ingest` they could find another's module."""
_BOUNDS: Final = ("maxInflatedBytes", "maxInflation")


@dataclass
class SplitPartition(InputPartition):
    __module__ = _TRAVELS_AS

    split: Split
    first_frame: int


class PcapDataSource(DataSource):
    __module__ = _TRAVELS_AS

    @classmethod
    def name(cls) -> str:
        return "pcap"

    def schema(self) -> str:
        headers_only = self.options.get("headersOnly", "false").lower() == "true"
        return ddl(PACKETS.arrow.remove(PACKETS.names.index("payload")) if headers_only else PACKETS.arrow)

    def reader(self, schema: StructType) -> DataSourceReader:
        _check_columns(schema)
        path = self.options.get("path") or self.options.get("paths")
        if not path:
            raise ValueError('the data source pcap needs a path: spark.read.format("pcap").load(PATH)')
        split_bytes, inflated, inflation = (_number(self.options, name) for name in ("splitBytes", *_BOUNDS))
        bounds = Bounds(inflated or BOUNDS.most_bytes, inflation or BOUNDS.most_times)
        return PcapReader(path, tuple(schema.names), split_bytes, bounds)


class PcapReader(DataSourceReader):
    __module__ = _TRAVELS_AS

    def __init__(self, path: str, columns: tuple[str, ...], split_bytes: int, bounds: Bounds) -> None:
        self.path = path
        self.columns = columns
        self.split_bytes = split_bytes
        self.bounds = bounds

    def partitions(self) -> Sequence[InputPartition]:
        """A file of several splits is walked once, header by header: frame numbers need the counts before them."""
        from ingest.captures import UnreadableCapture, open_capture  # noqa: PLC0415 - Spark pickles this class; keep it light
        from ingest.files import expand  # noqa: PLC0415
        from ingest.splits import SPLIT_BYTES, SplitReport, exact, first_frames, plan  # noqa: PLC0415

        found: list[InputPartition] = []
        for file, path in enumerate(expand(_paths(self.path))):
            try:
                splits = plan(open_capture(path, self.bounds), file, self.split_bytes or SPLIT_BYTES)
            except UnreadableCapture as problem:
                raise ValueError(f"{path}: {problem.detail}") from None
            if len(splits) == 1:
                found.append(SplitPartition(splits[0], 1))
                continue
            reports = exact(splits, [SplitReport(file, split.index, None, None, 0) for split in splits])
            found += [
                SplitPartition(replace(split, start=report.start), frame)
                for split, report, frame in zip(splits, reports, first_frames(reports), strict=False)
                if report.packets
            ]
        return found

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        from ingest.packets import packet_batches  # noqa: PLC0415

        assert isinstance(partition, SplitPartition)  # noqa: S101 - narrows the type for mypy
        yield from packet_batches(partition.split, partition.first_frame, self.columns)


def _paths(option: str) -> list[str]:
    """load() hands several paths over as a JSON list."""
    return [str(path) for path in json.loads(option)] if option.startswith("[") else [option]


def _check_columns(schema: StructType) -> None:
    known = {column.name: ddl_type(column.type).lower() for column in PACKETS.columns}
    for field in schema.fields:
        if field.name not in known:
            raise ValueError(f"the data source pcap has no column {field.name}; it has {', '.join(known)}")
        if field.dataType.simpleString() != known[field.name]:
            given = field.dataType.simpleString()
            raise ValueError(f"the column {field.name} of the data source pcap is {known[field.name]}, not {given}")


def _number(options: Mapping[str, str], name: str) -> int:
    """0 where it is not given."""
    option = options.get(name)
    if option is None:
        return 0
    if not option.isdecimal() or not int(option):
        raise ValueError(f"the option {name} of the data source pcap is a number above 0, not {option}")
    return int(option)
