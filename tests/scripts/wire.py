"""PDUs of one connection: opening, calls, security trailers."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from tests.decoders.dcerpc import pdus
from tests.scripts import ntlm
from tests.scripts.language import AUTH_LEVELS
from tests.scripts.words import syntax_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.scripts.statements import Alter, Connect

_PRIVACY: Final = 6
_LARGEST_PDU: Final = 4_280
_HEAD, _FAULT_HEAD, _TRAILER, _SIGNATURE = 24, 32, 24, 16
_OBJECT: Final = 16
_SYNTAXES: Final = {"ndr": pdus.NDR, "ndr64": pdus.NDR64}
_GROUP_AT: Final = 20
_FIRST_CALL: Final = 1
_ACCEPTANCE, _PROVIDER_REJECTION, _NEGOTIATE_ACK = 0, 2, 3
_SYNTAX_UNKNOWN: Final = 2
_NONE: Final = ("00000000-0000-0000-0000-000000000000", 0, 0)


class Wire:
    """`group` is the association group's number, `asked` what the bind says of it."""

    def __init__(self, setup: Connect, port: int, group: int, asked: int, seed: str) -> None:
        self._setup, self._port, self._group, self._asked, self._seed = setup, port, group, asked, seed
        default = "none" if setup.interface == "epm" else "integrity"
        self._level = AUTH_LEVELS[setup.auth or default]
        login = ntlm.Login(setup.user, setup.domain, setup.workstation, setup.password, setup.ntlm)
        self._session = ntlm.Session(login, seed)

    @property
    def secured(self) -> bool:
        return self._level > 0

    def bind(self) -> bytes:
        setup = self._setup
        contexts = _proposed(setup)
        if setup.features is not None:
            contexts.append((contexts[-1][0], (_features(setup.features),)))
        auth = self._token(self._session.negotiate())
        return pdus.bind(*contexts, call_id=_FIRST_CALL, group=self._asked, auth=auth)

    def bind_ack(self) -> bytes:
        setup = self._setup
        results = _results(setup) if setup.rejects is None else [_rejection(setup.rejects)] * len(offered(setup))
        if setup.features is not None:
            results.append(_rejection(_SYNTAX_UNKNOWN) if setup.acks is None else (_NEGOTIATE_ACK, setup.acks, _NONE))
        auth = self._token(self._session.challenge())
        address = f"{self._port}\0".encode()
        written = pdus.ack(*results, address=address, call_id=_FIRST_CALL, auth=auth)
        return _granting(written, self._group)

    def auth3(self) -> bytes:
        return pdus.pdu(pdus.AUTH3, bytes(4), call_id=_FIRST_CALL, auth=self._token(self._session.authenticate()))

    def bind_nak(self) -> bytes:
        """One version is supported: 5.0."""
        return pdus.pdu(pdus.BIND_NAK, struct.pack("<HBBBx", self._setup.reason, 1, 5, 0), call_id=_FIRST_CALL)

    def alter(self, setup: Alter, ctx: int, call_id: int) -> bytes:
        return pdus.bind(*_proposed(setup), kind=pdus.ALTER, first_id=ctx, call_id=call_id, group=self._group)

    def alter_resp(self, setup: Alter, call_id: int) -> bytes:
        """[C706] 12.6.4.1: of the group as of the address nothing need be said again."""
        written = pdus.ack(*_results(setup), kind=pdus.ALTER_RESP, address=b"", call_id=call_id)
        return _granting(written, self._group if setup.grants is None else setup.grants)

    def give_up(self, about: str, call_id: int) -> bytes:
        return pdus.pdu(pdus.CO_CANCEL if about == "cancel" else pdus.ORPHANED, call_id=call_id)

    def request(
        self, stub: bytes, opnum: int, call_id: int, *, from_client: bool = True, ctx: int = 0, of: str | None = None
    ) -> bytes:
        """`of`: the object UUID."""
        return self._fragments(
            stub,
            from_client,
            lambda piece, flags, auth: pdus.request(
                piece, "<", opnum, flags=flags, call_id=call_id, ctx=ctx, object_uuid=of, auth=auth
            ),
            _HEAD if of is None else _HEAD + _OBJECT,
        )

    def response(self, stub: bytes, call_id: int, *, from_client: bool = False, ctx: int = 0) -> bytes:
        return self._fragments(
            stub,
            from_client,
            lambda piece, flags, auth: pdus.response(piece, flags=flags, call_id=call_id, ctx=ctx, auth=auth),
        )

    def fault(self, status: int, call_id: int, *, from_client: bool = False, ctx: int = 0) -> bytes:
        said = pdus.fault(status, call_id=call_id, ctx=ctx, auth=self._verifier(b""))
        return self._protected(said, from_client, _FAULT_HEAD)

    def _fragments(
        self,
        stub: bytes,
        from_client: bool,
        build: Callable[[bytes, int, pdus.Auth | None], bytes],
        head: int = _HEAD,
    ) -> bytes:
        pieces = (build(piece, flags, self._verifier(piece)) for piece, flags in _pieces(stub))
        return b"".join(self._protected(piece, from_client, head) for piece in pieces)

    def _token(self, token: bytes) -> pdus.Auth | None:
        return pdus.Auth(token, level=self._level) if self.secured else None

    def _verifier(self, stub: bytes) -> pdus.Auth | None:
        return pdus.Auth(bytes(_SIGNATURE), level=self._level, pad=-len(stub) % 4) if self.secured else None

    def _protected(self, pdu: bytes, from_client: bool, start: int = _HEAD) -> bytes:
        """Signed and, at level privacy, sealed from there on."""
        if not self.secured:
            return pdu
        end = len(pdu) - _TRAILER
        head, body, trailer = pdu[:start], pdu[start:end], pdu[end:-_SIGNATURE]
        seal = self._level == _PRIVACY
        sent, signature = self._session.protect(head, body, trailer, from_client=from_client, seal=seal)
        return head + sent + trailer + signature


