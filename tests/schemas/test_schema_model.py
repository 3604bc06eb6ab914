from __future__ import annotations

import pyarrow as pa

from schemas.model import INT, STRING, TIMESTAMP, ddl
from schemas.reference import codes_of, table_text
from schemas.tables import ACCOUNTING, FLOWS, ISSUES


def test_ddl_is_what_spark_reads() -> None:
    nested = pa.struct([pa.field("h", STRING), pa.field("p", INT)])
    schema = pa.schema([("ts", TIMESTAMP), ("id", nested), ("all", pa.list_(STRING)), ("n", pa.decimal128(20, 0))])
    expected = "`ts` TIMESTAMP, `id` STRUCT<`h`: STRING, `p`: INT>, `all` ARRAY<STRING>, `n` DECIMAL(20, 0)"
    assert ddl(schema) == expected


def test_text_of_a_table_has_every_column_and_name() -> None:
    assert all(f"  {column.name}  " in table_text(FLOWS) for column in FLOWS.columns)
    assert "tcp-gap  (offset in the stream)" in codes_of(ISSUES)
    assert "set_aside_not_tcp  (packets)" in codes_of(ACCOUNTING)
    assert codes_of(FLOWS) == ""
