"""The layers of dissect.py over many packets at once: only what is whole and plain; anything else is left as odd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from decoders.limits import MAX_TUNNEL_DEPTH
from decoders.net import layouts, numbers
from decoders.net.addresses import MAPPED
from decoders.net.lots import Lot, gather, pick
from decoders.net.model import Outcome
from decoders.net.numbers import EtherType, LinkType
from decoders.net.steps import BY_FAMILY, BY_FIRST_BYTE, BY_GRE_PROTOCOL, BY_PROTOCOL, BY_TYPE, Next

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoders.net.model import Bytes, Column, Headers

_BULK_VLAN_TAGS: Final = 2
"""QinQ; more tags are rare enough to go one by one."""


class Layers:
    """Writes the rows it decides into `headers`; the rows it leaves are in `odd`."""

    def __init__(self, octets: Bytes, headers: Headers) -> None:
        self.octets = octets
        self.headers = headers
        self.odd: list[Column] = []
        self._steps: dict[int, Callable[[Lot, int], None]] = {
            Next.ODD: lambda lot, _: self.odd.append(lot.row_numbers()),
            Next.NOT_IP: lambda lot, _: self._settle(lot, Outcome.NOT_IP),
            Next.NOT_TCP: lambda lot, _: self._settle(lot, Outcome.NOT_TCP),
            Next.ETHERNET: self._ethernet,
            Next.IPV4: self._ipv4,
            Next.IPV6: self._ipv6,
            Next.TCP: lambda lot, _: self._tcp(lot),
            Next.UDP: self._udp,
            Next.GRE: self._gre,
            Next.ERSPAN_III: self._erspan3,
            Next.IPV4_IN_IP: lambda lot, depth: self._unwrap(lot, Next.IPV4, depth),
            Next.IPV6_IN_IP: lambda lot, depth: self._unwrap(lot, Next.IPV6, depth),
        }
        self._links: dict[int, Callable[[Lot], None]] = {
            LinkType.ETHERNET: lambda lot: self._ethernet(lot, 0),
            LinkType.LINUX_SLL: lambda lot: self._framed(lot, layouts.SLL, 0),
            LinkType.LINUX_SLL2: lambda lot: self._framed(lot, layouts.SLL2, 0),
            LinkType.NULL: lambda lot: self._loopback(lot, either_order=True),
            LinkType.LOOP: lambda lot: self._loopback(lot, either_order=False),
            **dict.fromkeys((LinkType.RAW, LinkType.RAW_BSD, LinkType.RAW_OPENBSD), self._raw),
            LinkType.IPV4: lambda lot: self._ipv4(lot, 0),
            LinkType.IPV6: lambda lot: self._ipv6(lot, 0),
        }

    def read(self, lot: Lot, link_type: int) -> None:
        link = self._links.get(link_type)
        if link:
            link(lot)
        else:
            self._settle(lot, Outcome.UNSUPPORTED_LINK)

    def _settle(self, lot: Lot, outcome: Outcome) -> None:
        self.headers.outcome[lot.rows] = outcome

    def _sift(self, lot: Lot, plain: Column) -> Lot:
        if plain.all():
            return lot
        self.odd.append(lot.only(~plain).row_numbers())
        return lot.only(plain)

    def _reach(self, lot: Lot, size: int) -> Lot:
        """Those with `size` more captured bytes: captured bytes lie in the buffer, so gathering them is safe."""
        return self._sift(lot, lot.at + size <= lot.end)

    def _go_on(self, lot: Lot, steps: Column, depth: int) -> None:
        if len(lot) and (steps == steps[0]).all():
            self._steps[int(steps[0])](lot, depth)
            return
        for step in np.flatnonzero(np.bincount(steps)):
            self._steps[int(step)](lot.only(steps == step), depth)

    def _unwrap(self, lot: Lot, inner: Next, depth: int) -> None:
        self._steps[inner if depth < MAX_TUNNEL_DEPTH else Next.ODD](lot, depth + 1)

    def _ethernet(self, lot: Lot, depth: int) -> None:
        self._framed(lot, layouts.ETHERNET, depth)

    def _framed(self, lot: Lot, layout: np.dtype[np.void], depth: int, tags: int = 0) -> None:
        lot = self._reach(lot, layout.itemsize)
        steps = BY_TYPE[gather(self.octets, lot.at, layout).view(layout)["kind"]]
        lot = lot.skip(layout.itemsize)
        tagged = steps == Next.VLAN
        if tagged.any():
            if tags < _BULK_VLAN_TAGS:
                self._framed(lot.only(tagged), layouts.VLAN, depth, tags + 1)
            else:
                self._steps[Next.ODD](lot.only(tagged), depth)
            lot, steps = lot.only(~tagged), pick(steps, ~tagged)
        self._go_on(lot, steps, depth)

    def _loopback(self, lot: Lot, *, either_order: bool) -> None:
        lot = self._reach(lot, layouts.LOOPBACK.itemsize)
        family = gather(self.octets, lot.at, layouts.LOOPBACK).view(np.dtype(">u4")).astype(np.uint32)
        if either_order:
            family = np.minimum(family, family.byteswap())
        self._go_on(lot.skip(layouts.LOOPBACK.itemsize), BY_FAMILY[np.minimum(family, 0xFF)], 0)

    def _raw(self, lot: Lot) -> None:
        lot = self._reach(lot, 1)
        self._go_on(lot, BY_FIRST_BYTE[self.octets[lot.at]], 0)

    def _ipv4(self, lot: Lot, depth: int) -> None:
        lot = self._reach(lot, layouts.IPV4.itemsize)
        raw = gather(self.octets, lot.at, layouts.IPV4)
        ip = raw.view(layouts.IPV4)
        size = (ip["version_ihl"] & 0x0F) << 2
        payload = lot.at + size
        wire_end, end = _bounds(lot, lot.at, ip["total"])
        # One comparison for version 4 and a header length of at least 5: uint8 wraps.
        plain = (ip["version_ihl"] - np.uint8(0x45) <= 0x0A) & (ip["fragment"] & 0x3FFF == 0) & (payload <= end)
        lot = self._sift(Lot(lot.rows, payload, end, wire_end), plain)
        raw = pick(raw, plain)
        ip = raw.view(layouts.IPV4)
        steps = BY_PROTOCOL[4][ip["protocol"]]
        tcp = steps == Next.TCP
        if tcp.any():
            rows, ip = lot.only(tcp).rows, pick(raw, tcp).view(layouts.IPV4)
            self.headers.ip_version[rows] = 4
            self.headers.src_low[rows] = ip["src"] | np.uint64(MAPPED)
            self.headers.dst_low[rows] = ip["dst"] | np.uint64(MAPPED)
        self._go_on(lot, steps, depth)

    def _ipv6(self, lot: Lot, depth: int) -> None:
        lot = self._reach(lot, layouts.IPV6.itemsize)
        raw = gather(self.octets, lot.at, layouts.IPV6)
        ip = raw.view(layouts.IPV6)
        payload = lot.at + layouts.IPV6.itemsize
        wire_end, end = _bounds(lot, payload, ip["length"])
        plain = ip["version_class"] >> 4 == 6
        lot = self._sift(Lot(lot.rows, payload, end, wire_end), plain)
        raw = pick(raw, plain)
        steps = BY_PROTOCOL[6][raw.view(layouts.IPV6)["protocol"]]
        tcp = steps == Next.TCP
        if tcp.any():
            rows, ip = lot.only(tcp).rows, pick(raw, tcp).view(layouts.IPV6)
            self.headers.ip_version[rows] = 6
            for name in ("src_high", "src_low", "dst_high", "dst_low"):
                getattr(self.headers, name)[rows] = ip[name]
        self._go_on(lot, steps, depth)

    def _tcp(self, lot: Lot) -> None:
        lot = self._reach(lot, layouts.TCP.itemsize)
        raw = gather(self.octets, lot.at, layouts.TCP)
        size = raw.view(layouts.TCP)["offset"] >> 4 << 2
        payload = lot.at + size
        plain = (size >= 20) & (payload <= lot.wire_end)
        lot = self._sift(Lot(lot.rows, payload, lot.end, lot.wire_end), plain)
        tcp = pick(raw, plain).view(layouts.TCP)
        headers, rows = self.headers, lot.rows
        for name in ("sport", "dport", "seq", "ack", "flags", "window"):
            getattr(headers, name)[rows] = tcp[name]
        captured = np.minimum(lot.at, lot.end)
        headers.payload_offset[rows] = captured
        headers.payload_len[rows] = lot.end - captured
        headers.payload_wire_len[rows] = lot.wire_end - lot.at
        headers.outcome[rows] = Outcome.TCP

    def _udp(self, lot: Lot, depth: int) -> None:
        lot = self._reach(lot, layouts.UDP.itemsize)
        vxlan = gather(self.octets, lot.at, layouts.UDP).view(layouts.UDP)["dport"] == numbers.VXLAN_PORT
        if vxlan.any():
            self._vxlan(lot.only(vxlan).skip(layouts.UDP.itemsize), depth)
        if not vxlan.all():
            self._settle(lot.only(~vxlan), Outcome.NOT_TCP)

    def _vxlan(self, lot: Lot, depth: int) -> None:
        lot = self._reach(lot, layouts.VXLAN.itemsize)
        flags = gather(self.octets, lot.at, layouts.VXLAN).view(layouts.VXLAN)["flags"]
        valid = flags & numbers.VXLAN_VALID != 0
        if not valid.all():
            self._settle(lot.only(~valid), Outcome.NOT_TCP)
        self._unwrap(lot.only(valid).skip(layouts.VXLAN.itemsize), Next.ETHERNET, depth)

    def _gre(self, lot: Lot, depth: int) -> None:
        lot = self._reach(lot, layouts.GRE.itemsize)
        gre = gather(self.octets, lot.at, layouts.GRE).view(layouts.GRE)
        flags, protocol = gre["flags"].astype(np.uint16), gre["protocol"].astype(np.uint16)
        steps = BY_GRE_PROTOCOL[protocol]
        steps[flags & (numbers.GRE_VERSION | numbers.GRE_ROUTING) != 0] = Next.NOT_TCP
        size = np.full(len(lot), layouts.GRE.itemsize)
        for flag in numbers.GRE_OPTIONAL:
            size[flags & flag != 0] += 4
        size[(protocol == EtherType.ERSPAN_I_II) & (flags & numbers.GRE_SEQUENCE != 0)] += numbers.ERSPAN_II_BYTES
        if depth >= MAX_TUNNEL_DEPTH:
            steps[steps != Next.NOT_TCP] = Next.ODD
        self._go_on(lot.skip(size), steps, depth + 1)

    def _erspan3(self, lot: Lot, depth: int) -> None:
        lot = self._reach(lot, layouts.ERSPAN3.itemsize)
        last = gather(self.octets, lot.at, layouts.ERSPAN3).view(layouts.ERSPAN3)["last"].astype(np.uint16)
        kind = last >> numbers.ERSPAN_III_FRAME_TYPE_SHIFT & numbers.ERSPAN_III_FRAME_TYPE_MASK
        size = layouts.ERSPAN3.itemsize + (last & numbers.ERSPAN_III_SUBHEADER).astype(np.int64) * 8
        plain = kind == numbers.ERSPAN_III_ETHERNET
        self._ethernet(self._sift(lot.skip(size), plain), depth)


def _bounds(lot: Lot, start: Column, size: Column) -> tuple[Column, Column]:
    """Where datagrams of `size` bytes from `start` end, on the wire and captured; size 0 is segmentation offload."""
    wire_end = start + size
    if not size.all():
        wire_end = np.where(size == 0, lot.wire_end, wire_end)
    return wire_end, np.minimum(lot.end, wire_end)
