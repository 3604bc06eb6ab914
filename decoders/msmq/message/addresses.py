"""The address a message came from: [MS-MQRR] 2.2.5.1 and 2.2.5.5."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final

IP_ADDRESS_TYPE: Final = 1
IPV6_ADDRESS_TYPE: Final = 6
_IPV4_BYTES: Final = 4
_IPV6_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class HostAddress:
    AddressLength: int
    AddressType: int
    AddressScope: int
    Address: bytes
    """In a UserHeader eight bytes, which an IPv6 address does not fit."""

    @property
    def text(self) -> str | None:
        """As much as is known: of half an IPv6 address its network. None for what is no address."""
        if self.AddressType == IP_ADDRESS_TYPE and self.AddressLength >= _IPV4_BYTES:
            return str(ipaddress.IPv4Address(self.Address[:_IPV4_BYTES]))
        if self.AddressType != IPV6_ADDRESS_TYPE or self.AddressLength > _IPV6_BYTES:
            return None
        known = self.Address[:_IPV6_BYTES]
        address = str(ipaddress.IPv6Address(known.ljust(_IPV6_BYTES, b"\0")))
        if len(known) < _IPV6_BYTES:
            return f"{address}/{8 * len(known)}"
        return f"{address}%{self.AddressScope}" if self.AddressScope else address
