"""Tables out of an envelope (see schemas.envelope)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from schemas.model import Table


def unwrapped(envelope: DataFrame, table: Table, *others: str) -> DataFrame:
    """The rows of one table, with further columns that the envelope has."""
    return envelope.where(F.col(table.name).isNotNull()).select(f"{table.name}.*", *others)
