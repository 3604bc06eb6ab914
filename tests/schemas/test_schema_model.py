from __future__ import annotations

import pyarrow as pa

from schemas.envelope import envelope_schema, wrap
from schemas.model import INT, LONG, STRING, TIMESTAMP, Column, Table, ddl
from schemas.reference import codes_of, table_text
from schemas.tables import ACCOUNTING, FLOWS, ISSUES

FRUIT = Table("fruit", "One fruit.", (Column("name", STRING, "Name."), Column("count", LONG, "How many.")))
TREES = Table("trees", "One tree.", (Column("height", INT, "Metres."),))


def test_ddl_is_what_spark_reads() -> None:
    nested = pa.struct([pa.field("h", STRING), pa.field("p", INT)])
    schema = pa.schema([("ts", TIMESTAMP), ("id", nested), ("all", pa.list_(STRING)), ("n", pa.decimal128(20, 0))])
    expected = "`ts` TIMESTAMP, `id` STRUCT<`h`: STRING, `p`: INT>, `all` ARRAY<STRING>, `n` DECIMAL(20, 0)"
    assert ddl(schema) == expected


def test_envelope_holds_each_row_in_the_column_of_its_table() -> None:
    both = (FRUIT, TREES)
    apples = pa.RecordBatch.from_pylist([{"name": "apple", "count": 3}], schema=FRUIT.arrow)
    oaks = pa.RecordBatch.from_pylist([{"height": 20}], schema=TREES.arrow)
    assert wrap(apples, FRUIT, both).schema == wrap(oaks, TREES, both).schema == envelope_schema(both)
    rows = [row for batch in (wrap(apples, FRUIT, both), wrap(oaks, TREES, both)) for row in batch.to_pylist()]
    assert rows == [{"fruit": {"name": "apple", "count": 3}, "trees": None}, {"fruit": None, "trees": {"height": 20}}]


def test_text_of_a_table_has_every_column_and_name() -> None:
    assert all(f"  {column.name}  " in table_text(FLOWS) for column in FLOWS.columns)
    assert "tcp-gap  (offset in the stream)" in codes_of(ISSUES)
    assert "set_aside_not_tcp  (packets)" in codes_of(ACCOUNTING)
    assert codes_of(FLOWS) == ""
