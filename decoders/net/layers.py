"""The layers of dissect.py over many packets at once: only what is whole and plain; anything else is left as odd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from decoders.limits import MAX_TUNNEL_DEPTH
from decoders.net import layouts, numbers
from decoders.net.addresses import MAPPED
from decoders.net.model import PacketOutcome
from decoders.net.numbers import EtherType, LinkType
from decoders.net.packet_groups import PacketGroup, gather, pick
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
        self._steps: dict[int, Callable[[PacketGroup, int], None]] = {
            Next.ODD: lambda group, _: self.odd.append(group.row_numbers()),
            Next.NOT_IP: lambda group, _: self._settle(group, PacketOutcome.NOT_IP),
            Next.NOT_TCP: lambda group, _: self._settle(group, PacketOutcome.NOT_TCP),
            Next.ETHERNET: self._ethernet,
            Next.IPV4: self._ipv4,
            Next.IPV6: self._ipv6,
            Next.TCP: lambda group, _: self._tcp(group),
            Next.UDP: self._udp,
            Next.GRE: self._gre,
            Next.ERSPAN_III: self._erspan3,
            Next.IPV4_IN_IP: lambda group, depth: self._unwrap(group, Next.IPV4, depth),
            Next.IPV6_IN_IP: lambda group, depth: self._unwrap(group, Next.IPV6, depth),
        }
        self._links: dict[int, Callable[[PacketGroup], None]] = {
            LinkType.ETHERNET: lambda group: self._ethernet(group, 0),
            LinkType.LINUX_SLL: lambda group: self._framed(group, layouts.SLL, 0),
            LinkType.LINUX_SLL2: lambda group: self._framed(group, layouts.SLL2, 0),
            LinkType.NULL: lambda group: self._loopback(group, either_order=True),
            LinkType.LOOP: lambda group: self._loopback(group, either_order=False),
            **dict.fromkeys((LinkType.RAW, LinkType.RAW_BSD, LinkType.RAW_OPENBSD), self._raw),
            LinkType.IPV4: lambda group: self._ipv4(group, 0),
            LinkType.IPV6: lambda group: self._ipv6(group, 0),
        }

    def end(self) -> None:
        """Its ways lead back to it: until they are gone, so many columns would wait for the garbage collector."""
        self._steps.clear()
        self._links.clear()

    def read(self, group: PacketGroup, link_type: int) -> None:
        link = self._links.get(link_type)
        if link:
            link(group)
        else:
            self._settle(group, PacketOutcome.UNSUPPORTED_LINK)

    def _settle(self, group: PacketGroup, outcome: PacketOutcome) -> None:
        self.headers.outcome[group.rows] = outcome

    def _sift(self, group: PacketGroup, plain: Column) -> PacketGroup:
        if plain.all():
            return group
        self.odd.append(group.only(~plain).row_numbers())
        return group.only(plain)

    def _reach(self, group: PacketGroup, size: int) -> PacketGroup:
        """Those with `size` more captured bytes: captured bytes lie in the buffer, so gathering them is safe."""
        return self._sift(group, group.at + size <= group.end)

    def _go_on(self, group: PacketGroup, steps: Column, depth: int) -> None:
        if len(group) and (steps == steps[0]).all():
            self._steps[int(steps[0])](group, depth)
            return
        for step in np.flatnonzero(np.bincount(steps)):
            self._steps[int(step)](group.only(steps == step), depth)

    def _unwrap(self, group: PacketGroup, inner: Next, depth: int) -> None:
        self._steps[inner if depth < MAX_TUNNEL_DEPTH else Next.ODD](group, depth + 1)

    def _ethernet(self, group: PacketGroup, depth: int) -> None:
        self._framed(group, layouts.ETHERNET, depth)

    def _framed(self, group: PacketGroup, layout: np.dtype[np.void], depth: int, tags: int = 0) -> None:
        group = self._reach(group, layout.itemsize)
        steps = BY_TYPE[gather(self.octets, group.at, layout).view(layout)["kind"]]
        group = group.skip(layout.itemsize)
        tagged = steps == Next.VLAN
        if tagged.any():
            if tags < _BULK_VLAN_TAGS:
                self._framed(group.only(tagged), layouts.VLAN, depth, tags + 1)
            else:
                self._steps[Next.ODD](group.only(tagged), depth)
            group, steps = group.only(~tagged), pick(steps, ~tagged)
        self._go_on(group, steps, depth)

    def _loopback(self, group: PacketGroup, *, either_order: bool) -> None:
        group = self._reach(group, layouts.LOOPBACK.itemsize)
        family = gather(self.octets, group.at, layouts.LOOPBACK).view(np.dtype(">u4")).astype(np.uint32)
        if either_order:
            family = np.minimum(family, family.byteswap())
        self._go_on(group.skip(layouts.LOOPBACK.itemsize), BY_FAMILY[np.minimum(family, 0xFF)], 0)

    def _raw(self, group: PacketGroup) -> None:
        group = self._reach(group, 1)
        self._go_on(group, BY_FIRST_BYTE[self.octets[group.at]], 0)

    def _ipv4(self, group: PacketGroup, depth: int) -> None:
        group = self._reach(group, layouts.IPV4.itemsize)
        raw = gather(self.octets, group.at, layouts.IPV4)
        ip = raw.view(layouts.IPV4)
        size = (ip["version_ihl"] & 0x0F) << 2
        payload = group.at + size
        wire_end, end = _bounds(group, group.at, ip["total"])
        # One comparison for version 4 and a header length of at least 5: uint8 wraps.
        plain = (ip["version_ihl"] - np.uint8(0x45) <= 0x0A) & (ip["fragment"] & 0x3FFF == 0) & (payload <= end)
        group = self._sift(PacketGroup(group.rows, payload, end, wire_end), plain)
        raw = pick(raw, plain)
        ip = raw.view(layouts.IPV4)
        steps = BY_PROTOCOL[4][ip["protocol"]]
        tcp = steps == Next.TCP
        if tcp.any():
            rows, ip = group.only(tcp).rows, pick(raw, tcp).view(layouts.IPV4)
            self.headers.ip_version[rows] = 4
            self.headers.src_low[rows] = ip["src"] | np.uint64(MAPPED)
            self.headers.dst_low[rows] = ip["dst"] | np.uint64(MAPPED)
        self._go_on(group, steps, depth)

    def _ipv6(self, group: PacketGroup, depth: int) -> None:
        group = self._reach(group, layouts.IPV6.itemsize)
        raw = gather(self.octets, group.at, layouts.IPV6)
        ip = raw.view(layouts.IPV6)
        payload = group.at + layouts.IPV6.itemsize
        wire_end, end = _bounds(group, payload, ip["length"])
        plain = ip["version_class"] >> 4 == 6
        group = self._sift(PacketGroup(group.rows, payload, end, wire_end), plain)
        raw = pick(raw, plain)
        steps = BY_PROTOCOL[6][raw.view(layouts.IPV6)["protocol"]]
        tcp = steps == Next.TCP
        if tcp.any():
            rows, ip = group.only(tcp).rows, pick(raw, tcp).view(layouts.IPV6)
            self.headers.ip_version[rows] = 6
            for name in ("src_high", "src_low", "dst_high", "dst_low"):
                getattr(self.headers, name)[rows] = ip[name]
        self._go_on(group, steps, depth)

    def _tcp(self, group: PacketGroup) -> None:
        group = self._reach(group, layouts.TCP.itemsize)
        raw = gather(self.octets, group.at, layouts.TCP)
        size = raw.view(layouts.TCP)["offset"] >> 4 << 2
        payload = group.at + size
        plain = (size >= 20) & (payload <= group.wire_end)
        group = self._sift(PacketGroup(group.rows, payload, group.end, group.wire_end), plain)
        tcp = pick(raw, plain).view(layouts.TCP)
        headers, rows = self.headers, group.rows
        for name in ("sport", "dport", "seq", "ack", "flags", "window"):
            getattr(headers, name)[rows] = tcp[name]
        captured = np.minimum(group.at, group.end)
        headers.payload_offset[rows] = captured
        headers.payload_len[rows] = group.end - captured
        headers.payload_wire_len[rows] = group.wire_end - group.at
        headers.outcome[rows] = PacketOutcome.TCP

    def _udp(self, group: PacketGroup, depth: int) -> None:
        group = self._reach(group, layouts.UDP.itemsize)
        vxlan = gather(self.octets, group.at, layouts.UDP).view(layouts.UDP)["dport"] == numbers.VXLAN_PORT
        if vxlan.any():
            self._vxlan(group.only(vxlan).skip(layouts.UDP.itemsize), depth)
        if not vxlan.all():
            self._settle(group.only(~vxlan), PacketOutcome.NOT_TCP)

    def _vxlan(self, group: PacketGroup, depth: int) -> None:
        group = self._reach(group, layouts.VXLAN.itemsize)
        flags = gather(self.octets, group.at, layouts.VXLAN).view(layouts.VXLAN)["flags"]
        valid = flags & numbers.VXLAN_VALID != 0
        if not valid.all():
            self._settle(group.only(~valid), PacketOutcome.NOT_TCP)
        self._unwrap(group.only(valid).skip(layouts.VXLAN.itemsize), Next.ETHERNET, depth)

    def _gre(self, group: PacketGroup, depth: int) -> None:
        group = self._reach(group, layouts.GRE.itemsize)
        gre = gather(self.octets, group.at, layouts.GRE).view(layouts.GRE)
        flags, protocol = gre["flags"].astype(np.uint16), gre["protocol"].astype(np.uint16)
        steps = BY_GRE_PROTOCOL[protocol]
        steps[flags & (numbers.GRE_VERSION | numbers.GRE_ROUTING) != 0] = Next.NOT_TCP
        size = np.full(len(group), layouts.GRE.itemsize)
        for flag in numbers.GRE_OPTIONAL:
            size[flags & flag != 0] += 4
        size[(protocol == EtherType.ERSPAN_I_II) & (flags & numbers.GRE_SEQUENCE != 0)] += numbers.ERSPAN_II_BYTES
        if depth >= MAX_TUNNEL_DEPTH:
            steps[steps != Next.NOT_TCP] = Next.ODD
        self._go_on(group.skip(size), steps, depth + 1)

    def _erspan3(self, group: PacketGroup, depth: int) -> None:
        group = self._reach(group, layouts.ERSPAN3.itemsize)
        last = gather(self.octets, group.at, layouts.ERSPAN3).view(layouts.ERSPAN3)["last"].astype(np.uint16)
        kind = last >> numbers.ERSPAN_III_FRAME_TYPE_SHIFT & numbers.ERSPAN_III_FRAME_TYPE_MASK
        size = layouts.ERSPAN3.itemsize + (last & numbers.ERSPAN_III_SUBHEADER).astype(np.int64) * 8
        plain = kind == numbers.ERSPAN_III_ETHERNET
        self._ethernet(self._sift(group.skip(size), plain), depth)


def _bounds(group: PacketGroup, start: Column, size: Column) -> tuple[Column, Column]:
    """Where datagrams of `size` bytes from `start` end, on the wire and captured; size 0 is segmentation offload."""
    wire_end = start + size
    if not size.all():
        wire_end = np.where(size == 0, group.wire_end, wire_end)
    return wire_end, np.minimum(group.end, wire_end)
