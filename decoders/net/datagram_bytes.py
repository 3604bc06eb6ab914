"""The bytes of one datagram while its fragments come in: RFC 815's holes turned round, as ranges that are there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field


@dataclass(slots=True)
class DatagramBytes:
    """Bytes once in place stay: of two fragments that disagree, the first one stands."""

    data: bytearray = field(default_factory=bytearray)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    """Ranges present: sorted, disjoint and not touching."""
    total: int | None = None
    """Size of the datagram, once its last fragment is in."""

    @property
    def reach(self) -> int:
        return self.ends[-1] if self.ends else 0

    @property
    def complete(self) -> bool:
        return self.total is not None and self.starts == [0] and self.ends == [self.total]

    def end_differs(self, end: int, *, last: bool) -> bool:
        """Whether a fragment that ends at `end` contradicts where the datagram was known to end, or to go on."""
        if self.total is not None:
            return end > self.total or (last and end != self.total)
        return last and end < self.reach

    def covers(self, start: int, end: int) -> bool:
        index = bisect_right(self.starts, start) - 1
        return index >= 0 and end <= self.ends[index]

    def agrees(self, start: int, payload: bytes) -> bool:
        """Whether `payload` has the same bytes wherever the pile has any."""
        end = start + len(payload)
        for index in range(bisect_right(self.ends, start), bisect_left(self.starts, end)):
            low, high = max(start, self.starts[index]), min(end, self.ends[index])
            if self.data[low:high] != payload[low - start : high - start]:
                return False
        return True

    def add(self, start: int, payload: bytes) -> None:
        """Fill in what is not there yet."""
        end = start + len(payload)
        if not payload:
            return
        if len(self.data) < end:
            self.data.extend(bytes(end - len(self.data)))
        first, after = bisect_left(self.ends, start), bisect_right(self.starts, end)
        at = start
        for low, high in [*zip(self.starts[first:after], self.ends[first:after], strict=True), (end, end)]:
            if at < low:
                self.data[at:low] = payload[at - start : low - start]
            at = max(at, high)
        low = min([start, *self.starts[first:after]])
        high = max([end, *self.ends[first:after]])
        self.starts[first:after] = [low]
        self.ends[first:after] = [high]

    def missing(self) -> str:
        """For people: which bytes are not there."""
        known = [0, *self.ends]
        until = [*self.starts, self.total]
        holes = [
            f"{low}-{'' if high is None else high - 1}"
            for low, high in zip(known, until, strict=True)
            if high is None or low < high
        ]
        return ", ".join(holes)
