"""Rows of `pdus` for exchanges that were read together, held by column: what all of them say is said once a batch."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from decoders.dcerpc.call_model import PduFate
from decoders.dcerpc.header import RPC_VERSION, PacketType
from schemas.tables.pdus import PDUS
from schemas.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.dcerpc.exchanges import Exchange
    from decoders.dcerpc.turns import Fragment
    from pipelines.calls.connection import Captures, Place

_NO_CLAIMS: Final = (None, None, None)
_VERSIONS: Final = {minor: f"{RPC_VERSION}.{minor}" for minor in (0, 1)}
_CONSTANTS: Final[dict[str, Any]] = {
    "little_endian": True,
    "fate": PduFate.CALL.value,
}
"""Columns that are not named here nor below are empty."""


class PlainPdus:
    """In the order of their exchanges: the PDUs of the request, then those of the response."""

    def __init__(self, captures: Captures) -> None:
        self._captures = captures
        self._exchanges: list[tuple[str, str, int, int | None, int | None, int, int]] = []
        """Connection, call, its ids and opnum; how many PDUs ask, and how many answer."""
        self._pdus: list[Fragment] = []

    def __len__(self) -> int:
        return len(self._pdus)

    def add(self, exchanges: Sequence[Exchange], place: Place) -> None:
        for call, request, response in exchanges:
            self._pdus += request
            self._pdus += response
            ids = place.uid, place.call_uid(call.key), call.call_id, call.ctx_id, call.opnum
            self._exchanges.append((*ids, len(request), len(response)))

    def batch(self) -> pa.RecordBatch:
        """All of them; none is held any more."""
        columns, size = self._columns(), len(self._pdus)
        self._exchanges, self._pdus = [], []
        arrays = [
            _array(columns[column.name], column.type)
            if column.name in columns
            else pa.repeat(pa.scalar(_CONSTANTS.get(column.name), column.type), size)
            for column in PDUS.columns
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=PDUS.arrow)

    def _columns(self) -> dict[str, Any]:
        uids, call_uids, call_ids, contexts, opnums, *counts = zip(*self._exchanges, strict=True)
        offsets, ends, minors, flags, claims, ts_ns, frames = zip(*self._pdus, strict=True)
        auth_types, auth_levels, auth_contexts = zip(*[one or _NO_CLAIMS for one in claims], strict=True)
        asked, told = counts
        # Which exchange each PDU is of, and whether it asks.
        of = pa.array(np.repeat(np.arange(len(uids)), np.add(asked, told)))
        asks = pa.array(np.repeat(np.tile([True, False], len(uids)), np.column_stack((asked, told)).ravel()))
        times, sizes = np.array(ts_ns, np.int64), np.subtract(ends, offsets)
        timeless = times == NO_TIME
        return {
            "uid": pa.array(uids).take(of),
            "ts": pa.array(times // 1000, mask=timeless),
            "ts_ns": pa.array(times, mask=timeless),
            "is_orig": asks,
            "pkt_type": pc.if_else(asks, *(kind.name.lower() for kind in (PacketType.REQUEST, PacketType.RESPONSE))),
            "pkt_type_number": pc.if_else(asks, int(PacketType.REQUEST), int(PacketType.RESPONSE)),
            "rpc_version": [_VERSIONS[minor] for minor in minors],
            "call_id": pa.array(call_ids).take(of),
            "ctx_id": pa.array(contexts).take(of),
            "opnum": pc.if_else(asks, pa.array(opnums, pa.int64()).take(of), None),
            "flags": flags,
            "frag_len": sizes,
            "captured_len": sizes,
            "auth_type": auth_types,
            "auth_level": auth_levels,
            "auth_context_id": auth_contexts,
            "call_uid": pa.array(call_uids).take(of),
            "stream_offset": offsets,
            "frames": pa.ListArray.from_arrays(
                pa.array([0, *accumulate(map(len, frames))], pa.int32()),
                pa.array([frame for one in frames for _, frame in one], pa.int64()),
            ),
            "capture_id": [self._captures.capture_id(one[0][0]) for one in frames],
        }


def _array(values: Any, of: pa.DataType) -> pa.Array:  # noqa: ANN401 - a column of Arrow's, of numpy's or of Python's
    return values.cast(of) if isinstance(values, pa.Array) else pa.array(values, of)
