"""Where decoding of one stub stands, and how it reports and stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from decoders.limits import MAX_NDR_DEPTH, MAX_NDR_PROBLEMS, MAX_NDR_VALUES
from decoders.ndr.counts import Compared, Rounded
from decoders.ndr.problems import Problem

Container: TypeAlias = Any
"""The dict or list that a value goes into."""

Key: TypeAlias = Any

Place: TypeAlias = tuple[Any, str | int] | None
"""A linked path: the place around this one and the key in it. Written out only on a problem."""

Step: TypeAlias = Callable[["Reader", Any, Any, Place], None]
"""Reads one value at the reader's position into `container[key]`; `place` is the container's."""

Deferred: TypeAlias = tuple[Step, Container, Key, Place]
"""A referent that is still to come, and where it goes."""


class Stop(Exception):
    """Leaves the steps, never the decoder."""


class Reader:
    __slots__ = (
        "_left_out", "_stopped", "_values_left", "aliased", "at", "data", "deferred", "depth", "full", "late",
        "max_count", "problems", "size", "whole",
    )  # fmt: skip

    def __init__(self, data: bytes, *, whole: bool = True) -> None:
        self.data = data
        self.whole = whole
        """False: the stub went on, but no more of it was captured."""
        self.size = len(data)
        self.at = 0
        self.problems: list[Problem] = []
        self.deferred: list[Deferred] = []
        """Referents that follow the construction being read: [C706] 14.3.12.3."""
        self.max_count = 0
        """Of the conformant structure being read, from in front of it."""
        self.full: dict[int, list[Any]] = {}
        """By referent id of full pointers: type, container, key, size."""
        self.aliased = 0
        self.late: list[tuple[Container, str, str | Rounded, int, Place, Key, int]] = []
        """Counts whose size_is or length_is member comes later."""
        self.depth = 0
        self._values_left = MAX_NDR_VALUES
        self._left_out = 0
        self._stopped: Problem | None = None

    def report(self, code: str, place: Place, key: Key, at: int, detail: str) -> None:
        if len(self.problems) >= MAX_NDR_PROBLEMS:
            self._left_out += 1
            return
        self.problems.append(Problem(code, path_text(place, key), min(at, self.size), detail))

    def stop(self, code: str, place: Place, key: Key, at: int, detail: str) -> NoReturn:
        self._stopped = Problem(code, path_text(place, key), min(at, self.size), detail)
        raise Stop

    def cut(self, place: Place, key: Key, at: int, needed: int) -> NoReturn:
        left = max(self.size - at, 0)
        self.stop("ndr-truncated", place, key, at, f"{needed} bytes needed, {left} left")

    def charge(self, values: int, place: Place, key: Key) -> None:
        self._values_left -= values
        if self._values_left < 0:
            self.stop("ndr-too-large", place, key, self.at, f"more than {MAX_NDR_VALUES} values")

    def deeper(self, place: Place, key: Key) -> None:
        self.depth += 1
        if self.depth > MAX_NDR_DEPTH:
            self.stop("ndr-too-deep", place, key, self.at, f"more than {MAX_NDR_DEPTH} levels of referents")

    def compare_count(
        self, container: Container, attribute: str, name: Compared, count: int, place: Place, key: Key, at: int
    ) -> None:
        """Against the member the IDL names, if this container has it: an [out] array's size may be in the request."""
        expected: object = name
        written: str | int
        if isinstance(name, int):
            written = name
        else:
            written = name.member if isinstance(name, Rounded) else name
            if type(container) is not dict or written not in container:
                return
            expected = container[written]
            if expected is None:
                self.late.append((container, attribute, name, count, place, key, at))
                return
            if isinstance(name, Rounded):
                expected = name.up(container[written])
        if expected != count:
            detail = f"{count} on the wire, {attribute}({written}) is {expected}"
            self.report("ndr-count-differs", place, key, at, detail)

    def finish(self) -> tuple[Problem, ...]:
        """All problems, last the one that stopped decoding."""
        for container, attribute, name, count, place, key, at in self.late:
            if container[name.member if isinstance(name, Rounded) else name] is not None:
                self.compare_count(container, attribute, name, count, place, key, at)
        if self._left_out:
            detail = f"{self._left_out} more problems"
            self.problems.append(Problem("ndr-problems-omitted", "", min(self.at, self.size), detail))
        if self._stopped:
            self.problems.append(self._stopped)
        return tuple(self.problems)


def path_text(place: Place, key: Key) -> str:
    keys: list[str | int] = [] if key is None else [key]
    while place is not None:
        place, outer = place
        keys.append(outer)
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in reversed(keys))
    return text.removeprefix(".")
