"""The calls under way that one side asked with one call id: each question is answered without a look at all of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Reversible

    from decoders.dcerpc.evidence import Began
    from decoders.dcerpc.open_call import OpenCall

_PLACE: Final = attrgetter("place")
_SENT_BY: Final = attrgetter("sent_by")


class SlotCalls:
    """Several where callbacks nest, where one side's bytes come out before the other's, and where an id is reused."""

    __slots__ = ("_asked", "_latest", "_places", "_responding", "_superseded", "_unasked", "_waiting")

    def __init__(self) -> None:
        # All but _waiting by serial number.
        self._unasked: dict[int, OpenCall] = {}
        """No request came out yet; in the order of answers."""
        self._asked: dict[int, OpenCall] = {}
        """In the order of requests."""
        self._superseded: dict[int, OpenCall] = {}
        """Of those asked, the ones another request followed."""
        self._responding: dict[int, OpenCall] = {}
        """Their response began. One that ended or was cut short is dropped when it is met."""
        self._waiting: list[OpenCall] = []
        """Asked, in order, hence sorted by `sent_by`. One that has an answer is dropped when it is met."""
        self._latest: Began | None = None
        self._places = 0

    def __bool__(self) -> bool:
        return bool(self._asked or self._unasked)

    @property
    def unasked(self) -> Reversible[OpenCall]:
        return self._unasked.values()

    def begin(self, call: OpenCall) -> None:
        self._unasked[call.serial] = call

    def ask(self, call: OpenCall, began: Began) -> None:
        del self._unasked[call.serial]
        self._asked[call.serial] = call
        # Sent again after a loss, a request may have a later time than those behind it in the stream.
        self._latest = began if self._latest is None else max(began, self._latest)
        self._places += 1
        call.place, call.asked_at, call.sent_by = self._places, began, self._latest
        self._waiting.append(call)

    def answer(self, call: OpenCall) -> None:
        self._responding[call.serial] = call

    def supersede(self, call: OpenCall) -> None:
        self._superseded[call.serial] = call

    def end(self, call: OpenCall) -> None:
        for calls in (self._unasked, self._asked, self._superseded, self._responding):
            calls.pop(call.serial, None)
        at = bisect_left(self._waiting, call.place, key=_PLACE)
        if at < len(self._waiting) and self._waiting[at] is call:
            del self._waiting[at]

    def asking(self) -> OpenCall | None:
        """The one whose request came out last."""
        return next(reversed(self._asked.values()), None)

    def answering(self) -> OpenCall | None:
        """The newest whose response began and has not ended."""
        while self._responding:
            call = next(reversed(self._responding.values()))
            if not call.answered and not call.cut_short:
                return call
            del self._responding[call.serial]
        return None

    def last_asked(self, began: Began) -> OpenCall | None:
        """The last that waits for an answer and was asked by then."""
        at = bisect_right(self._waiting, began, key=_SENT_BY)
        while at:
            at -= 1
            if self._waiting[at].waits_for_answer:
                return self._waiting[at]
            del self._waiting[at]
        return None

    def passed_over(self, answered: OpenCall) -> list[OpenCall]:
        """Those superseded that were asked before it, up to the first that one frame carried together with it."""
        found: list[OpenCall] = []
        for call in self._superseded.values():
            if call.place >= answered.place or call.asked_at == answered.asked_at:
                break
            found.append(call)
        return found
