"""Client and server of MIT's GSS-API library talking in this process: no network, a ticket of our own making.

Only as much of RFC 2744 and of the library's gssapi_ext.h as DCE's style needs.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME: Final = ctypes.util.find_library("gssapi_krb5")
AVAILABLE: Final = _NAME is not None
KERBEROS, SPNEGO, PRINCIPAL = (
    bytes.fromhex(one) for one in ("2a864886f712010202", "2b0601050502", "2a864886f71201020201")
)
_MUTUAL, _REPLAY, _SEQUENCE, _CONF, _INTEG, _DCE_STYLE = 2, 4, 8, 16, 32, 0x1000
_DATA, _HEADER, _SIGN_ONLY = 1, 2, 11
_ALLOCATE: Final = 0x1_0000
_CONTINUE: Final = 1
_ERROR: Final = 0xFFFF_0000


class _Buffer(ctypes.Structure):
    _fields_ = [("length", ctypes.c_size_t), ("value", ctypes.c_void_p)]


class _Oid(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint32), ("elements", ctypes.c_char_p)]


class _Iov(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint32), ("buffer", _Buffer)]


def _buffer(data: bytes) -> tuple[_Buffer, Any]:
    """With what keeps its bytes alive."""
    held = ctypes.create_string_buffer(data, len(data) or 1)
    return _Buffer(len(data), ctypes.cast(held, ctypes.c_void_p)), held


def _taken(buffer: _Buffer) -> bytes:
    return ctypes.string_at(buffer.value, buffer.length) if buffer.length else b""


@dataclass
class Failed(Exception):
    where: str
    major: int
    minor: int


class _Library:
    def __init__(self) -> None:
        self._library = ctypes.CDLL(_NAME)

    def __call__(self, name: str, *arguments: Any) -> int:  # noqa: ANN401
        minor = ctypes.c_uint32()
        function = getattr(self._library, name)
        function.restype = ctypes.c_uint32
        major = int(function(ctypes.byref(minor), *arguments))
        if major & _ERROR:
            raise Failed(name, major, minor.value)
        return major


@dataclass
class MitTalk:
    """Both ends. KRB5_CONFIG, KRB5CCNAME, KRB5_KTNAME say where their files are."""

    service: str
    spnego: bool
    legs: list[tuple[bool, bytes]] = field(default_factory=list)
    """By whether the client sent it."""

    def __post_init__(self) -> None:
        self._call = _Library()
        self._ends = {True: ctypes.c_void_p(), False: ctypes.c_void_p()}
        mechanism = SPNEGO if self.spnego else KERBEROS
        self._mechanism = _Oid(len(mechanism), mechanism)
        self._agree()

    def _agree(self) -> None:
        kind, name = _Oid(len(PRINCIPAL), PRINCIPAL), ctypes.c_void_p()
        text, _held = _buffer(self.service.encode())
        self._call("gss_import_name", ctypes.byref(text), ctypes.byref(kind), ctypes.byref(name))
        flags = _MUTUAL | _REPLAY | _SEQUENCE | _CONF | _INTEG | _DCE_STYLE
        token, states = b"", {True: _CONTINUE, False: _CONTINUE}
        client = True
        for _ in range(10):
            given, _held = _buffer(token)
            made = _Buffer()
            if client:
                states[True] = self._call(
                    "gss_init_sec_context",
                    *(None, ctypes.byref(self._ends[True]), name, ctypes.byref(self._mechanism)),
                    *(ctypes.c_uint32(flags), ctypes.c_uint32(0), None, ctypes.byref(given), None),
                    *(ctypes.byref(made), None, None),
                )
            else:
                states[False] = self._call(
                    "gss_accept_sec_context",
                    *(ctypes.byref(self._ends[False]), None, ctypes.byref(given), None, None, None),
                    *(ctypes.byref(made), None, None, None),
                )
            token = _taken(made)
            if token:
                self.legs.append((client, token))
            if not any(states.values()):
                return
            client = not client
        raise Failed("ten legs", 0, 0)

    def size(self, body: int, *, seal: bool) -> int:
        """Asked for beforehand: it stands in the header of the PDU, which is signed."""
        if not seal:
            return len(self._mic(bytes(body), from_client=True))
        iov, _held = self._pieces(bytes(24), bytes(body), bytes(8))
        self._wrap("gss_wrap_iov_length", iov, from_client=True)
        return int(iov[3].buffer.length)

    def protect(
        self, head: bytes, body: bytes, trailer: bytes, *, from_client: bool, seal: bool
    ) -> tuple[bytes, bytes]:
        if not seal:
            return body, self._mic(head + body + trailer, from_client=from_client)
        iov, _held = self._pieces(head, body, trailer)
        iov[3].type |= _ALLOCATE
        self._wrap("gss_wrap_iov", iov, from_client=from_client)
        return _taken(iov[1].buffer), _taken(iov[3].buffer)

    def _pieces(self, *data: bytes) -> tuple[Any, list[Any]]:
        buffers = [_buffer(one) for one in data]
        kinds = _SIGN_ONLY, _DATA, _SIGN_ONLY
        made = [_Iov(kind, one) for kind, (one, _) in zip(kinds, buffers, strict=True)]
        return (_Iov * 4)(*made, _Iov(_HEADER, _Buffer())), [held for _, held in buffers]

    def _wrap(self, name: str, iov: Any, *, from_client: bool) -> None:  # noqa: ANN401
        self._call(name, self._ends[from_client], ctypes.c_int(1), ctypes.c_uint32(0), None, iov, ctypes.c_int(4))

    def _mic(self, text: bytes, *, from_client: bool) -> bytes:
        given, _held = _buffer(text)
        made = _Buffer()
        self._call("gss_get_mic", self._ends[from_client], ctypes.c_uint32(0), ctypes.byref(given), ctypes.byref(made))
        return _taken(made)


def _counted(form: str, *values: bytes) -> bytes:
    return b"".join(struct.pack(form, len(one)) + one for one in values)


def keytab(principal: tuple[str, ...], realm: str, kvno: int, etype: int, key: bytes) -> bytes:
    names = _counted(">H", realm.encode(), *(part.encode() for part in principal))
    entry = struct.pack(">H", len(principal)) + names + struct.pack(">IIBH", 1, 0, kvno & 0xFF, etype)
    entry += _counted(">H", key) + struct.pack(">I", kvno)
    return b"\x05\x02" + struct.pack(">i", len(entry)) + entry


def ccache(
    client: Iterable[str], service: Iterable[str], realm: str, session: tuple[int, bytes], times: range, ticket: bytes
) -> bytes:
    """Format 4, with one ticket."""
    who, whom = (_principal(tuple(parts), realm) for parts in (client, service))
    key = struct.pack(">H", session[0]) + _counted(">I", session[1])
    lifetime = struct.pack(">IIII", times.start, times.start, times.stop, times.stop)
    return b"\x05\x04\0\0" + who + who + whom + key + lifetime + bytes(1 + 4 + 4 + 4) + _counted(">I", ticket, b"")


def _principal(parts: tuple[str, ...], realm: str) -> bytes:
    return struct.pack(">II", 1, len(parts)) + _counted(">I", realm.encode(), *(part.encode() for part in parts))
