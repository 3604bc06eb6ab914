"""What is inside a ticket, an authenticator and the answer to them: RFC 4120 5.3, 5.5.1, 5.5.2.

Parsed only where a checksum has proven them; a peer that holds a key may still have written anything.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Final, NamedTuple

from decoders.errors import Malformed
from decoders.security import der
from decoders.security.kerberos import member, name, text
from decoders.security.kerberos_crypto import Key

_TICKET, _AUTHENTICATOR, _AP_REP = (der.APPLICATION + number for number in (3, 2, 27))
_MOST_KEY_BYTES: Final = 64
_TIME: Final = re.compile(rb"[0-9]{14}Z")


class TicketPart(NamedTuple):
    key: Key
    crealm: str
    cname: str
    authtime: int | None
    """Seconds since 1970; None: it is no time."""
    endtime: int | None


class Assertion(NamedTuple):
    """Of a side that it holds the ticket's session key."""

    moment: tuple[bytes, int]
    """ctime, cusec. The server repeats the client's, which ties its answer to the question."""
    subkey: Key | None


def parse_ticket(plain: bytes) -> TicketPart:
    """Raises Truncated or Malformed, as the others do."""
    members = der.members(der.content_of(plain, _TICKET))
    key, realm, client = _key(member(members, 1)), text(member(members, 2)), name(member(members, 3))
    return TicketPart(key, realm, client, _time(members.get(5, b"")), _time(members.get(7, b"")))


def parse_authenticator(plain: bytes) -> Assertion:
    return _assertion(der.members(der.content_of(plain, _AUTHENTICATOR)), 5, 4, 6)


def parse_ap_rep(plain: bytes) -> Assertion:
    return _assertion(der.members(der.content_of(plain, _AP_REP)), 0, 1, 2)


def _assertion(members: dict[int, bytes], ctime: int, cusec: int, subkey: int) -> Assertion:
    moment = der.read_element(member(members, ctime)).content, der.integer(member(members, cusec))
    return Assertion(moment, _key(members[subkey]) if subkey in members else None)


def _time(data: bytes) -> int | None:
    """KerberosTime, RFC 4120 5.2.3. strptime() alone would take fewer digits."""
    given = der.read_element(data).content if data else b""
    if not _TIME.fullmatch(given):
        return None
    try:
        moment = dt.datetime.strptime(given.decode("ascii"), "%Y%m%d%H%M%SZ").replace(tzinfo=dt.UTC)
    except ValueError:
        return None
    return int(moment.timestamp())


def _key(data: bytes) -> Key:
    members = der.members(data)
    contents = der.content_of(member(members, 1), der.OCTET_STRING)
    if len(contents) > _MOST_KEY_BYTES:
        raise Malformed(f"a key of {len(contents)} bytes")
    return Key(der.integer(member(members, 0)), contents)
