"""Bytes that belong to no PDU, put together while they follow each other for the same reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.dcerpc.framing_model import Skipped
from decoders.dcerpc.sources import Tally

if TYPE_CHECKING:
    from decoders.dcerpc.framing_model import Framed, SkipReason
    from decoders.dcerpc.sources import Sources
    from decoders.tcp.model import Side


class SkippedRun:
    __slots__ = ("_run", "_sender", "_sources")

    def __init__(self, sender: Side, sources: Sources) -> None:
        self._sender = sender
        self._sources = sources
        self._run: Skipped | None = None

    def __bool__(self) -> bool:
        return self._run is not None

    def add(self, offset: int, size: int, reason: SkipReason, out: list[Framed]) -> None:
        if self._run is not None and self._run.reason is not reason:
            self.end(out)
        if self._run is None:
            self._run = Skipped(self._sender, offset, 0, reason, *self._sources.next, {})
        # The frames of skipped bytes are not listed: only the tally of bytes is kept.
        self._sources.charge(size, Tally(by_capture=self._run.bytes_by_capture))
        self._run = self._run._replace(size=self._run.size + size)

    def end(self, out: list[Framed]) -> None:
        if self._run is not None:
            out.append(self._run)
            self._run = None
