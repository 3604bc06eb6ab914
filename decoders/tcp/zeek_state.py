"""The state of a connection in Zeek's terms: `conn_state` of conn.log, and the endpoint states it is made of."""

from __future__ import annotations

import enum
from typing import Final

from decoders.tcp.model import ACK, FIN, RST, SYN, Side


class Endpoint(enum.Enum):
    INACTIVE = enum.auto()
    SYN_SENT = enum.auto()
    SYN_ACK_SENT = enum.auto()
    PARTIAL = enum.auto()
    """Sent something, but its SYN was not captured."""
    ESTABLISHED = enum.auto()
    CLOSED = enum.auto()
    """Sent FIN."""
    RESET = enum.auto()


_OPENING: Final = frozenset({Endpoint.SYN_SENT, Endpoint.SYN_ACK_SENT})
_SILENT: Final = frozenset({Endpoint.INACTIVE, Endpoint.PARTIAL})
_ENDED: Final = frozenset({Endpoint.CLOSED, Endpoint.RESET})
_PARTIAL_ONLY: Final = (Endpoint.PARTIAL, Endpoint.INACTIVE)
_OPEN: Final = {
    (Endpoint.SYN_SENT, Endpoint.INACTIVE): "S0",
    (Endpoint.ESTABLISHED, Endpoint.ESTABLISHED): "S1",
}


class Endpoints:
    """Both endpoint states under the assumption that `originator` opened the connection.

    Zeek's states depend on who that is, which DCE/RPC may tell long after the packets have gone: so a connection keeps
    both assumptions side by side.
    """

    __slots__ = ("_aborted_after_fin", "originator", "states")

    def __init__(self, originator: Side) -> None:
        self.originator = originator
        self.states = [Endpoint.INACTIVE, Endpoint.INACTIVE]
        self._aborted_after_fin: set[Side] = set()

    def update(self, sender: Side, flags: int, wire_len: int) -> None:
        before = self.states[sender]
        if before is Endpoint.INACTIVE:
            self._wake(sender, flags, wire_len)
        elif flags & (SYN | ACK) == SYN and (before, self.states[sender.peer]) == _PARTIAL_ONLY:
            self.states[sender] = Endpoint.SYN_SENT
        if flags & RST:
            self._abort(sender)
        elif flags & FIN and before not in _ENDED:
            self.states[sender] = Endpoint.CLOSED
            # FIN, RST, and the peer's FIN that was under way: an orderly end after all.
            if sender.peer in self._aborted_after_fin:
                self.states[sender.peer] = Endpoint.CLOSED

    def conn_state(self, history: str, stream_bytes: int) -> str:
        """`history` is oriented to the originator; `stream_bytes` counts both directions."""
        orig = self.states[self.originator]
        resp = self.states[self.originator.peer]
        if resp is Endpoint.RESET:
            if orig in _OPENING or (orig is Endpoint.RESET and not stream_bytes):
                return "REJ"
            return "RSTRH" if orig in _SILENT else "RSTR"
        if orig is Endpoint.RESET:
            if resp not in _SILENT:
                return "RSTO"
            return "RSTOS0" if _is_syn_then_reset(history) else "OTH"
        if orig is Endpoint.CLOSED:
            if resp is Endpoint.CLOSED:
                return "SF"
            return "SH" if resp in _SILENT else "S2"
        if resp is Endpoint.CLOSED:
            return "SHR" if orig in _SILENT else "S3"
        return _OPEN.get((orig, resp), "OTH")

    def _wake(self, sender: Side, flags: int, wire_len: int) -> None:
        """The first packet of a side."""
        peer = self.states[sender.peer]
        if flags & SYN:
            if sender is not self.originator:
                self.states[sender] = Endpoint.ESTABLISHED
                if peer in _OPENING:
                    self.states[sender.peer] = Endpoint.ESTABLISHED
            elif flags & ACK:
                self.states[sender] = Endpoint.SYN_ACK_SENT
            else:
                # Two taps may record SYN-ACK before SYN; Zeek would leave such a connection half open.
                self.states[sender] = Endpoint.ESTABLISHED if peer is Endpoint.ESTABLISHED else Endpoint.SYN_SENT
        elif not flags & (FIN | RST):
            if flags & ACK and peer is Endpoint.ESTABLISHED:
                self.states[sender] = Endpoint.ESTABLISHED
            elif wire_len or sender is self.originator or peer is not Endpoint.SYN_SENT:
                self.states[sender] = Endpoint.PARTIAL

    def _abort(self, sender: Side) -> None:
        state = self.states[sender]
        if state is Endpoint.CLOSED:
            if self.states[sender.peer] is Endpoint.CLOSED:
                return
            self._aborted_after_fin.add(sender)
        self.states[sender] = Endpoint.RESET


def _is_syn_then_reset(history: str) -> bool:
    """Zeek's own test on the letters: SYN first, and nothing of an established connection before the RST."""
    letters = history.removeprefix("^")
    return letters.startswith("S") and "R" in letters and not set(letters[: letters.index("R")]) & set("HAFGIQ")
