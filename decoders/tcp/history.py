"""Zeek's `history` of conn.log: a letter for each kind of packet, in the order they first came."""

from __future__ import annotations

from typing import Final

from decoders.tcp.model import ACK, FIN, RST, SYN, Side

_CONTROL_LETTERS: Final = {
    FIN: "f",
    SYN: "s",
    RST: "r",
    FIN | RST: "i",
    FIN | RST | SYN: "i",
    FIN | SYN: "q",
    SYN | RST: "q",
}


def packet_letter(flags: int, wire_len: int) -> str:
    """The one letter a packet has by its flags; empty where Zeek gives none."""
    letter = _CONTROL_LETTERS.get(flags & (FIN | SYN | RST), "")
    if letter == "s" and flags & ACK:
        return "h"
    return letter or ("d" if wire_len else "a" if flags & ACK else "")


class History:
    """Letters with their side. Which of them become upper case is known only once the originator is."""

    __slots__ = ("_counts", "_letters")

    def __init__(self) -> None:
        self._letters: list[tuple[Side, str]] = []
        self._counts: dict[tuple[Side, str], int] = {}

    def note(self, side: Side, letter: str) -> None:
        """Record a letter the first time."""
        key = (side, letter)
        if key not in self._counts:
            self._counts[key] = 1
            self._letters.append(key)

    def note_scaled(self, side: Side, letter: str, times: int = 1) -> None:
        """Record a letter at its 1st, 10th, 100th ... occurrence."""
        key = (side, letter)
        before = self._counts.get(key, 0)
        self._counts[key] = before + times
        # Powers of ten in (before, before + times] are as many as the digits gained.
        gained = len(str(before + times)) - (len(str(before)) if before else 0)
        self._letters.extend([key] * gained)

    def oriented(self, originator: Side, first_sender: Side) -> str:
        flipped = "^" if originator is not first_sender else ""
        letters = (letter.upper() if side is originator else letter for side, letter in self._letters)
        return flipped + "".join(letters)
