"""Headers of the records of one buffer, whatever mixture of link types they have."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from decoders.net.bulk import dissect_many
from decoders.net.model import Headers
from decoders.net.numbers import LinkType

if TYPE_CHECKING:
    from decoders.net.model import Column
    from ingest.containers.model import Records

READ_LINK_TYPES = np.array([int(one) for one in LinkType], np.int32)
NO_LINK_TYPE = -1
"""Of a packet whose interface no block describes."""


def link_types(records: Records) -> Column:
    known = [interface.link_type for interface in records.interfaces]
    return np.array([*known, NO_LINK_TYPE], np.int32)[np.minimum(records.slot, len(known))]


def headers_of(records: Records) -> Headers:
    of_row = link_types(records)
    # Those that nobody reads are set aside together, however many kinds of them there are.
    of_row = np.where(np.isin(of_row, READ_LINK_TYPES), of_row, NO_LINK_TYPE)
    kinds = np.unique(of_row).tolist()
    if len(kinds) == 1:
        return _dissect(records, slice(None), kinds[0])
    parts = [(rows := np.flatnonzero(of_row == kind), _dissect(records, rows, kind)) for kind in kinds]
    return _merged(parts, len(records))


def _dissect(records: Records, rows: Column | slice, link_type: int) -> Headers:
    return dissect_many(
        records.buffer, records.data_offset[rows], records.captured_len[rows], records.wire_len[rows], link_type
    )


def _merged(parts: list[tuple[Column, Headers]], count: int) -> Headers:
    columns: dict[str, object] = {"fragments": {}, "set_aside": {}}
    for name in (field.name for field in fields(Headers)):
        if name in columns:
            columns[name] = {
                int(rows[row]): value for rows, part in parts for row, value in getattr(part, name).items()
            }
            continue
        merged = np.zeros(count, getattr(parts[0][1], name).dtype)
        for rows, part in parts:
            merged[rows] = getattr(part, name)
        columns[name] = merged
    return Headers(**columns)  # type: ignore[arg-type]
