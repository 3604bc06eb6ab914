"""Rows of `issues` from the scan, and a bound on how many of a kind are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from schemas.tables import ISSUES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MAX_ISSUES_OF_A_KIND = 10_000
"""Of one capture. A file of zeros is a packet with a cut header every 16 bytes; counters stay exact."""
ISSUES_WITHOUT_PLACE = {"uid": "string", "call_uid": "string", "frame": "long", "offset": "long"}
_ONCE_PER_INTERFACE = ("unsupported-link-type", "undeclared-interface")
_ONCE_PER_CAPTURE = ("record-beyond-snap-length",)
"""Each split meets these anew; one row is enough."""


def packet_issues(spark: SparkSession, issues: DataFrame, ids: list[str], paths: list[str]) -> DataFrame:
    once = F.col("code").isin(*_ONCE_PER_INTERFACE, *_ONCE_PER_CAPTURE)
    of_interface = F.when(F.col("code").isin(*_ONCE_PER_INTERFACE), F.col("detail"))
    first = (
        issues.where(once)
        .groupBy("file", "code", of_interface)
        .agg(*(F.min_by(name, "offset").alias(name) for name in ("detail", "frame", "offset")))
        .select("file", "code", "detail", "frame", "offset")
    )
    names = spark.createDataFrame(
        list(zip(range(len(ids)), ids, paths, strict=True)), "file int, capture_id string, path string"
    )
    nothing = F.lit(None).cast("string")
    return (
        issues.where(~once)
        .drop("split")
        .unionByName(first)
        .join(F.broadcast(names), "file", "inner")
        .withColumns({"uid": nothing, "call_uid": nothing})
        .select(*ISSUES.names)
    )


def bounded(issues: DataFrame) -> DataFrame:
    """The first of each kind and capture; a row says how many more there are."""
    order = Window.partitionBy("path", "code").orderBy("frame", "offset", "detail", "uid", "call_uid")
    numbered = issues.withColumn("number", F.row_number().over(order))
    more = numbered.where(F.col("number") > MAX_ISSUES_OF_A_KIND).groupBy("path", "code", "capture_id").count()
    nothing = {name: F.lit(None).cast(kind) for name, kind in ISSUES_WITHOUT_PLACE.items()}
    rest = more.withColumns({"detail": F.concat("count", F.lit(" more of this kind are not listed")), **nothing})
    listed = numbered.where(F.col("number") <= MAX_ISSUES_OF_A_KIND)
    return listed.select(*ISSUES.names).unionByName(rest.select(*ISSUES.names))
