"""Wireshark's tcp.stream: the running number of a connection among all TCP connections of its capture.

All of them count, also those set aside, so it is computed from the scan: a conversation's first packet begins a
stream, and so does each SYN whose sequence number differs from that direction's base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def stream_numbers(conversations: DataFrame, syns: DataFrame) -> DataFrame:
    """Rows (file, key, frame, tcp_stream): each stream with the frame it begins at."""
    firsts = conversations.groupBy("file", "key").agg(
        F.min("first_low").alias("first_low"), F.min("first_high").alias("first_high")
    )
    begins = firsts.select("file", "key", F.least("first_low", "first_high").alias("frame"))
    one_side = Window.partitionBy("file", "key", "from_low").orderBy("frame")
    first_of_side = F.when(F.col("from_low"), F.col("first_low")).otherwise(F.col("first_high"))
    another_sequence = F.coalesce(F.col("previous") != F.col("seq"), F.col("frame") > first_of_side)
    reused = (
        syns.withColumn("previous", F.lag("seq").over(one_side))
        .join(firsts, ["file", "key"], "inner")
        .where(another_sequence)
        .select("file", "key", "frame")
    )
    in_capture = Window.partitionBy("file").orderBy("frame")
    numbered = begins.unionByName(reused).distinct()
    return numbered.withColumn("tcp_stream", F.row_number().over(in_capture).cast("long") - 1)


def with_stream_numbers(flows: DataFrame, numbers: DataFrame) -> DataFrame:
    """Adds tcp_stream to flows that have `key`, `file` and `first_frame`: the last stream that began by then."""
    began = (
        flows.select("uid", "file", "key", "first_frame")
        .join(numbers, ["file", "key"], "inner")
        .where(F.col("frame") <= F.col("first_frame"))
        .groupBy("uid")
        .agg(F.max("tcp_stream").alias("tcp_stream"))
    )
    return flows.join(began, "uid", "left")
