"""Capture files to packets and conversations: containers, exact splits, the Spark data source `pcap`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mqtrail  # noqa: F401 - guards the names of our packages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make `spark.read.format("pcap")` available in this session."""
    from mqtrail.source import PcapDataSource  # noqa: PLC0415 - `import ingest` must not import Spark

    spark.dataSource.register(PcapDataSource)


__all__ = ["register"]
