"""Wireshark's tcp.stream: the running number of a connection among all TCP connections of its capture.

All of them count, also those set aside, so it is computed from the scan: a conversation's first packet begins a
stream, and so does each SYN without ACK whose number differs from its side's base, which is the number of that side's
latest SYN or SYN-ACK, or else the one of ingest.stream_bases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from ingest.stream_bases import NUMBER_BITS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def stream_numbers(conversations: DataFrame, syns: DataFrame) -> DataFrame:
    """Rows (file, key, frame, tcp_stream): each stream with the frame it begins at."""
    firsts = conversations.groupBy("file", "key").agg(
        F.min("base_low").alias("base_low"), F.min("base_high").alias("base_high")
    )
    begins = firsts.select("file", "key", _frame(F.least("base_low", "base_high")).alias("frame"))
    one_side = Window.partitionBy("file", "key", "from_low").orderBy("frame")
    base = F.when(F.col("from_low"), F.col("base_low")).otherwise(F.col("base_high"))
    differs = F.coalesce(
        F.col("previous") != F.col("seq"), (_frame(base) < F.col("frame")) & (_number(base) != F.col("seq"))
    )
    reused = (
        syns.withColumn("previous", F.lag("seq").over(one_side))
        .where(~F.col("with_ack"))
        .join(firsts, ["file", "key"], "inner")
        .where(differs)
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


def _frame(base: Column) -> Column:
    return F.shiftright(base, NUMBER_BITS)


def _number(base: Column) -> Column:
    return base.bitwiseAND(F.lit((1 << NUMBER_BITS) - 1))