def offered(setup: Connect | Alter) -> tuple[str, ...]:
    """Transfer syntaxes, a context each: [MS-RPCE] 3.3.1.5.6."""
    return setup.offers or (setup.syntax,)


def _proposed(setup: Connect | Alter) -> list[tuple[pdus.Syntax, tuple[pdus.Syntax, ...]]]:
    interface = syntax_of(setup.interface, setup.version)
    return [(interface, (_SYNTAXES[one],)) for one in offered(setup)]


def _results(setup: Connect | Alter) -> list[tuple[int, int, pdus.Syntax]]:
    """One is accepted."""
    accepted = _ACCEPTANCE, 0, _SYNTAXES[setup.syntax]
    return [accepted if one == setup.syntax else _rejection(_SYNTAX_UNKNOWN) for one in offered(setup)]


def _rejection(reason: int) -> tuple[int, int, pdus.Syntax]:
    return _PROVIDER_REJECTION, reason, _NONE


def _features(bits: int) -> pdus.Syntax:
    """[MS-RPCE] 3.3.1.5.3."""
    return f"6cb71c2c-9812-4540-{bits:02x}00-000000000000", 1, 0


def _granting(written: bytes, group: int) -> bytes:
    return written[:_GROUP_AT] + struct.pack("<I", group) + written[_GROUP_AT + 4 :]


def _pieces(stub: bytes) -> Iterator[tuple[bytes, int]]:
    """With the flags of each; those but the last are multiples of 8 bytes."""
    size = (_LARGEST_PDU - _HEAD - _TRAILER) // 8 * 8
    last = max(0, len(stub) - 1) // size
    for number in range(last + 1):
        flags = (pdus.FIRST if number == 0 else 0) | (pdus.LAST if number == last else 0)
        yield stub[number * size : (number + 1) * size], flags
