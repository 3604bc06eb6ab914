"""Fragments put together to a request or a response: [C706] 12.6.3.1, PFC_FIRST_FRAG and PFC_LAST_FRAG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.dcerpc.call_model import Missing, Part
from decoders.dcerpc.framing_model import BrokenPdu
from decoders.limits import MAX_FRAMES_PER_PART, MAX_STUB_BYTES

if TYPE_CHECKING:
    from decoders.dcerpc.evidence import Began
    from decoders.dcerpc.framing_model import AnyPdu, FrameRef
    from decoders.dcerpc.header import ByteOrder
    from decoders.dcerpc.security_trailer import SecurityTrailer
    from decoders.dcerpc.verification import VerificationTrailer


class PartBuilder:
    """Keeps the stub up to the first thing missing, and counts on."""

    __slots__ = (
        "_byte_order",
        "_fragments",
        "_frames",
        "_last_ts_ns",
        "_size",
        "_stub",
        "_trailer",
        "end",
        "ended",
        "first_frame",
        "first_ts_ns",
        "frames_left_out",
        "kept",
        "missing",
        "sealed",
        "trailer_cut",
        "trailer_seen",
        "verification",
    )

    def __init__(self, first: AnyPdu) -> None:
        self.missing: Missing | None = None if first.header.first else Missing.FIRST_FRAGMENT
        self.end = first.end
        """Where its last fragment seen ends in the stream."""
        self.ended = False
        """The last fragment was seen."""
        self.sealed = False
        """Any fragment is, and was not unsealed."""
        self.trailer_cut = False
        """A fragment was cut before its security trailer."""
        self.trailer_seen = False
        self.verification: VerificationTrailer | None = None
        self._trailer = b""
        self._byte_order: ByteOrder = first.header.byte_order
        self.first_ts_ns = first.origin.first_ts_ns
        self._last_ts_ns = first.origin.last_ts_ns
        self.first_frame = first.origin.frames[0]
        self._frames: dict[FrameRef, None] = {}
        self.frames_left_out = 0
        self._fragments = 0
        self._size = 0
        self._stub = bytearray()
        self.kept = 0
        """Bytes of the stub, with the verification trailer."""

    @property
    def began(self) -> Began:
        return self.first_ts_ns, self.first_frame

    @property
    def fresh(self) -> bool:
        """No fragment was added yet."""
        return not self._fragments

    @property
    def under_way(self) -> bool:
        """More is expected, and nothing is missing so far."""
        return not self.ended and self.missing is None

    def note_security(self, security: SecurityTrailer | None, *, cut: bool) -> None:
        """The security trailer of a fragment that should have one."""
        if security is None:
            self.trailer_cut = self.trailer_cut or cut
        else:
            self.trailer_seen = True
            self.sealed = self.sealed or (security.seals and not security.opened)

    def add(self, pdu: AnyPdu, stub: bytes, room: int) -> bool:
        """The next fragment. False: its stub is more than there is room for."""
        self._fragments += 1
        self.end = pdu.end
        self._last_ts_ns = pdu.origin.last_ts_ns
        self._size += len(stub)
        self.ended = self.ended or pdu.header.last
        for frame in pdu.origin.frames:
            if len(self._frames) < MAX_FRAMES_PER_PART:
                self._frames[frame] = None
            elif frame not in self._frames:
                self.frames_left_out += 1
        if self.missing is not None:
            return True
        room = min(room, MAX_STUB_BYTES - self.kept)
        self._stub += stub[:room]
        self.kept = len(self._stub)
        if len(stub) > room:
            self.missing = Missing.LIMIT
            return False
        if isinstance(pdu, BrokenPdu):
            self.missing = Missing.PDU_CUT
        return True

    def lose(self, missing: Missing) -> bool:
        """Something is missing here. Whether that is news."""
        if not self.under_way:
            return False
        self.missing = missing
        return True

    def tail(self, size: int) -> bytes:
        """The end of the stub, `size` bytes or a few more, from a multiple of 4; nothing where it is not kept."""
        return b"" if self.missing is not None else bytes(self._stub[max(0, self.kept - size) & ~3 :])

    def cut_off(self, trailer: VerificationTrailer) -> None:
        """Take the verification trailer off the end of the stub, where the end is kept."""
        self.verification = trailer
        self._size -= trailer.size
        if self.missing is None:
            self._trailer = bytes(self._stub[-trailer.size :])
            del self._stub[-trailer.size :]

    def part(self) -> Part:
        missing = self.missing
        if missing is None and not self.ended:
            missing = Missing.LAST_FRAGMENT
        return Part(
            stub=bytes(self._stub),
            complete=missing is None,
            missing=missing,
            byte_order=self._byte_order,
            first_ts_ns=self.first_ts_ns,
            last_ts_ns=self._last_ts_ns,
            capture=self.first_frame[0],
            frames=tuple(self._frames),
            frames_left_out=self.frames_left_out,
            fragments=self._fragments,
            size=self._size,
            verification=self.verification,
            sealed=self.sealed,
            trailer=self._trailer,
        )
