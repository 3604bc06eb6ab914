"""The data source `pcap` by the name under which it travels to workers: one that nothing beside them can take."""

from __future__ import annotations

from ingest.source import PcapDataSource, PcapReader, SplitPartition

__all__ = ["PcapDataSource", "PcapReader", "SplitPartition"]
