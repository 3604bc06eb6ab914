"""Where the reading of one message stands, and how it reports and stops."""

from __future__ import annotations

import enum
import sys
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeAlias

from decoders.msmq.message.problems import MessageProblem
from decoders.ndr.model import CutBytes

Members: TypeAlias = dict[str, Any]
"""Of the header being read, by name: what is in it when reading stops is kept."""

ALIGNMENT: Final = 4
"""[MS-MQMQ] 2.2.19.1: of every header, from the start of the packet."""


class Form(enum.StrEnum):
    """Whose packet it is: some fields mean other things in MS-MQRR 2.2.5.1."""

    MQQP = "mqqp"
    MQRR = "mqrr"


class BodySize(enum.StrEnum):
    """The field that tells how much room the body takes: see properties_header."""

    ALLOCATED = "AllocationBodySize"
    TOLD = "MessageSize"


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes of the packet that were not sent, since nobody asked for so much of the body: [MS-MQRR] 2.2.6."""

    at: int
    size: int

    @property
    def end(self) -> int:
        return self.at + self.size


class Stop(Exception):
    """Leaves the headers, never the parser."""


class Reader:
    """Offsets are those of the whole packet, whether or not all of it was sent."""

    __slots__ = ("at", "body_size", "data", "end", "form", "gap", "in_gap", "missing", "problems", "srmp")

    def __init__(self, data: bytes, form: Form, body_size: BodySize, missing: int, gap: Gap | None) -> None:
        self.data = data
        self.form = form
        self.body_size = body_size
        self.missing = missing
        """Bytes left out of the body."""
        self.gap = gap
        """Where: None until the body is found, if its beginning does not say."""
        self.at = 0
        self.end = sys.maxsize
        """Of the packet, by its own word."""
        self.in_gap = False
        """Reading stopped at bytes that were not sent."""
        self.srmp = False
        """UserHeader.Flags.AH: the message came over HTTP."""
        self.problems: list[MessageProblem] = []

    @property
    def size(self) -> int:
        return len(self.data) + (self.missing if self.gap is None else self.gap.size)

    def report(self, code: str, at: int, detail: str) -> None:
        self.problems.append(MessageProblem(code, at, detail))

    def stop(self, code: str, at: int, detail: str) -> NoReturn:
        self.report(code, at, detail)
        raise Stop

    def take(self, count: int, what: str, beyond: str = "message-length") -> bytes:
        found = self._captured(count, what, beyond)
        if len(found) < count:
            self.in_gap = self.gap is not None and self.gap.at < self.at + count and self.at < self.gap.end
            at = min(self.at, self.size)
            self.stop("message-cut", at, f"{what} has {count} bytes, of which {len(found)} are here")
        self.at += count
        return found

    def beginning(self, count: int, what: str, beyond: str = "message-length") -> bytes:
        """As much as is here; CutBytes where that is not all. Goes on behind it."""
        found = self._captured(count, what, beyond)
        self.at += count
        return found if len(found) == count else CutBytes(found)

    def peek(self, count: int) -> bytes:
        return self._here(self.at, self.at + count)

    def align(self) -> None:
        """Padding may be missing where the packet ends."""
        self.at = min(aligned(self.at), max(self.at, self.end))

    def place_gap(self, end: int, what: str) -> None:
        """Between the end of what was sent of the body and the header behind it; `end` is that of the whole body."""
        if not self.missing:
            return
        if self.gap is None:
            at = max(end - self.missing, self.at)
            self.gap = Gap(at, aligned(end) - at)
            fits = end - self.missing >= self.at
        else:
            fits = self.gap.at >= self.at and self.gap.end == aligned(end)
        if not fits:
            left_out = f"{self.missing} bytes are left out in front of {self.gap.end}"
            self.report("message-sections", self.at, f"{left_out}, but {what} has {end - self.at} bytes")

    def _captured(self, count: int, what: str, beyond: str) -> bytes:
        left = self.end - self.at
        if count > left:
            self.stop(beyond, self.at, f"{what} has {count} bytes, of which {left} are in the packet")
        return self._here(self.at, self.at + count)

    def _here(self, start: int, end: int) -> bytes:
        gap = self.gap
        if gap is None or end <= gap.at:
            return self.data[start:end]
        if start >= gap.end:
            return self.data[start - gap.size : end - gap.size]
        return self.data[start : gap.at]


def aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT
