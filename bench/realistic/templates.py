"""The conversations, played once: their frames in one buffer, and the places where every copy has values of its own."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bench.realistic.fields import CONNECTIONS, MARKS, column
from tests.scripts.player import FIRST_CLIENT_PORT, play

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bench.realistic.scripts import Script
    from decoders.net.model import Bytes, Column
    from tests.scripts.tape import Timed

_ETHERNET, _ADDRESS_BYTES = 14, 4
_ADDRESSES_END: Final = {4: (_ETHERNET + 16, _ETHERNET + 20), 6: (_ETHERNET + 24, _ETHERNET + 40)}
_TCP: Final = {4: _ETHERNET + 20, 6: _ETHERNET + 40}
_CHECKSUMS: Final = {4: (24, _TCP[4] + 16), 6: (_TCP[6] + 16,)}
_GROUP_AT: Final = 20
_WITH_GROUP: Final = frozenset(("bind", "bind_ack", "alter", "alter_resp"))


class Patch(NamedTuple):
    offset: int
    """In the frame."""
    column: int
    """Of the values, seen as bytes."""


@dataclass(frozen=True, slots=True)
class Templates:
    """A template is a range of frames, a frame a range of bytes and one of patches."""

    share: Column  # float64, by template; they add up to 1
    first: Column  # int64, by template, and one more for the end
    octets: Bytes
    at_us: Column  # int64, by frame: since the template's first
    start: Column  # int64, by frame, and one more for the end
    patch: Column  # int64, by frame, and one more for the end
    patch_offset: Column  # int64
    patch_column: Column  # int64
    requests: int
    """Of all templates."""

    @property
    def frames(self) -> Column:
        """By template."""
        counted: Column = np.diff(self.first)
        return counted

    @property
    def sizes(self) -> Column:
        """Bytes of all frames, by template."""
        sizes: Column = np.diff(self.start[self.first])
        return sizes


def templates(scripts: Sequence[Script]) -> Templates:
    frames: list[bytes] = []
    at_us: list[int] = []
    patches: list[list[Patch]] = []
    first, requests = [0], 0
    for script in scripts:
        played = play(script.text)
        began = played[0].ts_us
        frames += [_without_checksums(one.frame.captured) for one in played]
        at_us += [one.ts_us - began for one in played]
        patches += _patches(played)
        requests += sum(one.about == "request" for one in played)
        first.append(len(frames))
    share = np.array([script.share for script in scripts])
    flat = [patch for of_frame in patches for patch in of_frame]
    return Templates(
        share=share / share.sum(),
        first=np.array(first),
        octets=np.frombuffer(b"".join(frames), np.uint8),
        at_us=np.array(at_us),
        start=_bounds(map(len, frames)),
        patch=_bounds(map(len, patches)),
        patch_offset=np.array([patch.offset for patch in flat]),
        patch_column=np.array([patch.column for patch in flat]),
        requests=requests,
    )


def _bounds(sizes: Iterable[int]) -> Column:
    bounds: Column = np.concatenate(([0], np.cumsum(list(sizes))))
    return bounds


def _version(frame: bytes) -> int:
    return frame[_ETHERNET] >> 4


def _without_checksums(frame: bytes) -> bytes:
    """As in captures of a host whose card fills them in."""
    octets = bytearray(frame)
    for at in _CHECKSUMS[_version(frame)]:
        octets[at : at + 2] = bytes(2)
    return bytes(octets)


def _patches(played: Sequence[Timed]) -> list[list[Patch]]:
    patches: list[list[Patch]] = []
    streams: dict[tuple[int, bool], list[tuple[int, int, bytes]]] = defaultdict(list)
    for number, one in enumerate(played):
        frame = one.frame.captured
        tcp = _TCP[_version(frame)]
        ports = [int.from_bytes(frame[at : at + 2], "big") - FIRST_CLIENT_PORT for at in (tcp, tcp + 2)]
        from_client = 0 <= ports[0] < CONNECTIONS
        connection = ports[0] if from_client else ports[1]
        assert 0 <= connection < CONNECTIONS, "more connections than a copy has ports"
        patches.append(list(_of_headers(frame, tcp, connection, from_client)))
        body = tcp + (frame[tcp + 12] >> 4) * 4
        group = body + _GROUP_AT
        if one.about in _WITH_GROUP and any(frame[group : group + 4]):
            # Its low byte tells the groups of one script apart.
            patches[-1] += [Patch(group + 1 + place, column("number", place)) for place in range(3)]
        streams[connection, from_client].append((number, body, frame[body:]))
    for pieces in streams.values():
        for number, patch in _marked(pieces):
            patches[number].append(patch)
    return patches


def _of_headers(frame: bytes, tcp: int, connection: int, from_client: bool) -> Iterator[Patch]:
    ends = _ADDRESSES_END[_version(frame)]
    fields = ("client", "server") if from_client else ("server", "client")
    for end, field in zip(ends, fields, strict=True):
        for place in range(_ADDRESS_BYTES):
            yield Patch(end - _ADDRESS_BYTES + place, column(field, place))
    port = tcp if from_client else tcp + 2
    for place in range(2):
        yield Patch(port + place, column("port", connection * 2 + place))


def _marked(pieces: list[tuple[int, int, bytes]]) -> Iterator[tuple[int, Patch]]:
    """With the number of the frame. A mark may begin in one and end in another."""
    stream = b"".join(piece for _, _, piece in pieces)
    bounds = _bounds(len(piece) for _, _, piece in pieces)
    for mark in MARKS:
        at = stream.find(mark.octets)
        while at >= 0:
            for place in range(mark.size):
                position = at + mark.at + place * mark.step
                nth = int(np.searchsorted(bounds, position, "right")) - 1
                number, body, _ = pieces[nth]
                yield number, Patch(body + position - int(bounds[nth]), column(mark.field, place))
            at = stream.find(mark.octets, at + 1)
